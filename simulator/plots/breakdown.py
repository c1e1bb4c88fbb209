"""The `breakdown` figure: words by kind of message, a bar per protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from disttrack.simulator.plots.description import Axis, Bars, Description, Fill, Item, Panel, Words
from disttrack.simulator.plots.kinds import Breakdown
from disttrack.simulator.plots.sentences import rounded
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.formats import short
from disttrack.simulator.results.read import GAME, Tables, lines, said

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

Part = tuple[str, str]
"""A kind of message and its direction, up or down."""


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
    parts: dict[str, dict[Part, float]]
    merged: tuple[float, ...] = ()

    @property
    def label(self) -> str:
        """Return what stands beside it."""
        return ", ".join(part for part in (self.line, self.place) if part)

    @property
    def totals(self) -> dict[str, float]:
        """Return the mean words of a game, by adversary."""
        return {column: sum(part.values()) for column, part in self.parts.items()}


def describe(plot: Breakdown, tables: Tables) -> Description:
    """Return the figure."""
    if tables.kinds.empty:
        raise ValueError("a breakdown figure needs kinds.csv, which is missing or empty")
    bars = _bars(tables, plot.x)
    columns = list(dict.fromkeys(column for bar in bars for column in bar.parts))
    totals = [total for bar in bars for total in bar.totals.values()]
    shares = max(totals) > _SHARES_FROM * max(1.0, min(totals))
    bars = _merged(bars) if shares and len(columns) == 1 else bars
    looks = _looks(bars)
    longest = 1.0 if shares else max(total for bar in bars for total in bar.totals.values())
    wide = longest * (1.28 if any(bar.merged for bar in bars) else 1.13)
    quarters = [0, 0.25, 0.5, 0.75, 1.0] if shares else None

    def text(value: float) -> str:
        return f"{value:.0%}" if shares else short(value) if value else "0"

    x = Axis("share of the words" if shares else "words", ends=(0, wide), ticks=quarters, text=text)
    y = Axis(names=[bar.label for bar in bars])
    made = [
        Panel(_column(bars, column, looks, longest, shares), x, y, f"against {column}" if len(columns) > 1 else "")
        for column in columns
    ]
    note = "Mean over the games of each bar. Plain: from sites to server. Hatched: from server to sites."
    if shares:
        note += " The bars show shares, since the totals beside them differ too much for one scale."
    if any(bar.merged for bar in bars):
        note += " A bar with two totals stands for several places with the same shares."
    return Description(
        made, len(columns), 0.75 + 0.34 * len(bars) + 0.2 * (len(columns) > 1), plot.title or tables.title,
        fixed(tables, plot.x), note, _caption(plot, tables, bars, columns, shares),
        [(look, kind) for (kind, _), look in looks.items()],
    )  # fmt: skip


def _caption(plot: Breakdown, tables: Tables, bars: list[Bar], columns: list[str], shares: bool) -> str:
    seen = []
    for bar in bars if len(bars) * len(columns) <= 10 else [bars[0], bars[-1]]:
        for column, part in bar.parts.items():
            kind, share = _largest(part)
            against = f" against {column}" if len(columns) > 1 else ""
            seen.append(f"{bar.label}{against}: {rounded(bar.totals[column])} words, {share:.0%} of them {kind}")
    what = "Shares of the words" if shares else "Words"
    split = ", a column per adversary" if len(columns) > 1 else ""
    return (
        f"{what} by kind of message, on average over games, a bar per protocol{split}; plain: to the server, "
        f"hatched: to the sites. Fixed: {fixed(tables, plot.x)}. {'; '.join(seen)}."
    )


def _bars(tables: Tables, x: str) -> list[Bar]:
    """Return a bar for each protocol, and each value of `x`, with a part for each adversary: they are not averaged."""
    found = []
    for line in lines(tables.trials, x, apart=("adversary",)):
        by = (["result"] if tables.several else []) + ([x] if x else [])
        groups = line.games.groupby(by, sort=True) if by else [((), line.games)]
        for values, games in groups:
            parts = {}
            for adversary, those in games.groupby("adversary", sort=False):
                mine = tables.kinds.merge(those[list(GAME)], on=list(GAME))
                sums = mine[mine["words"] > 0].groupby(["kind", "direction"], sort=False)["words"].sum()
                means = (sums / len(those)).reset_index().itertuples(index=False)
                if len(sums):
                    parts[str(adversary)] = {(str(kind), str(way)): float(words) for kind, way, words in means}
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
        parts = [part for bar in mine for part in bar.parts.values()]
        shares = [{key: words / sum(part.values()) for key, words in part.items()} for part in parts]
        each = [[one.get(key, 0) for one in shares] for key in {key for one in shares for key in one}]
        if len(mine) > 1 and all(max(one) - min(one) <= _SAME for one in each):
            totals = tuple(total for bar in mine for total in bar.totals.values())
            kept.append(Bar(line, f"{len(mine)} places", mine[0].parts, totals))
        else:
            kept += mine
    return kept


def _largest(part: dict[Part, float]) -> tuple[str, float]:
    """Return the kind of message that costs most, and its share."""
    words = pd.Series(part).groupby(level=0).sum()
    return str(words.idxmax()), float(words.max() / words.sum())


def _looks(bars: list[Bar]) -> dict[Part, Fill]:
    """Return how each kind and direction is drawn: those towards the server first, the costliest first."""
    words: dict[Part, float] = {}
    for bar in bars:
        for part in bar.parts.values():
            for key, each in part.items():
                words[key] = words.get(key, 0.0) + each
    order = sorted(words, key=lambda key: (key[1] == "down", -words[key], key[0]))
    strangers = [kind for kind in dict.fromkeys(kind for kind, _ in order) if kind not in COLOURS]
    colours = COLOURS | {kind: SPARE[place % len(SPARE)] for place, kind in enumerate(strangers)}
    down = [kind for kind, direction in order if direction == "down"]
    looks = {}
    for kind, direction in order:
        colour = colours[kind]
        hatch = _DOWN_HATCHES[down.index(kind) % len(_DOWN_HATCHES)] if direction == "down" else ""
        looks[kind, direction] = Fill(colour, 1.0, hatch, "white" if lightness(colour) < 0.6 else "#555555", 0.6)
    return looks


def lightness(colour: str) -> float:
    """Return how light a colour is in a grey print, from 0 for black to 1 for white.

    >>> round(lightness("#FFFFFF"), 9), lightness("#000000")
    (1.0, 0.0)
    """
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def _column(bars: list[Bar], column: str, looks: dict[Part, Fill], longest: float, shares: bool) -> list[Item]:
    """Return the bars of one adversary, their parts in the common order, with the totals beside them."""
    items: list[Item] = []
    there = [(row, bar) for row, bar in enumerate(bars) if column in bar.parts]
    unit = np.array([bar.totals[column] if shares else 1.0 for _, bar in there])
    at, left = [row for row, _ in there], np.zeros(len(there))
    for key, look in looks.items():
        width = np.array([bar.parts[column].get(key, 0.0) for _, bar in there]) / unit
        if (some := width > 0).any():
            name = f"{key[0]}, {'to the server' if key[1] == 'up' else 'to the sites'}"
            items.append(Bars(name, left[some], width[some], np.array(at)[some], look))
        left = left + width
    for row, bar in there:
        total = bar.totals[column]
        text = f"{min(bar.merged):,.0f} … {max(bar.merged):,.0f}" if bar.merged else f"{total:,.0f}"
        items.append(Words((1.0 if shares else total) + longest * 0.012, row, text, size=8.5))
    return items
