"""The `share` figure: the share of games in which something is so, with its interval, along an axis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import beta

from disttrack.simulator.plots.description import THIN, Axis, Description, Fill, Item, Look, Panel, Rule, Series
from disttrack.simulator.plots.kinds import Share
from disttrack.simulator.plots.marks import BORDER
from disttrack.simulator.plots.panels import look_of, shape, swept_axis
from disttrack.simulator.plots.sentences import capital
from disttrack.simulator.plots.sweep import axis_label, panels, place, symbol
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.formats import swept_ticks
from disttrack.simulator.results.read import Line, Tables, lines

_LEVEL = Look(BORDER, "", THIN, 1.1, order=1)

Drawn = list[tuple[str, list[tuple[Line, pd.DataFrame]]]]
"""The lines of each panel with their shares."""


def describe(plot: Share, tables: Tables) -> Description:
    """Return the figure."""
    drawn = _drawn(plot, tables)
    kinds = tuple(dict.fromkeys(tables.trials["protocol"]))
    what = plot.y_says or ("share of games that are right" if plot.y == "ok" else f"share of games: {plot.y}")
    values = sorted({float(x) for _, part in drawn for _, table in part for x in table["x"]})
    x = swept_axis(plot.x, values, values, 0, 0.0)
    if x.scale == "log":
        x = replace(x, ends=(values[0] / 1.25, values[-1] * 1.25))
    y = Axis(what, ends=(-0.03, 1.03), text=lambda value: f"{value:.0%}")
    made = []
    entries: dict[str, tuple[Look | Fill, str]] = {}
    for title, part in drawn:
        items: list[Item] = [Rule(float(plot.level), _LEVEL)] if plot.level != "" else []
        for order, (line, table) in enumerate(part):
            aside = 1 + 0.02 * (order - (len(part) - 1) / 2)  # a little to the side of the others
            look = look_of(line, kinds, size=6)
            entries.setdefault(line.label, (look, line.label))
            ends: dict[str, Any] = {"low": table["low"].to_numpy(), "high": table["high"].to_numpy()}
            at, shares = table["x"].to_numpy(dtype=float) * aside, table["share"].to_numpy(dtype=float)
            items.append(Series(line.label, at, shares, look_of(line, kinds, size=6, width=1.4), **ends, bars="y"))
        made.append(Panel(items, x, y, title if len(drawn) > 1 else ""))
    rows, columns = shape(len(drawn))
    level = [(Look(BORDER, "", THIN), plot.level_says or str(plot.level))] if plot.level != "" else []
    return Description(
        made, columns, 3.4 * rows, plot.title or tables.title, fixed(tables, plot.x),
        "Marks: shares of the games. Bars: intervals of 95 % (Clopper, Pearson).", _caption(plot, what, drawn, tables),
        [*entries.values(), *level],
    )  # fmt: skip


def _drawn(plot: Share, tables: Tables) -> Drawn:
    column = plot.y if plot.y in tables.trials else f"_{plot.y}"
    if column not in tables.trials:
        raise ValueError(f"y must be a column of trials.csv that is true or false; got {plot.y!r}")
    drawn = []
    for title, games in panels(tables):
        part = [(line, _shares(line.games, plot.x, column)) for line in lines(games, plot.x)]
        drawn.append((title, [(line, table) for line, table in part if len(table)]))
    drawn = [(title, part) for title, part in drawn if part]
    if not drawn:
        raise ValueError(f"a share figure needs games with {plot.y!r}; these have none")
    return drawn


def _shares(games: pd.DataFrame, axis: str, column: str) -> pd.DataFrame:
    """Return the share at each place, with its interval."""
    games = games[games[column].notna() & (games["verdict"] != "error")]
    # True and False, or 1 and 0: tables know both
    true = games[column].map(lambda value: value is True or str(value) in ("True", "1", "1.0")).astype(float)
    groups = pd.DataFrame({"x": place(games, axis), "true": true}).dropna().groupby("x")["true"]
    hits, count = groups.sum(), groups.count()
    low = np.nan_to_num(beta.ppf(0.025, hits, count - hits + 1), nan=0.0)
    high = np.nan_to_num(beta.ppf(0.975, hits + 1, count - hits), nan=1.0)
    return pd.DataFrame({"x": hits.index, "share": hits / count, "low": low, "high": high}).reset_index(drop=True)


def _caption(plot: Share, what: str, drawn: Drawn, tables: Tables) -> str:
    seen = []
    for title, part in drawn:
        head = f"{title} " if len(drawn) > 1 else ""
        for line, table in part:
            at = [f"{symbol(plot.x)} = {swept_ticks([float(x)])[0]}" for x in table["x"]]
            values = [f"{share:.1%} at {place}" for share, place in zip(table["share"], at, strict=True)]
            same = table["share"].nunique() == 1 and len(table) > 1
            seen.append(f"{head}{line.label}: {f'{table.share.iloc[0]:.1%} at each' if same else ', '.join(values)}")
    level = f" Dashed: {plot.level_says or plot.level} ({float(plot.level):.3g})." if plot.level != "" else ""
    return (
        f"{capital(what)} against {axis_label(plot.x)}, with 95 % intervals, a line per protocol.{level} "
        f"Fixed: {fixed(tables, plot.x)}. {'; '.join(seen)}."
    )
