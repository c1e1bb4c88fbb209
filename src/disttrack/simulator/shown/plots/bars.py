"""The `breakdown` figure: words by kind of message."""

from __future__ import annotations

from math import ceil
from typing import Final

import numpy as np

from disttrack.simulator.experiments.results.lines import lines
from disttrack.simulator.experiments.results.read import GAME, Tables
from disttrack.simulator.game.columns import ADVERSARY
from disttrack.simulator.kinds.names import count, with_name
from disttrack.simulator.shown.plots.base import LETTER, WIDTH, page
from disttrack.simulator.shown.plots.description import Axis, Bars, Description, Fill, Item, Panel, Words, rounded
from disttrack.simulator.shown.plots.kinds import Breakdown
from disttrack.simulator.shown.plots.marks import lightness

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
_DOWN_HATCHES: Final = ("////", "\\\\\\\\", "xxxx", "....")
"""Hatches of messages from the server, by order: neighbours keep apart in a grey print too."""
_NARROWEST: Final = 0.9
"""Width of a panel of bars in inches below which further ones are in a row of their own."""
_BREAKDOWN_NOTE: Final = "Numbers: mean words of a game. Plain: to the server. Hatched: to the sites."

Part = tuple[str, str]
"""A kind of message and its direction, up or down."""
Bar = dict[Part, float]
"""Mean words of each kind of message and direction."""


def breakdown(plot: Breakdown, tables: Tables) -> Description:
    """Return a `breakdown` figure."""
    if tables.kinds.empty:
        raise ValueError("kinds.csv is empty")
    bars = _bars(tables, plot.x)
    columns = list(dict.fromkeys(adversary for _, adversary in bars))
    names = list(dict.fromkeys(name for name, _ in bars))
    looks = _looks(list(bars.values()))
    several = len(columns) > 1
    room = (page().width or WIDTH) - LETTER * max(map(len, names))
    beside = min(len(columns), max(1, int(room / _NARROWEST)))
    x = Axis("share of the words", ends=(0, 1.28), ticks=(0, 0.5, 1.0), text=lambda value: f"{value:.0%}")
    panels = [
        Panel(_bar_items({names.index(name): bar for (name, against), bar in bars.items() if against == column}, looks),
              x, Axis(names=names), f"against {column}" if several else "")
        for column in columns
    ]  # fmt: skip
    seen = []
    for (name, adversary), bar in bars.items():
        (kind, _), most = max(bar.items(), key=lambda part: part[1])
        total = sum(bar.values())
        against = f" against {adversary}" if several else ""
        seen.append(f"{name}{against}: {count(total, 'word', rounded)}, {most / total:.0%} of them {kind}")
    more = f"; {len(seen) - 10} more" if len(seen) > 10 else ""
    height = (0.75 + 0.34 * len(names) + 0.2 * several) * ceil(len(columns) / beside)
    return Description(
        panels, beside, height, "Words by kind of message",
        note=_BREAKDOWN_NOTE,
        caption=f"Mean words by kind of message: {'; '.join(seen[:10])}{more}.",
        legend=[(look, kind) for (kind, _), look in looks.items()],
    )  # fmt: skip


def _bars(tables: Tables, x: str) -> dict[tuple[str, str], Bar]:
    """Return a bar for each protocol with its place on the axis `x` and each adversary."""
    bars = {}
    by = [x] * bool(x) + [ADVERSARY]
    every = tables.kinds
    places_of = every.groupby(list(GAME), sort=False).indices
    for line in lines(tables.trials, x):
        for values, games in line.games.groupby(by, sort=False):
            played = games[list(GAME)].itertuples(index=False, name=None)
            mine = every.iloc[sorted(place for game in played for place in places_of.get(game, ()))]
            sums = mine[mine["words"] > 0].groupby(["kind", "direction"], sort=False)["words"].sum()
            places = [with_name(key, value) if key == x else str(value) for key, value in zip(by, values, strict=True)]
            if len(sums):
                name = ", ".join([line.label, *places[:-1]])
                means = (sums / len(games)).reset_index().itertuples(index=False)
                bars[name, places[-1]] = {(str(kind), str(way)): float(words) for kind, way, words in means}
    if not bars:
        raise ValueError("no messages")
    return bars


def _looks(bars: list[Bar]) -> dict[Part, Fill]:
    """Return the look of each kind and direction: those towards the server first, the costliest first."""
    words = {key: sum(bar.get(key, 0.0) for bar in bars) for key in {key for bar in bars for key in bar}}
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


def _bar_items(bars: dict[int, Bar], looks: dict[Part, Fill]) -> list[Item]:
    """Return the bars of one adversary by row, their parts in the common order, with the totals beside them."""
    items: list[Item] = []
    rows, totals = np.array(list(bars)), np.array([sum(bar.values()) for bar in bars.values()])
    left = np.zeros(len(rows))
    for key, look in looks.items():
        with np.errstate(invalid="ignore"):  # a bar without words, or of infinitely many, has no parts
            width = np.array([bar.get(key, 0.0) for bar in bars.values()]) / totals
        there = width > 0
        name = f"{key[0]}, {'to the server' if key[1] == 'up' else 'to the sites'}"
        items.append(Bars(name, left[there], width[there], rows[there], look))
        left = left + width
    return [*items, *(Words(1.015, row, f"{total:,.0f}", size=8.5) for row, total in zip(rows, totals, strict=True))]
