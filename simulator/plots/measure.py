"""The `measure` figure: any measured column of trials.csv against a swept axis, a line per protocol."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

from simulator.columns import label as column_label
from simulator.plots.labels import label_ends
from simulator.plots.panels import draw_panels, height_of, legend_of, room_for_laws
from simulator.plots.style import new_figure
from simulator.plots.sweep import Curve, band_note, curves, failing_note, panels, power, symbol
from simulator.results.formats import measured_tick
from simulator.results.read import Tables, fixed
from simulator.scenario.figures import PlotRequest

_LABELS: Final = {"max_abs_error": "largest absolute error, in items"}
"""Labels of columns that tasks add."""


def draw_measure(tables: Tables, request: PlotRequest) -> Figure:
    """Return a measured column against the swept axis `request.x`, on logarithms where all of it is above 0."""
    trials = tables.trials
    column = request.y if request.y in trials else f"_{request.y}"
    if column not in trials or not pd.api.types.is_numeric_dtype(trials[column]):
        known = [name.lstrip("_") for name in trials.columns if pd.api.types.is_numeric_dtype(trials[name])]
        raise ValueError(f"y must be a column of numbers of trials.csv ({', '.join(known)}); got {request.y!r}")

    def measured(games: pd.DataFrame) -> pd.Series[float]:
        return games[column].astype(float)

    def law(curve: Curve) -> str:
        return power(curve, request.x) if logarithmic else ""

    drawn = [(title, curves(games, request.x, measured)) for title, games in panels(tables)]
    found = [curve for _, part in drawn for curve in part]
    if not found:
        raise ValueError(f"a measure figure needs numbers in {request.y!r}; these games have none")
    values = np.concatenate([np.r_[curve.low, curve.high] for curve in found])
    logarithmic = bool((values > 0).all())
    note = band_note(trials) + failing_note(found)
    if logarithmic and room_for_laws(len(drawn)):
        note += f" Beside each line: the power of {symbol(request.x)} fitted through all its marks."
    kinds = tuple(dict.fromkeys(trials["protocol"]))
    legends = legend_of(drawn, kinds)
    figure = new_figure(height_of(drawn), request.title or tables.title, fixed(tables), note, legends=legends)
    label = _LABELS.get(request.y) or column_label(request.y)
    axes, labels = draw_panels(figure, drawn, request.x, law, kinds, label)
    if logarithmic:
        axes[0].set_yscale("log")
        axes[0].set_ylim(values.min() / 1.5, values.max() * 1.5)
        narrow = values.max() < 40 * values.min()
        axes[0].yaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0) if narrow else (1.0,), numticks=10))
        axes[0].yaxis.set_major_formatter(lambda value, _: measured_tick(value))
        axes[0].yaxis.set_minor_locator(NullLocator())
        axes[0].yaxis.set_minor_formatter(NullFormatter())
    label_ends(figure, labels)
    return figure
