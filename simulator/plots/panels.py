"""Panels of lines over a swept axis: the part that `cost` and `error` figures have in common."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from math import ceil
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from simulator.plots.edges import Edges
from simulator.plots.labels import EndLabel
from simulator.plots.style import DASHES, Legend, ink, mark, page
from simulator.plots.sweep import Curve, axis_label
from simulator.results.formats import swept_ticks

EVERYTHING: Final = Edges()
"""Edges of a scale that shows all values."""
_FEW_TICKS: Final = 7
_LONGEST: Final = 34
"""Letters of a label in one line."""


def shape(number_of_panels: int) -> tuple[int, int]:
    """Return rows and columns for so many panels: at most three beside each other.

    >>> shape(1), shape(2), shape(4), shape(7)
    ((1, 1), (1, 2), (2, 2), (3, 3))
    """
    columns = min(number_of_panels, 2 if number_of_panels in (2, 4) else 3)
    if page().narrow:
        columns = 1 if number_of_panels == 1 else 2
    return ceil(number_of_panels / columns), columns


def height_of(panels: Sequence[tuple[str, Sequence[Curve]]]) -> float:
    """Return the height in inches that these panels want, with a label for each of their lines."""
    rows, columns = shape(len(panels))
    most = max(len(curves) for _, curves in panels)
    return 3.9 + 0.25 * max(0, most - 9) if rows == 1 else (3.0 if columns == 2 else 2.6) * rows


def draw_panels(
    figure: Figure,
    panels: Sequence[tuple[str, Sequence[Curve]]],
    axis: str,
    fitted_power: Callable[[Curve], str],
    kinds: tuple[str, ...],
    ylabel: str,
    edges: Edges = EVERYTHING,
) -> tuple[list[Axes], list[EndLabel]]:
    """Draw the lines of each panel on common scales; return the axes, and the labels for `label_ends`.

    Each line is to have its name and fitted power at its end; of two panels beside each other the last one has
    the names. Three have no room for either: there a legend below names the lines.
    The labels are written by the caller, after the scales are set.
    """
    rows, columns = shape(len(panels))
    made = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    labels = []
    for place, one in enumerate(made.flat):
        if place >= len(panels):
            one.set_visible(False)
            continue
        title, curves = panels[place]
        one.set_title(title if len(panels) > 1 else "")
        named = (place + 1) % columns == 0 or place == len(panels) - 1
        for curve in curves:
            draw_curve(one, curve, kinds, edges)
            if not room_for_labels(len(panels)):
                continue
            label = textwrap.fill(curve.line.label, _LONGEST)  # a longer one would leave the lines no room
            text = f"{label}  {fitted_power(curve)}".rstrip() if named else fitted_power(curve)
            text += ", fails" if curve.broken.mean() >= 0.5 else ""
            if text.strip():
                colour = ink(mark(curve.line.protocol, kinds).colour)
                labels.append(EndLabel(one, curve.x[-1], float(edges.clipped(curve.middle[-1])), text.strip(), colour))
        if place % columns == 0:
            one.set_ylabel(ylabel)
        if place + columns >= len(panels):
            one.set_xlabel(axis_label(axis))
            one.tick_params(labelbottom=True)
    ticks = _FEW_TICKS if columns == 1 else _FEW_TICKS // columns + 1
    _scale_x(made.flat[0], [float(x) for _, curves in panels for curve in curves for x in curve.x], ticks)
    return list(made.flat[: len(panels)]), labels


def room_for_labels(number_of_panels: int) -> bool:
    """Tell whether each line can have its name and fitted power at its end."""
    return shape(number_of_panels)[1] < 3 and not page().narrow


def legend_of(
    panels: Sequence[tuple[str, Sequence[Curve]]], kinds: tuple[str, ...], more: Sequence[tuple[Any, str]] = ()
) -> list[Legend]:
    """Return the legend that three panels in a row need: the names of the lines, whose powers differ by panel."""
    if room_for_labels(len(panels)):
        return []
    named: dict[str, tuple[Line2D, str]] = {}
    for _, curves in panels:
        for curve in curves:
            handle = Line2D([], [], **_look(curve, kinds))
            named.setdefault(curve.line.label, (handle, curve.line.label))
    return [Legend("", [*named.values(), *more])]


def _look(curve: Curve, kinds: tuple[str, ...]) -> dict[str, Any]:
    """Return how a line is drawn: colour and marker by protocol, dashes and size of marks by its variant."""
    look, order = mark(curve.line.protocol, kinds), curve.line.order
    return {
        "color": look.colour,
        "marker": look.marker,
        "linestyle": DASHES[order % len(DASHES)],
        "markersize": 6 if order == 0 else 4.5,
    }


def draw_curve(axes: Axes, curve: Curve, kinds: tuple[str, ...], edges: Edges = EVERYTHING) -> None:
    """Draw one line with its marks, its band and its bound."""
    colour = mark(curve.line.protocol, kinds).colour
    name: dict[str, Any] = {"label": curve.line.label}
    if np.any(curve.high > curve.low):
        ends = edges.clipped(curve.low), edges.clipped(curve.high)
        band = axes.fill_between(curve.x, *ends, color=colour, alpha=0.18, linewidth=0, zorder=2, **name)
        edges.kept(band, curve.low, curve.high)
    if np.isfinite(curve.bound).any():
        axes.plot(
            curve.x, curve.bound, color=colour, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1.5, gid="bound", **name
        )
    edges.plot(axes, curve.x, curve.middle, zorder=3, gid="line", **name, **_look(curve, kinds))
    hollow = {**_look(curve, kinds), "linestyle": "", "markerfacecolor": "white", "markeredgewidth": 1.4}
    edges.plot(axes, curve.x[curve.broken], curve.middle[curve.broken], zorder=3.1, gid="failed", **name, **hollow)
    edges.arrows(axes, curve.x, curve.middle, colour, **name)


def _scale_x(axes: Axes, values: Sequence[float], ticks: int) -> None:
    """Make the x axis logarithmic, with ticks at the swept values where they are few."""
    distinct = sorted(set(values))
    if distinct[0] > 0:
        axes.set_xscale("log")
        if len(distinct) > 1:
            room = (distinct[-1] / distinct[0]) ** 0.035
            axes.set_xlim(distinct[0] / room, distinct[-1] * room)
    if len(distinct) <= 2 * _FEW_TICKS:
        axes.xaxis.set_major_locator(FixedLocator(_thinned(distinct, ticks)))
    elif distinct[0] > 0:
        axes.xaxis.set_major_locator(LogLocator(10, numticks=ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    texts = dict(zip((float(f"{value:.9g}") for value in distinct), swept_ticks(distinct), strict=True))
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: texts.get(float(f"{value:.9g}"), swept_ticks([float(f"{value:.9g}")])[0]))
    )


def _thinned(values: list[float], ticks: int) -> list[float]:
    """Return the values whose tick labels have room, counted from the last."""
    step = ceil(len(values) / ticks)
    return values[::-1][::step][::-1]
