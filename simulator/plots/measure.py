"""The `measure` figure: any measured column of trials.csv against a swept axis, a line per protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from simulator.claims.columns import label as column_label
from simulator.plots.base import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.plots.sweep import Curve, Floats
    from simulator.results.read import Tables

_LABELS: Final = {
    "max_abs_error": "largest absolute error, in items",
    "touched": "different items",
    "samples_needed": "points needed",
    "gap": "gap of the last query",
}
"""Labels of columns that tasks add."""


@dataclass(frozen=True, kw_only=True)
class Measure(Plot):
    """Any measured column against a swept axis, a line per protocol; on logarithmic scales where all of it is above 0.

    Parameters
    ----------
    x
        The axis: sites, items, alpha, or any other swept parameter.
    y
        The column of trials.csv.
    theory
        A column that says what theory expects of each game, drawn as thin dashes; empty for none.
    """

    kind: ClassVar[str] = "measure"
    says: ClassVar[str] = "any measured column against a swept axis"

    x: str
    y: str
    theory: str = ""

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.labels import label_ends
        from simulator.plots.panels import draw_panels, height_of, legend_of, room_for_labels
        from simulator.plots.style import new_figure
        from simulator.plots.sweep import band_note, curves, failing_note, panels, power, symbol
        from simulator.results.fixed import fixed

        trials = tables.trials
        column, expected = (_column(trials, key, getattr(self, key)) for key in ("y", "theory"))

        def measured(games: pd.DataFrame) -> pd.Series[float]:
            return games[column].astype(float)

        def fitted_power(curve: Curve) -> str:
            return power(curve, self.x) if logarithmic else ""

        def bound(game: dict[str, Any]) -> float | None:
            return float(game[expected])

        theory = bound if self.theory else None
        drawn = [(title, curves(games, self.x, measured, theory)) for title, games in panels(tables)]
        found = [curve for _, part in drawn for curve in part]
        if not found:
            raise ValueError(f"a measure figure needs numbers in {self.y!r}; these games have none")
        values = np.concatenate([np.r_[curve.low, curve.high] for curve in found])
        logarithmic = bool((values > 0).all())
        note = band_note(trials) + failing_note(found)
        if logarithmic and room_for_labels(len(drawn)):
            note += f" Beside each line: the power of {symbol(self.x)} fitted through all its marks."
        if self.theory:
            note += " Thin dashes: what theory expects."
        kinds = tuple(dict.fromkeys(trials["protocol"]))
        legends = legend_of(drawn, kinds)
        figure = new_figure(height_of(drawn), self.title or tables.title, fixed(tables), note, legends=legends)
        label = _LABELS.get(self.y) or column_label(self.y)
        axes, labels = draw_panels(figure, drawn, self.x, fitted_power, kinds, label)
        if logarithmic:
            _logarithmic(axes[0], values)
        label_ends(figure, labels)
        return figure


def _column(trials: pd.DataFrame, key: str, name: str) -> str:
    """Return the column of numbers that a key of the figure names; a task's own have an underscore before them."""
    import pandas as pd

    if not name and key == "theory":
        return ""
    column = name if name in trials else f"_{name}"
    if column not in trials or not pd.api.types.is_numeric_dtype(trials[column]):
        known = [each.lstrip("_") for each in trials.columns if pd.api.types.is_numeric_dtype(trials[each])]
        raise ValueError(f"{key} must be a column of numbers of trials.csv ({', '.join(known)}); got {name!r}")
    return column


def _logarithmic(axes: Axes, values: Floats) -> None:
    """Give the y axis a logarithmic scale that holds all values."""
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

    from simulator.results.formats import measured_tick

    axes.set_yscale("log")
    axes.set_ylim(values.min() / 1.5, values.max() * 1.5)
    narrow = values.max() < 40 * values.min()
    axes.yaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0) if narrow else (1.0,), numticks=10))
    axes.yaxis.set_major_formatter(lambda value, _: measured_tick(value))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())
