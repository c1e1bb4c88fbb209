"""The `spread` figure: a measured column of every game, a row per protocol and adversary, beside what it must keep."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from disttrack.simulator.plots.columns import column_of, measured_label
from disttrack.simulator.plots.description import Axis, Description, Fill, Look, Panel, Series
from disttrack.simulator.plots.kinds import Spread
from disttrack.simulator.plots.marks import Mark, mark
from disttrack.simulator.plots.panels import value_axis
from disttrack.simulator.results.formats import swept_ticks, with_name
from disttrack.simulator.results.parameters import fixed
from disttrack.simulator.results.read import Line, Tables, lines

_ALSO: Final = (Look("#555555", "X", "", order=2.9), Look("#222222", "2", "", order=2.9))
"""Marks of further columns, by order."""
_LONG: Final = 10**7
"""From here on whole numbers are written as powers."""
_LIMIT: Final = Look(marker="|", dashes="", size=15, edge=2, order=2.5)


def describe(plot: Spread, tables: Tables) -> Description:
    """Return the figure."""
    column = column_of(tables.trials, "y", plot.y)
    also = [name.strip() for name in plot.also.split(",") if name.strip()][: len(_ALSO)]
    others = dict(zip(also, _ALSO, strict=False))
    limit = column_of(tables.trials, "limit", plot.limit) if isinstance(plot.limit, str) and plot.limit else ""
    kinds = tuple(dict.fromkeys(tables.trials["protocol"]))
    rows: dict[str, list[Series]] = {}
    for label, protocol, games in _groups(tables):
        values = games[column].to_numpy(dtype=float)
        values = values[np.isfinite(values)]
        marks = [(name, float(games[column_of(games, "also", name)].astype(float).median())) for name in also]
        kept = float(games[limit].astype(float).median()) if limit else plot.limit
        if len(values):
            items = _row(label, len(rows), values, mark(protocol, kinds), plot.centre)
            items += [Series(label, [kept], [len(rows)], _LIMIT, "limit")] if kept != "" else []
            items += [Series(label, [x], [len(rows)], others[name], measured_label(name)) for name, x in marks]
            rows[label] = items
    if not rows:
        raise ValueError(f"a spread figure needs numbers in {plot.y!r}; these games have none")
    entries: list[tuple[Look | Fill, str]] = [(_LIMIT, plot.limit_says or str(plot.limit))] if plot.limit != "" else []
    entries += [(look, measured_label(name)) for name, look in others.items()]
    series = [one for items in rows.values() for one in items]
    shown = np.concatenate([one.x for one in series])
    every = tables.trials[column].dropna().astype(float)
    many = int(np.isinf(every).sum())
    note = f"Marks: {plot.centre}s. Thick: 5 % to 95 % of the games. Thin: all."
    note += f" Left out of all marks: infinite values, in {many:,} of {len(every):,} games." if many else ""
    x = value_axis(measured_label(plot.y), shown[np.isfinite(shown)])
    return Description(
        [Panel(series, x, Axis(names=list(rows)))], 1, 0.85 + 0.3 * max(3, len(rows)), plot.title or tables.title,
        fixed(tables), note, legend=entries,
    )  # fmt: skip


def _groups(tables: Tables) -> list[tuple[str, str, pd.DataFrame]]:
    """Return label, protocol and games of each row, in the order of the scenario."""
    several = tables.trials["adversary"].nunique() > 1
    found = []
    for line in lines(tables.trials):
        for (result, adversary), games in line.games.groupby(["result", "adversary"], sort=False):
            parts = [str(result)] * tables.several + [row_label(line)] + [f"against {adversary}"] * several
            found.append((", ".join(parts), line.protocol, games))
    return found


def row_label(line: Line) -> str:
    """Return the label of a line without parameters that move with another one, long numbers as powers."""
    kept: list[str] = []
    for axis in line.free:
        if not any(line.all_games.groupby(other)[axis].nunique().max() <= 1 for other in kept):
            kept.append(axis)
    return ", ".join([line.protocol, *(_setting(axis, line.games[axis].iloc[0]) for axis in kept)])


def _setting(axis: str, value: Any) -> str:
    long = isinstance(value, int | np.integer) and value >= _LONG
    return f"{axis} {swept_ticks([int(value)])[0]}" if long else with_name(axis, value)


def _row(label: str, place: int, values: Any, look: Mark, centre: str) -> list[Series]:
    """Return the games of a row: their centre, all of them as a thin line, 5 % to 95 % as a thick one."""
    at = [place, place]
    middle = float(np.mean(values) if centre == "mean" else np.median(values))
    thin, thick = Look(look.colour, width=0.9, order=2), Look(look.colour, width=4, alpha=0.35, order=2.1)
    return [
        Series(label, [middle], [place], Look(look.colour, look.marker, "")),
        Series(label, [float(np.min(values)), float(np.max(values))], at, thin, "range"),
        Series(label, [float(share) for share in np.quantile(values, (0.05, 0.95))], at, thick, "5 % to 95 %"),
    ]
