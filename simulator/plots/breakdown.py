"""The `breakdown` figure: words by kind of message, a bar a protocol."""

from __future__ import annotations

from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from simulator.plots.kinds import PlotRequest
from simulator.plots.style import INK, Legend, new_figure, short
from simulator.plots.tables import GAME, Tables, fixed, lines, name

_COLOURS: Final = (
    "#0072B2",
    "#E69F00",
    "#56B4E9",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#999999",
    "#F0E442",
    "#444444",
)
_SHARES_FROM: Final = 40.0
"""From this ratio of the longest bar to the shortest on, bars show shares: short ones could not be read."""
_DOWN_HATCH: Final = "////"


def draw_breakdown(tables: Tables, request: PlotRequest) -> Figure:
    """Return the words of each kind of message, in the mean over the games of a bar."""
    if tables.kinds.empty:
        raise ValueError("a breakdown figure needs kinds.csv, which is missing or empty")
    bars = _bars(tables, request.x)
    totals = [float(bar["words"].sum()) for _, bar in bars]
    shares = max(totals) > _SHARES_FROM * max(1.0, min(totals))
    order = _kinds_in_order([bar for _, bar in bars])
    note = "Mean over the games of a bar. Plain: sites to server. Hatched: server to sites."
    if shares:
        note += " The bars show shares, for the totals beside them differ too much for one scale."
    parts = [
        Patch(facecolor=_COLOURS[place % len(_COLOURS)], hatch=_DOWN_HATCH if direction == "down" else "",
              edgecolor="white", linewidth=0)
        for place, (_, direction) in enumerate(order)
    ]  # fmt: skip
    legend = Legend("", [(part, kind) for part, (kind, _) in zip(parts, order, strict=True)])
    figure = new_figure(
        0.75 + 0.34 * len(bars), request.title or tables.title, fixed(tables.trials), note, legends=[legend]
    )
    axes = figure.subplots()
    longest = 1.0 if shares else max(totals)
    for row, ((_, bar), total) in enumerate(zip(bars, totals, strict=True)):
        _draw_bar(axes, row, bar, total if shares else 1.0, order)
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
            said = [f"{name(key)} {value:,}" if key == x and isinstance(value, int) else str(value)
                    for key, value in zip(by, values, strict=True)]  # fmt: skip
            found.append((", ".join([line.label, *said]), words[words["words"] > 0]))
    if not found:
        raise ValueError("a breakdown figure needs messages; these games sent none")
    return found


def _kinds_in_order(bars: list[pd.DataFrame]) -> list[tuple[str, str]]:
    """Return the kinds with their direction, those towards the server first, the costliest first."""
    total = pd.concat(bars).groupby(["kind", "direction"], sort=False)["words"].sum().reset_index()
    total = total.sort_values(["direction", "words", "kind"], ascending=[False, False, True])
    return [(str(kind), str(direction)) for kind, direction in zip(total["kind"], total["direction"], strict=True)]


def _draw_bar(axes: Axes, row: int, bar: pd.DataFrame, unit: float, order: list[tuple[str, str]]) -> None:
    """Draw one bar, its parts in the common order."""
    words = {(str(part["kind"]), str(part["direction"])): float(part["words"]) for _, part in bar.iterrows()}
    left = 0.0
    for place, key in enumerate(order):
        if key not in words:
            continue
        length = words[key] / unit
        axes.barh(row, length, left=left, height=0.68, color=_COLOURS[place % len(_COLOURS)], linewidth=0,
                  hatch=_DOWN_HATCH if key[1] == "down" else "", edgecolor="white")  # fmt: skip
        left += length
