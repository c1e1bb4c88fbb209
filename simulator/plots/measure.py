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

_LINEAR_SPAN: Final = 5.0
"""Values that differ by less than this factor stand on a linear scale, which begins at 0."""
_IN_UNITS: Final = ("max_abs_error", "rms_error", "late_error", "final_error")
_UNITS: Final = {
    "continual-count": "items",
    "dynamic-queries": "items",
    "static-queries": "items",
    "threshold-queries": "points",
}
"""Units of absolute errors, by task; those of shares have none."""
_LABELS: Final = {
    "max_abs_error": "largest absolute error",
    "rms_error": "root mean square error",
    "late_error": "largest error in the second half",
    "touched": "different items",
    "samples_needed": "points needed",
    "gap": "gap of the last query",
    "regret": "regret, in units of loss",
    "deviation": "largest deviation, in items",
    "mistakes": "mistakes",
    "loss": "privacy loss",
    "epsilon_low": "loss that the runs prove",
    "halved": "loss of a copy with half of the noise",
    "exact_delta": "delta",
    "worst_gap": "gap of the worst query",
    "chosen_gap": "gap of the chosen query",
    "loss_over_epsilon": "largest loss over the claimed epsilon",
    "last_ratio": "estimate over truth at the last update",
    "items_at_halt": "items at the halt",
    "final_error": "error of the last answer",
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
        from simulator.plots.edges import edges_of
        from simulator.plots.labels import label_ends
        from simulator.plots.panels import draw_panels, height_of, legend_of, room_for_labels
        from simulator.plots.style import new_figure
        from simulator.plots.sweep import band_note, failing_note, power, power_note
        from simulator.results.fixed import fixed

        trials, drawn = tables.trials, self._drawn(tables)
        found = [curve for _, part in drawn for curve in part]
        values = np.concatenate([np.r_[curve.low, curve.high] for curve in found])
        edges = edges_of(values)
        values = np.append(edges.clipped(values), [edges.high * 1.2] * (edges.high < np.inf))
        logarithmic = bool((values > 0).all() and values.max() > _LINEAR_SPAN * values.min())
        note = band_note(trials) + failing_note(found)
        if logarithmic and room_for_labels(len(drawn)):
            note += power_note(found, self.x)
        if self.theory:
            note += " Thin dashes: what theory expects."
        note += self._infinite(tables)
        kinds = tuple(dict.fromkeys(trials["protocol"]))
        legends = legend_of(drawn, kinds)
        figure = new_figure(height_of(drawn), self.title or tables.title, fixed(tables, self.x), note, legends=legends)

        def beside(curve: Curve) -> str:
            return power(curve, self.x) if logarithmic else ""

        axes, labels = draw_panels(figure, drawn, self.x, beside, kinds, measured_label(self.y, tables), edges)
        if logarithmic:
            _logarithmic(axes[0], values)
        else:
            _linear(axes[0], values)
        label_ends(figure, labels)
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.plots.telling import of_curves

        more = " Thin dashes are what theory expects." if self.theory else ""
        more += self._infinite(tables)
        return of_curves(tables, measured_label(self.y, tables), self.x, self._drawn(tables), more)

    def _infinite(self, tables: Tables) -> str:
        """Return how many games have no finite value."""
        from simulator.plots.edges import infinite_note

        return infinite_note(tables.trials[column_of(tables.trials, "y", self.y)].astype(float))

    def _drawn(self, tables: Tables) -> list[tuple[str, list[Curve]]]:
        """Return the lines of each panel."""
        from simulator.plots.sweep import panels_of_curves

        column = column_of(tables.trials, "y", self.y)
        expected = column_of(tables.trials, "theory", self.theory) if self.theory else ""

        def measured(games: pd.DataFrame) -> pd.Series[float]:
            return games[column].astype(float)

        def bound(game: dict[str, Any]) -> float | None:
            return float(game[expected])

        drawn = panels_of_curves(tables, self.x, measured, bound if expected else None)
        if not drawn:
            raise ValueError(f"a measure figure needs numbers in {self.y!r}; these games have none")
        return drawn


def measured_label(column: str, tables: Tables | None = None) -> str:
    """Return the label of an axis that shows a column of trials.csv, errors with the unit of the task."""
    label = _LABELS.get(column) or column_label(column)
    tasks = {str(scenario.get("task")) for scenario in tables.scenarios.values()} if tables is not None else set()
    unit = _UNITS.get(tasks.pop(), "") if len(tasks) == 1 and column in _IN_UNITS else ""
    return f"{label}, in {unit}" if unit else label


def column_of(trials: pd.DataFrame, key: str, name: str) -> str:
    """Return the column of numbers that a key of the figure names; a task's own have an underscore before them."""
    import pandas as pd

    column = name if name in trials else f"_{name}"
    if column not in trials or not pd.api.types.is_numeric_dtype(trials[column]):
        known = [each.lstrip("_") for each in trials.columns if pd.api.types.is_numeric_dtype(trials[each])]
        raise ValueError(f"{key} must be a column of numbers of trials.csv ({', '.join(known)}); got {name!r}")
    return column


def _linear(axes: Axes, values: Floats) -> None:
    """Let a linear y axis begin at 0 where nothing is below it."""
    from simulator.results.formats import short

    if values.min() >= 0:
        axes.set_ylim(0, max(1e-9, float(values.max())) * 1.08)
    axes.yaxis.set_major_formatter(lambda value, _: short(value) if value > 0 else f"{value:g}")


def _logarithmic(axes: Axes, values: Floats) -> None:
    """Give the y axis a logarithmic scale that holds all values."""
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

    from simulator.results.formats import short

    axes.set_yscale("log")
    axes.set_ylim(values.min() / 1.5, values.max() * 1.5)
    narrow = values.max() < 40 * values.min()
    axes.yaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0) if narrow else (1.0,), numticks=10))
    axes.yaxis.set_major_formatter(lambda value, _: short(value))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())
