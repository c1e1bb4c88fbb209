"""The `measure` figure: any measured column of trials.csv against a swept axis, a line per protocol."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from disttrack.simulator.plots.columns import column_of, measured_label
from disttrack.simulator.plots.description import Axis, Description
from disttrack.simulator.plots.kinds import Measure
from disttrack.simulator.plots.panels import Curves, room_for_labels
from disttrack.simulator.plots.sentences import of_curves
from disttrack.simulator.plots.sweep import (
    Curve,
    Floats,
    edges_of,
    infinite_note,
    marks_note,
    panels_of_curves,
    power,
    power_note,
)
from disttrack.simulator.results.formats import short
from disttrack.simulator.results.read import Tables

_LINEAR_SPAN: Final = 5.0
"""Values that differ by less than this factor stand on a linear scale, which begins at 0."""


def describe(plot: Measure, tables: Tables) -> Description:
    """Return the figure."""
    column = column_of(tables.trials, "y", plot.y)
    expected = column_of(tables.trials, "theory", plot.theory) if plot.theory else ""

    def measured(games: pd.DataFrame) -> pd.Series[float]:
        return games[column].astype(float)

    def bound(game: dict[str, Any]) -> float | None:
        return float(game[expected])

    drawn = panels_of_curves(tables, plot.x, measured, bound if expected else None)
    if not drawn:
        raise ValueError(f"a measure figure needs numbers in {plot.y!r}; these games have none")
    found = [curve for _, part in drawn for curve in part]
    values = np.concatenate([np.r_[curve.low, curve.high] for curve in found])
    edges = edges_of(values)
    values = np.append(np.clip(values, *edges), [edges[1] * 1.2] * (edges[1] < np.inf))
    logarithmic = bool((values > 0).all() and values.max() > _LINEAR_SPAN * values.min())
    note = marks_note(tables.trials, found)
    if logarithmic and room_for_labels(len(drawn)):
        note += power_note(found, plot.x)
    if plot.theory:
        note += " Thin dashes: what theory expects."
    infinite = infinite_note(measured(tables.trials))

    def beside(curve: Curve) -> str:
        return power(curve, plot.x) if logarithmic else ""

    what = measured_label(plot.y, tables)
    more = (" Thin dashes are what theory expects." if plot.theory else "") + infinite
    y = _axis(what, values, edges, logarithmic)
    curves = Curves(tables, plot.x, drawn, y, beside, signed=True)
    return curves.description(plot.title, note + infinite, of_curves(tables, what, plot.x, drawn, more))


def _axis(label: str, values: Floats, edges: tuple[float, float], logarithmic: bool) -> Axis:
    """Return a scale that holds all values; a linear one begins at 0 where nothing is below it."""
    low, high = float(values.min()), float(values.max())
    if logarithmic:
        steps = (1.0, 2.0, 5.0) if high < 40 * low else (1.0,)
        return Axis(label, "log", (low / 1.5, high * 1.5), most=10, steps=steps, text=short, edges=edges)

    def text(value: float) -> str:
        return short(value) if value > 0 else f"{value:g}"

    return Axis(label, ends=(0, max(1e-9, high) * 1.08) if low >= 0 else (None, None), text=text, edges=edges)
