"""The `ratio` figure: estimate over truth in the course of the games, a line per protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from simulator.plots.base import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.plots.labels import EndLabel
    from simulator.results.read import Line, Tables

_MOST: Final = 12
"""Lines of a panel, for whose names there is room."""


@dataclass(frozen=True, kw_only=True)
class Ratio(Plot):
    """Estimate over truth against updates: medians of the games, a line per protocol and a panel per adversary.

    Parameters
    ----------
    scale
        How updates are spaced: log or linear.
    """

    kind: ClassVar[str] = "ratio"
    says: ClassVar[str] = "estimate over truth in the course of the games, a line per protocol"

    scale: str = "linear"

    def __post_init__(self) -> None:
        if self.scale not in ("log", "linear"):
            raise ValueError(f"scale must be log or linear; got {self.scale!r}")

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.labels import label_ends
        from simulator.plots.style import new_figure
        from simulator.plots.sweep import panels
        from simulator.results.fixed import fixed
        from simulator.results.read import lines

        if tables.series.empty or tables.series["rel_error"].isna().all():
            raise ValueError("a ratio figure needs series.csv with relative errors; these games have none")
        drawn = [(title, lines(games)) for title, games in panels(tables)]
        if max(len(part) for _, part in drawn) > _MOST:
            raise ValueError(f"a ratio figure has room for {_MOST} lines a panel; take fewer with where")
        note = "Lines: medians over the games. Bands: 5 % to 95 % of them. Grey: within α of the truth."
        figure = new_figure(3.6 * len(drawn), self.title or tables.title, fixed(tables), note)
        kinds = tuple(dict.fromkeys(tables.trials["protocol"]))
        axes = figure.subplots(len(drawn), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        labels: list[EndLabel] = []
        for one, (title, part) in zip(axes, drawn, strict=True):
            one.set_title(title)
            one.set_ylabel("estimate over truth")
            _band(one, tables.trials)
            for line in part:
                labels += _draw(one, line, tables.series, kinds)
        axes[-1].set_xlabel(tables.called.get("items", "items"))
        axes[-1].set_xscale(self.scale)
        axes[-1].set_xlim(1 if self.scale == "log" else 0, float(tables.series["step"].max()))
        axes[-1].xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        label_ends(figure, labels)
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.plots.sweep import panels
        from simulator.results.fixed import fixed
        from simulator.results.formats import number
        from simulator.results.read import lines

        worst = tables.trials["max_rel_error"].astype(float)
        told = []
        for title, games in panels(tables):
            errors = [
                f"{line.label} {number(float(worst[line.games.index].median()))}"
                for line in lines(games)
                if len(line.games)
            ]
            told.append(f"{title[:1].upper()}{title[1:]}, largest relative errors at the median: {', '.join(errors)}.")
        return (
            f"Estimate over truth against {tables.called.get('items', 'items')}, medians of games with their 5 % to "
            f"95 %, a panel per adversary; grey: within α. Fixed: {fixed(tables)}. {' '.join(told)}"
        )


def _band(axes: Axes, trials: pd.DataFrame) -> None:
    """Shade what is within alpha of the truth, and mark the truth."""
    from simulator.plots.style import BORDER

    promised = trials["alpha"].dropna()
    if promised.nunique() == 1:
        alpha = float(promised.iloc[0])
        axes.axhspan(1 - alpha, 1 + alpha, color="#000000", alpha=0.06, linewidth=0, zorder=0, gid="promised")
    axes.axhline(1, color=BORDER, linewidth=1.0, zorder=1)
    axes.set_ylim(bottom=0)


def _draw(axes: Axes, line: Line, series: pd.DataFrame, kinds: tuple[str, ...]) -> list[EndLabel]:
    """Draw the median of the games of a line and its band; return its label."""
    from simulator.plots.labels import EndLabel
    from simulator.plots.style import DASHES, ink, mark
    from simulator.results.read import GAME

    mine = series.merge(line.games[list(GAME)], on=list(GAME), how="inner")
    mine = mine[mine["rel_error"].notna() & np.isfinite(mine["rel_error"].astype(float))]
    if mine.empty:
        return []
    groups = (1 + mine["rel_error"].astype(float)).groupby(mine["step"])
    middle, low, high = groups.median(), groups.quantile(0.05), groups.quantile(0.95)
    steps: Any = middle.index.to_numpy(dtype=float)
    look = mark(line.protocol, kinds)
    dashes = DASHES[line.order % len(DASHES)]
    axes.fill_between(steps, low, high, color=look.colour, alpha=0.15, linewidth=0, zorder=2, label=line.label)
    look_of: dict[str, Any] = {"color": look.colour, "linestyle": dashes, "linewidth": 1.6}
    axes.plot(steps, middle, zorder=3, gid="line", label=line.label, **look_of)
    return [EndLabel(axes, float(steps[-1]), float(middle.iloc[-1]), line.label, ink(look.colour))]
