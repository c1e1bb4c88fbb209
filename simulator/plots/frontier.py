"""The `frontier` figure: the largest error against words, with the border between right and wrong."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from simulator.plots.error import FLOOR, FLOOR_NOTE, border_note, shown
from simulator.plots.kinds import PlotRequest
from simulator.plots.style import BORDER, FILLS, QUIET, Legend, Mark, mark, new_figure, short
from simulator.plots.sweep import axis_label, place
from simulator.plots.tables import Tables, fixed, lines, swept_axes

_TICKS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000)


def draw_frontier(tables: Tables, request: PlotRequest) -> Figure:
    """Return the largest error, in units of alpha, against words: a dot a game, a mark a point's median."""
    trials = tables.trials.assign(_error=shown(tables.trials))
    trials = trials[trials["_error"].notna()]
    if trials.empty:
        raise ValueError("a frontier figure needs games of protocols that promise an accuracy alpha")
    kinds = tuple(dict.fromkeys(trials["protocol"]))
    adversaries = list(dict.fromkeys(trials["adversary"]))
    axis = next(iter(swept_axes(trials)), "")
    note = "Dots: games. Marks: medians of a point. Lower is more accurate, further left is cheaper."
    if axis:
        note += f" A line joins the points of one protocol and adversary in the order of {axis_label(axis)}."
    if (trials["_error"] <= FLOOR).any():
        note += FLOOR_NOTE
    results = list(tables.scenarios)
    figure = new_figure(4.2, request.title or tables.title, fixed(trials), note, legends=_legends(kinds, adversaries))
    made = figure.subplots(1, len(results), sharex=True, sharey=True, squeeze=False)
    for one, result in zip(made.flat, results, strict=True):
        one.set_title(result if tables.several else "")
        for line in lines(trials[trials["result"] == result], axis):
            look = mark(line.protocol, kinds)
            for adversary, games in line.games.groupby("adversary", sort=False):
                _draw_group(one, games, axis, look, adversaries.index(adversary))
        one.set_xlabel("words")
    made.flat[0].set_ylabel("largest error, in units of α")
    _scales(list(made.flat), trials)
    return figure


def _draw_group(axes: Axes, games: pd.DataFrame, axis: str, look: Mark, adversary: int) -> None:
    """Draw the games of one protocol against one adversary: dots, medians, their path along the axis."""
    dots: dict[str, Any] = {
        "marker": ".",
        "markersize": 4,
        "markeredgewidth": 0,
        "alpha": 0.5,
        "linestyle": "",
    }
    axes.plot(games["words"], games["_error"], color=look.colour, zorder=2, gid="game", **dots)
    order = place(games, axis) if axis else pd.Series(0.0, index=games.index)
    middle = games.groupby(order)[["words", "_error"]].median()
    axes.plot(
        middle["words"], middle["_error"], color=look.colour, linewidth=0.8, alpha=0.9, marker=look.marker,
        zorder=3, gid="median", **_filling(adversary, look.colour),
    )  # fmt: skip


def _scales(all_axes: list[Axes], trials: pd.DataFrame) -> None:
    """Set logarithmic scales and draw the border at which a game fails."""
    low = min(0.5, float(trials["_error"].min())) / 1.3
    high = max(1.7, float(trials["_error"].max()) * 1.4)
    for place_of, axes in enumerate(all_axes):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        left, right = float(trials["words"].min()), float(trials["words"].max())
        axes.set_xlim(left / 1.3, max(right * 1.3, left * 10))
        axes.yaxis.set_major_locator(FixedLocator([tick for tick in _TICKS if low <= tick <= high]))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
        between = (1.0, 2.0, 5.0) if right < 40 * left else (1.0,)
        axes.xaxis.set_major_locator(LogLocator(10, subs=between, numticks=8))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
        axes.axhspan(1, high, color="#000000", alpha=0.05, linewidth=0, zorder=0)
        axes.axhline(1, color=BORDER, linewidth=1.0, zorder=1)
        if not place_of:
            border_note(axes)


def _legends(kinds: tuple[str, ...], adversaries: list[str]) -> list[Legend]:
    """Return the legends: protocols by colour and marker, adversaries by the filling."""
    looks = [mark(kind, kinds) for kind in kinds]
    protocols = [
        (Line2D([], [], color=look.colour, marker=look.marker, linestyle="", markersize=7), kind)
        for look, kind in zip(looks, kinds, strict=True)
    ]
    fills = [
        (Line2D([], [], linestyle="", marker="o", color=QUIET, **_filling(place, QUIET)), adversary)
        for place, adversary in enumerate(adversaries)
    ]
    return [Legend("protocol", protocols), Legend("adversary", fills if len(fills) > 1 else [])]


def _filling(place: int, colour: str) -> dict[str, Any]:
    """Return how the marks of one adversary are filled."""
    fill = FILLS[place % len(FILLS)]
    return {
        "fillstyle": fill,
        "markerfacecolor": "white" if fill == "none" else colour,
        "markerfacecoloralt": "white",
        "markersize": 7,
        "markeredgewidth": 1.2,
    }
