"""The `ratio` figure: estimate over truth in the course of the games, a line per protocol."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from disttrack.simulator.plots.description import Area, Axis, Description, Fill, Item, Look, Panel, Region, Rule, Series
from disttrack.simulator.plots.kinds import Ratio
from disttrack.simulator.plots.marks import BORDER
from disttrack.simulator.plots.panels import look_of
from disttrack.simulator.plots.sentences import capital
from disttrack.simulator.plots.sweep import panels
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.formats import number
from disttrack.simulator.results.read import GAME, Line, Tables, lines

_MOST: Final = 12
"""Lines of a panel, for whose names there is room."""


def describe(plot: Ratio, tables: Tables) -> Description:
    """Return the figure."""
    if tables.series.empty or tables.series["rel_error"].isna().all():
        raise ValueError("a ratio figure needs series.csv with relative errors; these games have none")
    drawn = [(title, lines(games)) for title, games in panels(tables)]
    if max(len(part) for _, part in drawn) > _MOST:
        raise ValueError(f"a ratio figure has room for {_MOST} lines a panel; take fewer with where")
    kinds = tuple(dict.fromkeys(tables.trials["protocol"]))
    updates = tables.called.get("items", "items")
    begin = 1 if plot.scale == "log" else 0
    ends = (begin, float(tables.series["step"].max()))
    x = Axis(updates, plot.scale, ends, text=lambda value: f"{value:,.0f}")
    y = Axis("estimate over truth", ends=(0, None))
    truth: list[Item] = [Rule(1, Look(BORDER, width=1.0, order=1))]
    promised = tables.trials["alpha"].dropna()
    if promised.nunique() == 1:
        alpha = float(promised.iloc[0])
        truth.append(Region(1 - alpha, 1 + alpha, Fill("#000000", 0.06), name="promised"))
    made = [Panel([*truth, *(item for line in part for item in _items(line, tables, kinds))], x, y, title)
            for title, part in drawn]  # fmt: skip
    worst = tables.trials["max_rel_error"].astype(float)
    seen = []
    for title, part in drawn:
        errors = [f"{line.label} {number(float(worst[line.games.index].median()))}" for line in part]
        seen.append(f"{capital(title)}, largest relative errors at the median: {', '.join(errors)}.")
    caption = (
        f"Estimate over truth against {updates}, medians of games with their 5 % to 95 %, a panel per adversary; grey: "
        f"within α. Fixed: {fixed(tables)}. {' '.join(seen)}"
    )
    note = "Lines: medians over the games. Bands: 5 % to 95 % of them. Grey: within α of the truth."
    return Description(
        made, 1, 3.6 * len(drawn), plot.title or tables.title, fixed(tables), note, caption
    )  # fmt: skip


def _items(line: Line, tables: Tables, kinds: tuple[str, ...]) -> list[Item]:
    """Return the median of the games of a line and its band."""
    mine = tables.series.merge(line.games[list(GAME)], on=list(GAME), how="inner")
    mine = mine[np.isfinite(mine["rel_error"].astype(float))]
    if mine.empty:
        return []
    groups = (1 + mine["rel_error"].astype(float)).groupby(mine["step"])
    low, high = groups.quantile(0.05).to_numpy(), groups.quantile(0.95).to_numpy()
    middle = groups.median()
    steps = middle.index.to_numpy(dtype=float)
    look = look_of(line, kinds, marker="", width=1.6)
    ends: dict[str, Any] = {"low": low, "high": high, "label": line.label}
    return [
        Area(line.label, steps, low, high, Fill(look.colour, 0.15)),
        Series(line.label, steps, middle.to_numpy(), look, **ends),
    ]
