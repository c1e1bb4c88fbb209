"""The `breakdown` figure: words by kind of message, a bar per protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from simulator.plots.base import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.results.read import Tables

_COLOURS: Final = {
    "report": "#0072B2",
    "bit": "#E69F00",
    "item": "#A6D8F5",
    "count": "#D55E00",
    "double": "#009E73",
    "adjust": "#CC79A7",
    "round": "#888888",
    "poll": "#A08F00",
    "total": "#5B3794",
}
"""A colour a kind of message, the same in every figure."""
_SPARE: Final = ("#444444", "#8C564B", "#2F6B6B", "#F0E442", "#B0B0B0")
_SHARES_FROM: Final = 40.0
"""From this ratio of the longest bar to the shortest on, bars show shares: short ones could not be read."""
_DOWN_HATCHES: Final = ("////", "\\\\\\\\", "xxxx", "....")
"""Hatches of what the server says, by order: neighbours keep apart in a grey print too."""


@dataclass(frozen=True, kw_only=True)
class Breakdown(Plot):
    """Words by kind of message, on average over the games of each bar: a bar per protocol and value of `x`.

    Parameters
    ----------
    x
        An axis that the scenario sweeps; each of its values gets a bar of its own. Empty for none.
    """

    kind: ClassVar[str] = "breakdown"
    says: ClassVar[str] = "words by kind of message"

    x: str = ""

    def draw(self, tables: Tables) -> Figure:
        from matplotlib.patches import Patch

        from simulator.plots.style import INK, Legend, new_figure
        from simulator.results.fixed import fixed
        from simulator.results.formats import short

        if tables.kinds.empty:
            raise ValueError("a breakdown figure needs kinds.csv, which is missing or empty")
        bars = _bars(tables, self.x)
        totals = [float(bar["words"].sum()) for _, bar in bars]
        shares = max(totals) > _SHARES_FROM * max(1.0, min(totals))
        order = _kinds_in_order([bar for _, bar in bars])
        note = "Mean over the games of each bar. Plain: from sites to server. Hatched: from server to sites."
        if shares:
            note += " The bars show shares, since the totals beside them differ too much for one scale."
        looks = _looks(order)
        legend = Legend("", [(Patch(**looks[key]), key[0]) for key in order])
        figure = new_figure(0.75 + 0.34 * len(bars), self.title or tables.title, fixed(tables), note, legends=[legend])
        axes = figure.subplots()
        longest = 1.0 if shares else max(totals)
        for row, ((_, bar), total) in enumerate(zip(bars, totals, strict=True)):
            _draw_bar(axes, row, bar, total if shares else 1.0, looks)
            end = (1.0 if shares else total) + longest * 0.012
            axes.text(end, row, f"{total:,.0f}", va="center", size=8.5, color=INK, gid="total")
        axes.set_yticks(range(len(bars)), [label for label, _ in bars])
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.set_xlim(0, longest * 1.13)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}" if shares else short(value) if value else "0")
        if shares:
            axes.set_xticks([0, 0.25, 0.5, 0.75, 1.0])
        axes.set_xlabel("share of the words" if shares else "words")
        return figure


def _bars(tables: Tables, x: str) -> list[tuple[str, pd.DataFrame]]:
    """Return a label and the mean words by (kind, direction) for each protocol, and each value of `x`."""
    from simulator.results.read import GAME, lines, said

    found = []
    trials = tables.trials
    for line in lines(trials, x, apart=("adversary",)):
        by = (["result"] if tables.several else []) + ([x] if x else [])
        parts = line.games.groupby(by, sort=True) if by else [((), line.games)]
        for values, games in parts:
            mine = tables.kinds.merge(games[list(GAME)], on=list(GAME))
            if mine.empty:
                continue
            words = mine.groupby(["kind", "direction"], as_index=False, sort=False)["words"].sum()
            words["words"] = words["words"] / len(games)
            parts_said = [said(key, value) if key == x else str(value) for key, value in zip(by, values, strict=True)]
            found.append((", ".join([line.label, *parts_said]), words[words["words"] > 0]))
    if not found:
        raise ValueError("a breakdown figure needs messages; these games sent none")
    return found


def _kinds_in_order(bars: list[pd.DataFrame]) -> list[tuple[str, str]]:
    """Return the kinds with their direction, those towards the server first, the costliest first."""
    import pandas as pd

    total = pd.concat(bars).groupby(["kind", "direction"], sort=False)["words"].sum().reset_index()
    total = total.sort_values(["direction", "words", "kind"], ascending=[False, False, True])
    return [(str(kind), str(direction)) for kind, direction in zip(total["kind"], total["direction"], strict=True)]


def _looks(order: list[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return how each kind and direction is drawn, in the common order."""
    strangers = [kind for kind in dict.fromkeys(kind for kind, _ in order) if kind not in _COLOURS]
    spare = {kind: _SPARE[place % len(_SPARE)] for place, kind in enumerate(strangers)}
    down = [kind for kind, direction in order if direction == "down"]
    return {
        (kind, direction): {
            "facecolor": _COLOURS.get(kind) or spare[kind],
            "hatch": _DOWN_HATCHES[down.index(kind) % len(_DOWN_HATCHES)] if direction == "down" else "",
            "edgecolor": "white",
            "linewidth": 0.8,
        }
        for kind, direction in order
    }


def _draw_bar(
    axes: Axes, row: int, bar: pd.DataFrame, unit: float, looks: dict[tuple[str, str], dict[str, Any]]
) -> None:
    """Draw one bar, its parts in the common order."""
    words = {(str(part["kind"]), str(part["direction"])): float(part["words"]) for _, part in bar.iterrows()}
    left = 0.0
    for key, look in looks.items():
        if key in words:
            axes.barh(row, words[key] / unit, left=left, height=0.68, **look)
            left += words[key] / unit
