"""The `size` figure: the largest error over the family, beside the size of the data set, in the course of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from simulator.plots.base import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.plots.labels import EndLabel
    from simulator.results.read import Line, Tables


@dataclass(frozen=True, kw_only=True)
class SizeOverTime(Plot):
    """Error and size in the course of games on data sets: a line per mechanism, a column per adversary.

    The first game of each point is shown. Where errors lie above the dashed size, answers of 0 would be better.
    """

    kind: ClassVar[str] = "size"
    says: ClassVar[str] = "error of the answers beside the size of the data set, in the course of a game"

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.labels import label_ends
        from simulator.plots.style import new_figure
        from simulator.plots.sweep import panels
        from simulator.results.fixed import fixed
        from simulator.results.read import lines

        on_data = {"late_error", "_late_error"} & set(tables.trials.columns)
        if not on_data or tables.series.empty or tables.series["rel_error"].isna().all():
            raise ValueError("a size figure needs the timelines of games on data sets; series.csv has none of them")
        drawn = [(title, lines(games, apart=("adversary",))) for title, games in panels(tables)]
        kinds = tuple(dict.fromkeys(tables.trials["protocol"]))
        note = "The first game of each point, at about 200 checkpoints. Dashed: items in the data set."
        figure = new_figure(3.9, self.title or tables.title, fixed(tables), note)
        axes = figure.subplots(1, len(drawn), sharex=True, sharey=True, squeeze=False)[0]
        labels: list[EndLabel] = []
        for one, (title, found) in zip(axes, drawn, strict=True):
            one.set_title(title if len(drawn) > 1 else "")
            labels += _draw(one, found, tables, kinds, named=one is axes[-1])
            one.set_xlabel("steps")
        axes[0].set_ylabel("largest error over the family, in items")
        _scale(axes)
        label_ends(figure, labels)
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.plots.sweep import panels
        from simulator.results.fixed import fixed
        from simulator.results.read import lines

        drawn = [(title, lines(games, apart=("adversary",))) for title, games in panels(tables)]
        seen = " ".join(_told(title, found, len(drawn)) for title, found in drawn)
        return (
            "Largest error over the family of queries, in items, against steps, in the first game of a point; dashed: "
            f"items in the data set, above which answers of 0 would be better. Fixed: {fixed(tables)}. {seen}"
        )


def _told(title: str, found: list[Line], panels: int) -> str:
    """Return what there is to see in a panel."""
    head = f"{title[:1].upper()}{title[1:]}" if panels > 1 else "Over the games"
    return f"{head}, in the second half at most, at the median: {'; '.join(map(_late, found))}."


def _late(line: Line) -> str:
    """Return what the games of a line err by, and what answers of 0 would."""
    from simulator.results.formats import number

    column = "late_error" if "late_error" in line.games else "_late_error"
    zero = column.replace("error", "zero")
    errs = f"{line.label} errs by {number(float(line.games[column].median()))}"
    return f"{errs}, answers of 0 by {number(float(line.games[zero].median()))}" if zero in line.games else errs


def _draw(axes: Axes, found: list[Line], tables: Tables, kinds: tuple[str, ...], *, named: bool) -> list[EndLabel]:
    """Draw the lines of one adversary; return their labels."""
    from simulator.plots.labels import EndLabel
    from simulator.plots.style import DASHES, QUIET, ink, mark

    labels = []
    for place, line in enumerate(found):
        timeline = _first_game(line.games, tables)
        if place == 0:
            look: dict[str, Any] = {"color": "#888888", "linestyle": (0, (4, 2)), "linewidth": 1.2}
            axes.plot(timeline["step"], timeline["items"], label="items", **look)
            if named:
                end = timeline.iloc[-1]
                labels.append(EndLabel(axes, float(end["step"]), max(1.0, float(end["items"])), "items", QUIET))
        errors = (timeline["rel_error"] * timeline["items"].clip(lower=1)).clip(lower=0.5)
        colour = mark(line.protocol, kinds).colour
        dashes = DASHES[line.order % len(DASHES)]
        axes.plot(timeline["step"], errors, color=colour, linestyle=dashes, linewidth=1.4, label=line.label)
        if named:
            last = float(timeline["step"].iloc[-1]), float(errors.iloc[-1])
            labels.append(EndLabel(axes, *last, line.label, ink(colour)))
    return labels


def _first_game(games: pd.DataFrame, tables: Tables) -> pd.DataFrame:
    """Return the timeline of the first of these games."""
    return tables.timeline(games.sort_values(["point", "trial"]).iloc[0]).sort_values("step")


def _scale(axes: Any) -> None:
    """Give all panels a logarithmic axis of errors, from where it is reached by more than a moment, and plain steps."""
    import numpy as np
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    from simulator.results.formats import short

    heights = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for one in axes for line in one.lines])
    axes[0].set_yscale("log")
    axes[0].set_ylim(bottom=10.0 ** np.floor(np.log10(max(1.0, float(np.quantile(heights, 0.03))))))
    axes[0].yaxis.set_major_locator(LogLocator(10, numticks=9))
    axes[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
    axes[0].yaxis.set_minor_formatter(NullFormatter())
    for one in axes:
        one.set_xlim(left=0)
        one.xaxis.set_major_locator(MaxNLocator(4 if len(axes) > 1 else 7))
        one.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value) if value else "0"))
