"""The `frontier` figure: the largest error against words, with the border between right and wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from simulator.plots.base import Plot
from simulator.plots.error import FLOOR, FLOOR_NOTE, border_note, shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from simulator.plots.style import Legend
    from simulator.results.read import Line, Tables

_TICKS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000)


@dataclass(frozen=True, kw_only=True)
class Frontier(Plot):
    """The largest error, in units of alpha, against words: a dot per game, a mark per median of a point."""

    kind: ClassVar[str] = "frontier"
    says: ClassVar[str] = "the largest error against words, a mark per protocol and adversary"

    def draw(self, tables: Tables) -> Figure:
        import pandas as pd

        from simulator.plots.style import new_figure
        from simulator.plots.sweep import axis_label
        from simulator.results.fixed import fixed
        from simulator.results.read import lines, swept_axes

        trials = tables.trials.assign(_error=shown(tables.trials))
        trials = trials[trials["_error"].notna()]
        if trials.empty:
            raise ValueError("a frontier figure needs games of protocols that promise an accuracy alpha")
        kinds = tuple(dict.fromkeys(trials["protocol"]))
        trials = trials.assign(adversary=_grouped(tables, trials))
        adversaries = list(dict.fromkeys(trials["adversary"]))
        axis = next((axis for axis in swept_axes(trials) if pd.api.types.is_numeric_dtype(trials[axis])), "")
        results = list(tables.scenarios)
        drawn = {result: lines(trials[trials["result"] == result], axis) for result in results}
        note = "Dots: games. Marks: medians of each point. Lower is more accurate, further left is cheaper."
        all_lines = [line for part in drawn.values() for line in part]
        if axis and max(line.games.groupby("adversary")[axis].nunique().max() for line in all_lines) > 1:
            note += f" A line joins the points of one protocol and adversary in the order of {axis_label(axis)}."
        if (trials["_error"] <= FLOOR).any():
            note += FLOOR_NOTE
        legends = _legends(all_lines, kinds, adversaries)
        figure = new_figure(4.2, self.title or tables.title, fixed(tables), note, legends=legends)
        made = figure.subplots(1, len(results), sharex=True, sharey=True, squeeze=False)
        for one, result in zip(made.flat, results, strict=True):
            one.set_title(result if tables.several else "")
            for line in drawn[result]:
                for adversary, games in line.games.groupby("adversary", sort=False):
                    _draw_group(one, games, axis, line, kinds, adversaries.index(adversary))
            one.set_xlabel("words")
        made.flat[0].set_ylabel("largest error, in units of α")
        _scales(list(made.flat), trials)
        return figure


def _grouped(tables: Tables, trials: pd.DataFrame) -> list[str]:
    """Return the adversary of each game, or only whether it reacts if there are more of them than fillings."""
    from simulator.plots.style import FILLS
    from simulator.plots.theory import reacts

    if trials["adversary"].nunique() <= len(FILLS):
        return [str(adversary) for adversary in trials["adversary"]]
    reacting: dict[tuple[str, int], bool] = {}
    for result, points in tables.points.items():
        for number, point in points.items():
            reacting[result, number] = reacts(point)
    keys = zip(trials["result"], trials["point"], strict=True)
    return ["reacts to the outputs" if reacting.get(key, True) else "does not react" for key in keys]


def _draw_group(axes: Axes, games: pd.DataFrame, axis: str, line: Line, kinds: tuple[str, ...], adversary: int) -> None:
    """Draw the games of one line against one adversary: dots, medians, their path along the axis."""
    from simulator.plots.style import mark

    look = mark(line.protocol, kinds)
    name = f"{line.label}, {games['adversary'].iloc[0]}"
    dots: dict[str, Any] = {
        "label": name,
        "marker": ".",
        "markersize": 4,
        "markeredgewidth": 0,
        "alpha": 0.5,
        "linestyle": "",
    }
    axes.plot(games["words"], games["_error"], color=look.colour, zorder=2, gid="game", **dots)
    middle = games.groupby("point")[["words", "_error", *([axis] if axis else [])]].median()
    middle = middle.sort_values(axis, kind="stable") if axis else middle
    joined = bool(axis) and middle[axis].is_unique
    axes.plot(
        middle["words"], middle["_error"], color=look.colour, linewidth=0.8, alpha=0.9, marker=look.marker,
        linestyle="-" if joined else "", zorder=3, gid="median", label=name,
        **_filling(adversary, look.colour, line.order),
    )  # fmt: skip


def _scales(all_axes: list[Axes], trials: pd.DataFrame) -> None:
    """Set logarithmic scales and draw the border at which a game fails."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

    from simulator.plots.style import BORDER
    from simulator.results.formats import short

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


def _legends(drawn: list[Line], kinds: tuple[str, ...], adversaries: list[str]) -> list[Legend]:
    """Return the legends: protocols by colour and marker, adversaries by the filling."""
    from matplotlib.lines import Line2D

    from simulator.plots.style import QUIET, Legend, mark

    protocols: dict[str, Line2D] = {}
    for line in drawn:
        look = mark(line.protocol, kinds)
        handle = Line2D(
            [], [], color=look.colour, marker=look.marker, linestyle="", **_filling(0, look.colour, line.order)
        )
        protocols.setdefault(line.label, handle)
    fills = [
        (Line2D([], [], linestyle="", marker="o", color=QUIET, **_filling(place, QUIET, 0)), adversary)
        for place, adversary in enumerate(adversaries)
    ]
    return [
        Legend("protocol", [(handle, label) for label, handle in protocols.items()]),
        Legend("adversary", fills if len(fills) > 1 else []),
    ]


def _filling(place: int, colour: str, order: int) -> dict[str, Any]:
    """Return how marks are drawn: filled by adversary, smaller for further variants of a protocol."""
    from simulator.plots.style import FILLS

    fill = FILLS[place % len(FILLS)]
    return {
        "fillstyle": fill,
        "markerfacecolor": "white" if fill == "none" else colour,
        "markerfacecoloralt": "white",
        "markersize": 7 if order == 0 else 4.5,
        "markeredgewidth": 1.2,
    }
