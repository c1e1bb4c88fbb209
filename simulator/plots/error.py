"""The `error` figure: the largest error over alpha against a swept axis, beside the slope of sqrt(k)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disttrack.simulator.plots.description import DOTS, Description, Item, Look, Series
from disttrack.simulator.plots.errors import FLOOR, FLOOR_NOTE, border, error_axis, error_over_alpha
from disttrack.simulator.plots.kinds import Error
from disttrack.simulator.plots.marks import QUIET
from disttrack.simulator.plots.panels import Curves, room_for_labels
from disttrack.simulator.plots.sentences import of_curves
from disttrack.simulator.plots.sweep import (
    Curve,
    edges_of,
    infinite_note,
    marks_note,
    panels_of_curves,
    power,
    power_note,
)
from disttrack.simulator.results.read import Tables


def describe(plot: Error, tables: Tables) -> Description:
    """Return the figure."""
    drawn = panels_of_curves(tables, plot.x, error_over_alpha)
    if not drawn:
        raise ValueError("an error figure needs games of protocols that promise an accuracy alpha")
    found = [curve for _, part in drawn for curve in part]
    infinite = infinite_note(error_over_alpha(tables.trials))
    note = marks_note(tables.trials, found)
    if room_for_labels(len(drawn)):
        note += power_note([curve for curve in found if curve.middle.min() > FLOOR], plot.x)
    if any((curve.middle <= FLOOR).any() for curve in found):
        note += FLOOR_NOTE
    slopes = [_slope(part) if plot.x == "sites" else None for _, part in drawn]
    values = np.concatenate(
        [*(np.r_[curve.low, curve.high] for curve in found), *(slope.y for slope in slopes if slope is not None)]
    )
    edges = edges_of(values, FLOOR, 1.6)
    shown = np.clip(values, *edges)
    low, high = min(0.5, float(shown.min())) / 1.3, max(1.6, float(shown.max())) * 1.3

    def beside(curve: Curve) -> str:
        return power(curve, plot.x) if curve.middle.min() > FLOOR else ""

    def more(place: int) -> Sequence[Item]:
        slope = slopes[place]
        return border(high, named=place == 0) + ([slope] if slope is not None else [])

    more_of_caption = f" Above 1 the promise is broken.{infinite}"
    caption = of_curves(
        tables, "largest relative error in units of the promised α", plot.x, drawn, more_of_caption, FLOOR
    )
    y = error_axis("largest error, in units of α", low, high, edges)
    curves = Curves(tables, plot.x, drawn, y, beside, signed=True)
    return curves.description(plot.title, note + infinite, caption, more)


def _slope(curves: Sequence[Curve]) -> Series | None:
    """Return the slope of sqrt(k) just above the line that leaves the border furthest behind, if one does."""
    finite = [curve for curve in curves if np.isfinite(curve.high).all()]
    broken = [curve for curve in finite if curve.middle.max() > 1 and len(curve.x) > 1]
    if not broken:
        return None
    worst = max(broken, key=lambda curve: float(curve.middle[-1]))
    height = float((worst.high / np.sqrt(worst.x)).max()) * 1.25
    x = max((curve.x for curve in curves), key=len)
    text = r"slope $\sqrt{k}$"
    return Series("slope √k", x, np.sqrt(x) * height, Look(QUIET, "", DOTS, 1.2, order=1.8), "law", label=text)
