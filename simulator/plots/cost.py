"""The `cost` figure: words against a swept axis, a line per protocol, with fitted power and bound."""

from __future__ import annotations

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
    """

    kind: ClassVar[str] = "cost"
    says: ClassVar[str] = "words against a swept axis, a line per protocol, with the fitted power and the bound"

    x: str
    y: str = "words"

    def __post_init__(self) -> None:
        if self.y not in MEASURES:
            raise ValueError(f"y must be one of {', '.join(MEASURES)}; got {self.y!r}")

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.labels import label_ends
        from simulator.plots.panels import draw_panels, height_of, legend_of, room_for_labels
        from simulator.plots.style import new_figure
        from simulator.plots.sweep import band_note, curves, failing_note, panels, power, symbol
        from simulator.plots.theory import cost_bound
        from simulator.results.fixed import fixed

        trials = tables.trials
        measure = "words" if self.y == EFOLD else self.y
        if trials[measure].isna().all():
            raise ValueError(f"a cost figure needs games with {measure}; these have none")
        medians = trials.groupby("protocol")[measure].median()
        linear = self.x in ("items", "start") and medians.max() / max(1.0, medians.min()) < _LINEAR_SPAN

        def efolds(game: Any) -> float:
            point = tables.points.get(str(game["result"]), {}).get(int(game["point"]), {})
            start = max(1, int(point.get("start") or 0))
            return log1p(int(game["items"]) / start) if self.y == EFOLD else 1.0

        def theory(game: dict[str, Any]) -> float | None:
            point = tables.points.get(str(game["result"]), {}).get(int(game["point"]), {})
            bound = cost_bound(point, int(game["items"]))
            return None if bound is None else bound / efolds(game)

        def fitted_power(curve: Curve) -> str:
            return _growth(curve) if linear else power(curve, self.x)

        def cost(games: pd.DataFrame) -> pd.Series[float]:
            return games[measure].astype(float) / games.apply(efolds, axis=1)

        bound = theory if measure != "bits" else None
        drawn = [(title, curves(games, self.x, cost, bound)) for title, games in panels(tables)]
        found = [curve for _, part in drawn for curve in part]
        if not found:
            raise ValueError(f"a cost figure needs games with {measure}; these have none")
        bounds = np.concatenate([curve.bound for curve in found])
        note = [band_note(trials) + failing_note(found)]
        if np.isfinite(bounds).any():
            note.append("Thin dashes: the bound that theory gives on expected messages.")
        letter = symbol(self.x)
        fitted = f"the power of {letter} fitted through all its marks"
        law_note = f"the {measure} that the last doubling of {letter} added" if linear else fitted
        if room_for_labels(len(drawn)):
            note.append(f"Beside each line: {law_note}.")
        kinds = tuple(dict.fromkeys(trials["protocol"]))
        figure = new_figure(
            height_of(drawn), self.title or tables.title, fixed(tables), " ".join(note),
            legends=legend_of(drawn, kinds),
        )  # fmt: skip
        axes, labels = draw_panels(figure, drawn, self.x, fitted_power, kinds, _LABELS.get(self.y, measure))
        _scale_y(axes[0], np.concatenate([np.r_[curve.low, curve.high] for curve in found]), bounds, linear)
        label_ends(figure, labels)
        return figure


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
    axes.yaxis.set_minor_locator(NullLocator())
