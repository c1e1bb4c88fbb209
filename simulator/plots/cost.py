"""The `cost` figure: words against a swept axis, a line per protocol, with fitted power and bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from simulator.plots.base import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.plots.sweep import Curve, Floats
    from simulator.results.read import Tables

EFOLD: Final = "words-per-efold"
"""Words over the logarithm of the growth of the stream, ln((start + items) / start)."""
MEASURES: Final = ("words", "messages", "bits", EFOLD)
"""What may be counted."""

_LINEAR_SPAN: Final = 60.0
"""Against N costs grow logarithmically: a linear scale shows that straight, if they differ by less than this."""

_LABELS: Final = {EFOLD: "words per e-fold of the stream"}


@dataclass(frozen=True, kw_only=True)
class Cost(Plot):
    """Words against a swept axis, a line per protocol, with the fitted power and the bound.

    Parameters
    ----------
    x
        The axis: sites, items, alpha, or any other swept parameter.
    y
        What is counted: words, messages, bits or words-per-efold.
    lower_bounds
        Whether to draw what every tracker must send, up to a constant factor that the papers leave open: k/alpha ln N
        words without coins (Yi, Zhang 2009), sqrt(k)/alpha ln N with them (Huang, Yi, Zhang 2012). Not for bits.
    """

    kind: ClassVar[str] = "cost"
    says: ClassVar[str] = "words against a swept axis, a line per protocol, with the fitted power and the bound"

    x: str
    y: str = "words"
    lower_bounds: bool = False

    def __post_init__(self) -> None:
        if self.y not in MEASURES:
            raise ValueError(f"y must be one of {', '.join(MEASURES)}; got {self.y!r}")
        if self.lower_bounds and self.y == "bits":
            raise ValueError("lower_bounds must be left out with y: bits; they are bounds of messages and words")

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.labels import label_ends
        from simulator.plots.lower_bounds import NOTE, draw_lower_bounds, legend_entries, lower_bounds
        from simulator.plots.panels import draw_panels, height_of, legend_of, room_for_labels
        from simulator.plots.style import new_figure
        from simulator.plots.sweep import band_note, failing_note, power
        from simulator.results.fixed import fixed

        trials, linear = tables.trials, self._linear(tables)
        drawn = self._drawn(tables)
        found = [curve for _, part in drawn for curve in part]

        def beside(curve: Curve) -> str:
            return _growth(curve) if linear else power(curve, self.x)

        bounds = np.concatenate([curve.bound for curve in found])
        values = [np.r_[curve.low, curve.high] for curve in found]
        note = [band_note(trials) + failing_note(found)]
        if np.isfinite(bounds).any():
            note.append("Thin dashes: the bound that theory gives on expected messages.")
        least = lower_bounds(trials, self.x, _start_of(tables), self._efolds(tables)) if self.lower_bounds else []
        if least:
            note.append(NOTE)
            values += [bound.y for bound in least]
        if room_for_labels(len(drawn)):
            note.append(_beside(found, self.x, self._column, linear))
        kinds = tuple(dict.fromkeys(trials["protocol"]))
        legends = legend_of(drawn, kinds, legend_entries(least))
        heads = self.title or tables.title, fixed(tables, self.x), " ".join(note)
        figure = new_figure(height_of(drawn), *heads, legends=legends)
        axes, labels = draw_panels(figure, drawn, self.x, beside, kinds, _LABELS.get(self.y, self._column))
        labels += draw_lower_bounds(axes, least, room_for_labels(len(drawn)))
        _scale_y(axes[0], np.concatenate(values), bounds, linear)
        label_ends(figure, labels)
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.plots.telling import of_curves

        what = "bits" if self.y == "bits" else _LABELS.get(self.y, self.y)
        more = " Thin dashes are the bounds that theory gives." if self._bounded(tables) else ""
        more += " Dots are lower bounds, up to a constant factor." if self.lower_bounds else ""
        return of_curves(tables, what, self.x, self._drawn(tables), more)

    @property
    def _column(self) -> str:
        """Return the column of trials.csv that is counted."""
        return "words" if self.y == EFOLD else self.y

    def _linear(self, tables: Tables) -> bool:
        """Return whether costs are shown on a linear scale."""
        medians = tables.trials.groupby("protocol")[self._column].median()
        return self.x in ("items", "start") and medians.max() / max(1.0, medians.min()) < _LINEAR_SPAN

    def _efolds(self, tables: Tables) -> Callable[[Any], float]:
        """Return by what the cost of a game is divided."""
        start = _start_of(tables)
        return lambda game: log1p(int(game["items"]) / max(1, start(game))) if self.y == EFOLD else 1.0

    def _bounded(self, tables: Tables) -> bool:
        """Return whether theory bounds what is counted for some line."""
        return any(np.isfinite(curve.bound).any() for _, part in self._drawn(tables) for curve in part)

    def _drawn(self, tables: Tables) -> list[tuple[str, list[Curve]]]:
        """Return the lines of each panel."""
        from simulator.plots.sweep import panels_of_curves
        from simulator.plots.theory import cost_bound

        measure, efolds = self._column, self._efolds(tables)
        if tables.trials[measure].isna().all():
            raise ValueError(f"a cost figure needs games with {measure}; these have none")

        def theory(game: dict[str, Any]) -> float | None:
            point = tables.points.get(str(game["result"]), {}).get(int(game["point"]), {})
            bound = cost_bound(point, int(game["items"]), tables.own)
            return None if bound is None else bound / efolds(game)

        def cost(games: pd.DataFrame) -> pd.Series[float]:
            return games[measure].astype(float) / games.apply(efolds, axis=1)

        drawn = panels_of_curves(tables, self.x, cost, theory if measure != "bits" else None)
        if not drawn:
            raise ValueError(f"a cost figure needs games with {measure}; these have none")
        return drawn


def _beside(found: list[Curve], axis: str, measure: str, linear: bool) -> str:
    """Return what stands beside each line."""
    from simulator.plots.sweep import power_note, symbol

    if linear:
        return f"Beside each line: the {measure} that the last doubling of {symbol(axis)} added."
    return power_note(found, axis).strip()


def _start_of(tables: Tables) -> Callable[[Any], int]:
    """Return what tells the items before a game."""
    points = tables.points
    return lambda game: int(points.get(str(game["result"]), {}).get(int(game["point"]), {}).get("start") or 0)


def _growth(curve: Curve) -> str:
    """Return what the last doubling added, as text."""
    from simulator.results.formats import short

    if len(curve.x) < 2:
        return ""
    doublings = np.log2(curve.x[-1] / curve.x[-2])
    return f"+{short(max(0.0, float(curve.middle[-1] - curve.middle[-2]) / doublings))}"


def _scale_y(axes: Axes, values: Floats, bounds: Floats, linear: bool) -> None:
    """Fit the scale of costs to what was measured; a bound far above it may leave the picture."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    from simulator.results.formats import short

    high = float(values.max())
    top = float(np.nanmax(bounds)) if np.isfinite(bounds).any() else high
    if linear:
        axes.set_ylim(0, max(high * 1.08, min(top * 1.04, high * 1.5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value) if value else "0"))
        return
    axes.set_yscale("log")
    axes.set_ylim(float(values[values > 0].min()) / 1.6, max(high * 1.4, min(top * 1.2, high * 6)))
    axes.yaxis.set_major_locator(LogLocator(10, numticks=8))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
    axes.yaxis.set_minor_locator(NullLocator())
