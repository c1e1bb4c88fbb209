"""The `error` figure: the largest error over alpha against a swept axis, beside the slope of sqrt(k)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from simulator.plots.base import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.plots.sweep import Curve, Floats
    from simulator.results.read import Tables

FLOOR: Final = 0.1
"""Smaller errors, in units of alpha, are drawn here: how far below the border they are is of no interest."""
FLOOR_NOTE: Final = f" ↓: below the scale, less than {FLOOR:g} α."
_TICKS: Final = (
    0.0001,
    0.0002,
    0.0005,
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    1000,
)


def error_over_alpha(games: pd.DataFrame) -> pd.Series[float]:
    """Return the largest relative error of each game in units of alpha, absent where nothing was promised."""
    alpha = games["alpha"].astype(float)
    return games["max_rel_error"].astype(float) / alpha.where(alpha > 0)


@dataclass(frozen=True, kw_only=True)
class Error(Plot):
    """The largest error, in units of alpha, against a swept axis, a line per protocol.

    Parameters
    ----------
    x
        The axis: sites, items, alpha, or any other swept parameter.
    """

    kind: ClassVar[str] = "error"
    says: ClassVar[str] = "the largest error over alpha against a swept axis"

    x: str

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.edges import edges_of, infinite_note
        from simulator.plots.labels import EndLabel, label_ends
        from simulator.plots.panels import draw_panels, height_of, legend_of, room_for_labels
        from simulator.plots.style import BORDER, QUIET, new_figure
        from simulator.plots.sweep import band_note, failing_note, power, power_note
        from simulator.results.fixed import fixed

        drawn = self._drawn(tables)
        found = [curve for _, part in drawn for curve in part]
        note = band_note(tables.trials) + failing_note(found)
        if room_for_labels(len(drawn)):
            note += power_note([curve for curve in found if curve.middle.min() > FLOOR], self.x)
        if any((curve.middle <= FLOOR).any() for curve in found):
            note += FLOOR_NOTE
        note += infinite_note(error_over_alpha(tables.trials))
        slopes = [_slope(part) if self.x == "sites" else None for _, part in drawn]
        values = [np.r_[curve.low, curve.high] for curve in found]
        values += [slope for slope in slopes if slope is not None]
        edges = edges_of(np.concatenate(values), FLOOR, 1.6)
        kinds = tuple(dict.fromkeys(tables.trials["protocol"]))

        def rule_of(curve: Curve) -> str:
            return power(curve, self.x) if curve.middle.min() > FLOOR else ""

        figure = new_figure(
            height_of(drawn), self.title or tables.title, fixed(tables, self.x), note,
            legends=legend_of(drawn, kinds),
        )  # fmt: skip
        axes, labels = draw_panels(figure, drawn, self.x, rule_of, kinds, "largest error, in units of α", edges)
        drawn_values = edges.clipped(np.concatenate(values))
        low, high = min(0.5, float(drawn_values.min())) / 1.3, max(1.6, float(drawn_values.max())) * 1.3
        scale_errors(axes[0], low, high, edges.high)
        for place, (one, (_, part), slope) in enumerate(zip(axes, drawn, slopes, strict=True)):
            one.axhspan(1, high, color="#000000", alpha=0.05, linewidth=0, zorder=0)
            one.axhline(1, color=BORDER, linewidth=1.0, zorder=1)
            if slope is not None:
                x = max((curve.x for curve in part), key=len)
                one.plot(
                    x,
                    slope,
                    color=QUIET,
                    linewidth=1.2,
                    linestyle=":",
                    zorder=1.8,
                    gid="law",
                    label=r"slope $\sqrt{k}$",
                )
                labels.append(EndLabel(one, x[-1], float(slope[-1]), r"slope $\sqrt{k}$", QUIET))
            if place == 0:
                border_note(one)
        label_ends(figure, labels)
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.plots.edges import infinite_note
        from simulator.plots.telling import of_curves

        what = "largest relative error in units of the promised α"
        more = " Above 1 the promise is broken." + infinite_note(error_over_alpha(tables.trials))
        return of_curves(tables, what, self.x, self._drawn(tables), more, FLOOR)

    def _drawn(self, tables: Tables) -> list[tuple[str, list[Curve]]]:
        """Return the lines of each panel."""
        from simulator.plots.sweep import panels_of_curves

        drawn = panels_of_curves(tables, self.x, error_over_alpha)
        if not drawn:
            raise ValueError("an error figure needs games of protocols that promise an accuracy alpha")
        return drawn


def scale_errors(axes: Axes, low: float, high: float, infinite: float = inf) -> None:
    """Give the y axis the logarithmic scale of errors, with plain numbers, and ∞ where infinite ones are drawn."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_yscale("log")
    axes.set_ylim(low, high)
    ticks = [tick for tick in _TICKS if low <= tick <= min(high, infinite / 1.2)]
    axes.yaxis.set_major_locator(FixedLocator(ticks + [infinite] * (infinite < inf)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: "∞" if value == infinite else f"{value:,g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def border_note(axes: Axes) -> None:
    """Say what the shaded part above an error of alpha is."""
    from simulator.plots.style import QUIET

    place: dict[str, Any] = {"transform": axes.transAxes, "va": "top"}
    axes.text(0.02, 0.97, "fails: error above α", color=QUIET, size=8, zorder=1, gid="border", **place)


def _slope(curves_of_panel: list[Curve]) -> Floats | None:
    """Return the slope of sqrt(k) just above the line that leaves the border furthest behind, if one does."""
    finite = [curve for curve in curves_of_panel if np.isfinite(curve.high).all()]
    broken = [curve for curve in finite if curve.middle.max() > 1 and len(curve.x) > 1]
    if not broken:
        return None
    worst = max(broken, key=lambda curve: float(curve.middle[-1]))
    slope = np.sqrt(worst.x)
    return np.asarray(slope * float((worst.high / slope).max()) * 1.25)
