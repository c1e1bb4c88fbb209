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

COLOURS: Final = {
    "report": "#1F3A7A",
    "bit": "#F2D479",
    "item": "#DCE6F2",
    "count": "#8E1B3A",
    "double": "#14532D",
    "adjust": "#F3B8C4",
    "round": "#7FD1C2",
    "poll": "#B8D968",
    "total": "#8A2BA0",
}
"""A colour per kind of message, the same in every figure, and none that a protocol has."""
SPARE: Final = ("#4A4A9C", "#F0E442", "#5C7A29", "#E8C9A0", "#2F6B6B")
"""Colours of other kinds of messages, by order."""
_SAME: Final = 0.01
"""Bars of one protocol whose shares differ by no more than this are drawn once."""
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

        from simulator.plots.style import Legend, new_figure
        from simulator.results.fixed import fixed

        bars, columns, shares = self._drawn(tables)
        order = _kinds_in_order([part for bar in bars for part in bar.parts.values()])
        note = "Mean over the games of each bar. Plain: from sites to server. Hatched: from server to sites."
        if shares:
            note += " The bars show shares, since the totals beside them differ too much for one scale."
        if any(bar.merged for bar in bars):
            note += " A bar with two totals stands for several places with the same shares."
        looks = _looks(order)
        legend = Legend("", [(Patch(**looks[key]), key[0]) for key in order])
        height = 0.75 + 0.34 * len(bars) + 0.2 * (len(columns) > 1)
        figure = new_figure(height, self.title or tables.title, fixed(tables, self.x), note, legends=[legend])
        made = figure.subplots(1, len(columns), sharey=True, sharex=True, squeeze=False)[0]
        longest = 1.0 if shares else max(total for bar in bars for total in bar.totals.values())
        for axes, column in zip(made, columns, strict=True):
            axes.set_title(f"against {column}" if len(columns) > 1 else "")
            _draw_column(axes, bars, column, looks, longest, shares)
        made[0].set_yticks(range(len(bars)), [bar.label for bar in bars])
        made[0].set_ylim(len(bars) - 0.5, -0.5)
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.plots.telling import rounded
        from simulator.results.fixed import fixed

        bars, columns, shares = self._drawn(tables)
        told = []
        for bar in bars if len(bars) * len(columns) <= 10 else [bars[0], bars[-1]]:
            for column, part in bar.parts.items():
                kind, words = _largest(part)
                against = f" against {column}" if len(columns) > 1 else ""
                told.append(f"{bar.label}{against}: {rounded(bar.totals[column])} words, {words:.0%} of them {kind}")
        what = "Shares of the words" if shares else "Words"
        split = ", a column per adversary" if len(columns) > 1 else ""
        return (
            f"{what} by kind of message, on average over games, a bar per protocol{split}; plain: to the server, "
            f"hatched: to the sites. Fixed: {fixed(tables, self.x)}. {'; '.join(told)}."
        )

    def _drawn(self, tables: Tables) -> tuple[list[Bar], list[str], bool]:
        """Return the bars, the columns in which they stand, and whether they show shares."""
        if tables.kinds.empty:
            raise ValueError("a breakdown figure needs kinds.csv, which is missing or empty")
        bars = _bars(tables, self.x)
        columns = list(dict.fromkeys(column for bar in bars for column in bar.parts))
        totals = [total for bar in bars for total in bar.totals.values()]
        shares = max(totals) > _SHARES_FROM * max(1.0, min(totals))
        return (_merged(bars) if shares and len(columns) == 1 else bars), columns, shares


@dataclass(frozen=True)
class Bar:
    """One bar: a protocol at one place, against one or several adversaries.

    Parameters
    ----------
    line, place
        The two parts of its label: the protocol with its variant, and the value of the axis.
    parts
        By adversary, the mean words of each kind of message and direction.
    merged
        The totals of further places with the same shares.
    """

    line: str
    place: str
    parts: dict[str, pd.DataFrame]
    merged: tuple[float, ...] = ()

    @property
    def label(self) -> str:
        """Return what stands beside it."""
        return ", ".join(part for part in (self.line, self.place) if part)

    @property
    def totals(self) -> dict[str, float]:
        """Return the mean words of a game, by adversary."""
        return {column: float(part["words"].sum()) for column, part in self.parts.items()}


def _bars(tables: Tables, x: str) -> list[Bar]:
    """Return a bar for each protocol, and each value of `x`, with a part for each adversary: they are not averaged."""
    from simulator.results.read import GAME, lines, said

    found = []
    for line in lines(tables.trials, x, apart=("adversary",)):
        by = (["result"] if tables.several else []) + ([x] if x else [])
        groups = line.games.groupby(by, sort=True) if by else [((), line.games)]
        for values, games in groups:
            parts = {}
            for adversary, those in games.groupby("adversary", sort=False):
                mine = tables.kinds.merge(those[list(GAME)], on=list(GAME))
                words = mine.groupby(["kind", "direction"], as_index=False, sort=False)["words"].sum()
                words["words"] = words["words"] / len(those)
                if (words["words"] > 0).any():
                    parts[str(adversary)] = words[words["words"] > 0]
            if parts:
                place = [said(key, value) if key == x else str(value) for key, value in zip(by, values, strict=True)]
                found.append(Bar(line.label, ", ".join(place), parts))
    if not found:
        raise ValueError("a breakdown figure needs messages; these games sent none")
    return found


def _merged(bars: list[Bar]) -> list[Bar]:
    """Return the bars with those of one line put together whose shares are the same at all of its places."""
    kept: list[Bar] = []
    for line in dict.fromkeys(bar.line for bar in bars):
        mine = [bar for bar in bars if bar.line == line]
        shares = [_shares(bar) for bar in mine]
        keys = {key for one in shares for key in one}
        alike = all(
            max(one.get(key, 0) for one in shares) - min(one.get(key, 0) for one in shares) <= _SAME for key in keys
        )
        if len(mine) > 1 and alike:
            totals = tuple(total for bar in mine for total in bar.totals.values())
            kept.append(Bar(line, f"{len(mine)} places", mine[0].parts, totals))
        else:
            kept += mine
    return kept


def _shares(bar: Bar) -> dict[tuple[str, str], float]:
    """Return the share of each kind and direction in a bar of one column."""
    (part,), (total,) = bar.parts.values(), bar.totals.values()
    return {(str(row["kind"]), str(row["direction"])): float(row["words"]) / total for _, row in part.iterrows()}


def _largest(part: pd.DataFrame) -> tuple[str, float]:
    """Return the kind of message that costs most, and its share."""
    words = part.groupby("kind")["words"].sum()
    return str(words.idxmax()), float(words.max() / words.sum())


def _draw_column(axes: Axes, bars: list[Bar], column: str, looks: dict[Any, Any], longest: float, shares: bool) -> None:
    """Draw the bars of one column with the totals beside them."""
    from simulator.plots.style import INK
    from simulator.results.formats import short

    for row, bar in enumerate(bars):
        if column not in bar.parts:
            continue
        total = bar.totals[column]
        _draw_bar(axes, row, bar.parts[column], total if shares else 1.0, looks)
        text = f"{min(bar.merged):,.0f} … {max(bar.merged):,.0f}" if bar.merged else f"{total:,.0f}"
        end = (1.0 if shares else total) + longest * 0.012
        axes.text(end, row, text, va="center", size=8.5, color=INK, gid="total")
    axes.set_xlim(0, longest * (1.28 if any(bar.merged for bar in bars) else 1.13))
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}" if shares else short(value) if value else "0")
    if shares:
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1.0])
    axes.set_xlabel("share of the words" if shares else "words")


def _kinds_in_order(bars: list[pd.DataFrame]) -> list[tuple[str, str]]:
    """Return the kinds with their direction, those towards the server first, the costliest first."""
    import pandas as pd

    total = pd.concat(bars).groupby(["kind", "direction"], sort=False)["words"].sum().reset_index()
    total = total.sort_values(["direction", "words", "kind"], ascending=[False, False, True])
    return [(str(kind), str(direction)) for kind, direction in zip(total["kind"], total["direction"], strict=True)]


def _looks(order: list[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return how each kind and direction is drawn, in the common order."""
    strangers = [kind for kind in dict.fromkeys(kind for kind, _ in order) if kind not in COLOURS]
    spare = {kind: SPARE[place % len(SPARE)] for place, kind in enumerate(strangers)}
    down = [kind for kind, direction in order if direction == "down"]
    return {
        (kind, direction): {
            "facecolor": (colour := COLOURS.get(kind) or spare[kind]),
            "hatch": _DOWN_HATCHES[down.index(kind) % len(_DOWN_HATCHES)] if direction == "down" else "",
            "edgecolor": "white" if lightness(colour) < 0.6 else "#555555",
            "linewidth": 0.6,
        }
        for kind, direction in order
    }


def lightness(colour: str) -> float:
    """Return how light a colour is in a grey print, from 0 for black to 1 for white."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue


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
