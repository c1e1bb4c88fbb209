"""The `frontier` figure: the largest error against words, with the border between right and wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Final

from simulator.plots.base import Plot
from simulator.plots.error import FLOOR, FLOOR_NOTE, border_note, error_over_alpha, scale_errors

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.plots.edges import Edges
    from simulator.plots.style import Legend
    from simulator.results.read import Line, Tables

_FEW: Final = 3
"""Up to so many adversaries have a panel each; of more, the protocols have."""
_ELSEWHERE: Final = "#C4C4C4"
"""Colour of the marks of other panels."""


@dataclass(frozen=True, kw_only=True)
class Frontier(Plot):
    """The largest error against words: a dot per game, a mark per median of a point and adversary.

    Errors are in units of alpha. Where alpha differs they are relative errors, beside the accuracies that are promised.
    """

    kind: ClassVar[str] = "frontier"
    says: ClassVar[str] = "the largest error against words, a mark per protocol and adversary"

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.edges import edges_of
        from simulator.plots.panels import shape
        from simulator.plots.style import new_figure
        from simulator.results.fixed import fixed
        from simulator.results.read import lines

        trials, one_alpha = _with_errors(tables)
        kinds = tuple(dict.fromkeys(trials["protocol"]))
        axis = _axis(trials)
        panels = _panels(tables, trials)
        all_lines = lines(trials, axis)
        rows, columns = shape(len(panels))
        note = _note(trials, axis, one_alpha, len(panels) > 1 and panels[0][1]["protocol"].nunique() == 1)
        figure = new_figure(
            4.2 if rows == 1 else 2.5 * rows, self.title or tables.title, fixed(tables, axis), note,
            legends=[_legend(all_lines, kinds)],
        )  # fmt: skip
        made = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        edges = edges_of(trials["_error"], FLOOR if one_alpha else 1e-9, 1.2 if one_alpha else 1e-9)
        for place, one in enumerate(made.flat):
            if place >= len(panels):
                one.set_visible(False)
                continue
            title, games = panels[place]
            one.set_title(title)
            _draw_panel(one, games, trials, axis, kinds, one_alpha, edges)
            if place + columns >= len(panels):
                one.set_xlabel("words")
                one.tick_params(labelbottom=True)
        for row in made:
            row[0].set_ylabel("largest error, in units of α" if one_alpha else "largest relative error")
        _scales(list(made.flat[: len(panels)]), trials, one_alpha, edges)
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.plots.edges import infinite_note
        from simulator.plots.matrix import mostly_failing
        from simulator.plots.telling import rounded
        from simulator.results.fixed import fixed

        trials, one_alpha = _with_errors(tables)
        what = "Largest relative error of each game" + (" in units of the promised α" if one_alpha else "")
        parts = []
        for protocol, games in trials.groupby("protocol", sort=False):
            failed = games[games["verdict"] == "failed"]
            against = "; ".join(mostly_failing(games))
            held = f"{len(games) - len(failed)} of {len(games)} games hold" + f" (fails against {against})" * bool(
                against
            )
            parts.append(f"{protocol}: {rounded(float(games['words'].median()))} words, {held}")
        more = ("" if one_alpha else " Dashes are the promised accuracies.") + infinite_note(trials["_error"])
        return (
            f"{what} against the words it sent; dots are games, marks medians of a point, hollow ones fail.{more} "
            f"Fixed: {fixed(tables)}. {'; '.join(parts)}."
        )


def _with_errors(tables: Tables) -> tuple[pd.DataFrame, bool]:
    """Return the games with their errors in the unit of the figure, and whether all of them promise the same."""
    trials = tables.trials[tables.trials["alpha"].astype(float) > 0]
    one_alpha = trials["alpha"].nunique() <= 1
    error = error_over_alpha(trials) if one_alpha else trials["max_rel_error"].astype(float)
    trials = trials.assign(_error=error)
    trials = trials[trials["_error"].notna()]
    if trials.empty:
        raise ValueError("a frontier figure needs games of protocols that promise an accuracy alpha")
    return trials, one_alpha


def _axis(trials: pd.DataFrame) -> str:
    """Return the swept axis along which a protocol's points are joined; empty for none."""
    import pandas as pd

    from simulator.results.read import swept_axes

    return next((axis for axis in swept_axes(trials) if pd.api.types.is_numeric_dtype(trials[axis])), "")


def _panels(tables: Tables, trials: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the games of each panel with its title: a panel per result, or per adversary, or per protocol."""
    if tables.several:
        return [(result, trials[trials["result"] == result]) for result in tables.scenarios]
    adversaries = trials["adversary"].nunique()
    if adversaries == 1:
        return [("", trials)]
    if adversaries <= _FEW:
        return [(f"against {name}", games) for name, games in trials.groupby("adversary", sort=False)]
    return [(_headed(str(name), games), games) for name, games in trials.groupby("protocol", sort=False)]


def _headed(protocol: str, games: pd.DataFrame) -> str:
    """Return the title of a protocol's panel: against how many adversaries it fails."""
    failing = games.groupby("adversary")["verdict"].agg(lambda verdicts: (verdicts == "failed").mean() >= 0.5)
    return (
        f"{protocol}: fails against {int(failing.sum())} of {len(failing)}" if failing.any() else f"{protocol}: holds"
    )


def _note(trials: pd.DataFrame, axis: str, one_alpha: bool, by_protocol: bool) -> str:
    """Return what marks and lines are."""
    from simulator.plots.edges import infinite_note
    from simulator.plots.sweep import axis_label
    from simulator.results.read import lines

    note = "Dots: games. Marks: medians of each point and adversary. Lower is more accurate, further left is cheaper."
    broken = trials.groupby(["result", "point"])["verdict"].agg(lambda verdicts: (verdicts == "failed").mean() >= 0.5)
    if broken.any():
        note += " Hollow marks: at least half of the games failed."
    if by_protocol:
        note += " Grey: the marks of the other panels."
    if axis and max(line.games.groupby("adversary")[axis].nunique().max() for line in lines(trials, axis)) > 1:
        note += f" A line joins the points of one protocol and adversary in the order of {axis_label(axis)}."
    if not one_alpha:
        note += " Dashes of a colour: the accuracy α that is promised at each mark; below them it is kept."
    if one_alpha and (trials["_error"] <= FLOOR).any():
        note += FLOOR_NOTE
    return note + infinite_note(trials["_error"])


def _draw_panel(
    axes: Axes,
    games: pd.DataFrame,
    all_games: pd.DataFrame,
    axis: str,
    kinds: tuple[str, ...],
    one_alpha: bool,
    edges: Edges,
) -> None:
    """Draw the games of one panel, with those of others in grey where the panel has one protocol of several."""
    from simulator.results.read import lines

    if games["protocol"].nunique() == 1 and all_games["protocol"].nunique() > 1:
        others = (
            all_games[~all_games.index.isin(games.index)].groupby(["result", "point"])[["words", "_error"]].median()
        )
        look: dict[str, Any] = {"marker": ".", "markersize": 5, "markeredgewidth": 0, "linestyle": ""}
        edges.plot(axes, others["words"], others["_error"], color=_ELSEWHERE, zorder=1.5, gid="elsewhere", **look)
    for line in lines(games, axis):
        for _, mine in line.games.groupby("adversary", sort=False):
            _draw_group(axes, mine, axis, line, kinds, one_alpha, edges)


def _draw_group(
    axes: Axes,
    games: pd.DataFrame,
    axis: str,
    line: Line,
    kinds: tuple[str, ...],
    one_alpha: bool,
    edges: Edges,
) -> None:
    """Draw the games of one line against one adversary: dots, medians, their path along the axis."""
    from simulator.plots.marks import mark

    look = mark(line.protocol, kinds)
    name = {"label": f"{line.label}, {games['adversary'].iloc[0]}"}
    dots: dict[str, Any] = {"marker": ".", "markersize": 4, "markeredgewidth": 0, "alpha": 0.5, "linestyle": "", **name}
    edges.plot(axes, games["words"], games["_error"], color=look.colour, zorder=2, gid="game", **dots)
    failed = games.assign(_failed=(games["verdict"] == "failed").astype(float)).groupby("point")["_failed"].mean()
    middle = games.groupby("point")[
        ["words", "_error", "alpha", *([axis] if axis and axis != "alpha" else [])]
    ].median()
    middle = middle.assign(_failed=failed)
    middle = middle.sort_values(axis, kind="stable") if axis else middle
    joined = bool(axis) and middle[axis].is_unique
    size: dict[str, Any] = {
        "color": look.colour,
        "marker": look.marker,
        "markersize": 7 if line.order == 0 else 4.5,
        **name,
    }
    edges.plot(
        axes,
        middle["words"],
        middle["_error"],
        linewidth=0.8,
        linestyle="-" if joined else "",
        zorder=3,
        gid="median",
        **size,
    )
    broken = middle[middle["_failed"] >= 0.5]
    hollow: dict[str, Any] = {"markerfacecolor": "white", "markeredgewidth": 1.4, "linestyle": ""}
    edges.plot(axes, broken["words"], broken["_error"], zorder=3.1, gid="failed", **size, **hollow)
    if one_alpha or edges.high < inf:
        edges.arrows(axes, middle["words"], middle["_error"], look.colour, **name)
    if not one_alpha:
        dashed: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (4, 2)), "zorder": 1.8}
        axes.plot(middle["words"], middle["alpha"], color=look.colour, gid="promised", **dashed)


def _scales(all_axes: Sequence[Axes], trials: pd.DataFrame, one_alpha: bool, edges: Edges) -> None:
    """Set logarithmic scales, and draw the border at which a game fails where it is the same for all."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    from simulator.plots.style import BORDER
    from simulator.results.formats import short

    errors = edges.clipped(trials["_error"])
    low, high = float(errors.min()), float(errors.max())
    if one_alpha:
        low, high = min(0.5, low) / 1.3, max(1.7, high * 1.4)
    else:
        low, high = min(low, float(trials["alpha"].min())) / 1.4, max(high, float(trials["alpha"].max())) * 1.4
    left, right = float(trials["words"].min()), float(trials["words"].max())
    between = (1.0, 2.0, 5.0) if right < 40 * left and len(all_axes) == 1 else (1.0,)
    for place_of, axes in enumerate(all_axes):
        axes.set_xscale("log")
        scale_errors(axes, low, high, edges.high)
        axes.set_xlim(left / 1.3, max(right * 1.3, left * 10))
        axes.xaxis.set_major_locator(LogLocator(10, subs=between, numticks=8))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
        if not one_alpha:
            continue
        axes.axhspan(1, high, color="#000000", alpha=0.05, linewidth=0, zorder=0)
        axes.axhline(1, color=BORDER, linewidth=1.0, zorder=1)
        if not place_of:
            border_note(axes)


def _legend(drawn: list[Line], kinds: tuple[str, ...]) -> Legend:
    """Return the legend: protocols by colour and marker."""
    from matplotlib.lines import Line2D

    from simulator.plots.style import Legend, mark

    protocols: dict[str, Line2D] = {}
    for line in drawn:
        look = mark(line.protocol, kinds)
        size = 7 if line.order == 0 else 4.5
        handle = Line2D([], [], color=look.colour, marker=look.marker, linestyle="", markersize=size)
        protocols.setdefault(line.label, handle)
    return Legend("", [(handle, label) for label, handle in protocols.items()])
