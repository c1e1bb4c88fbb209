"""The `error` figure: the largest error over alpha against a swept axis, beside the slope of sqrt(k)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from simulator.plots.base import Plot
from simulator.plots.marks import mark

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
    error = games["max_rel_error"].astype(float) / games["alpha"].astype(float)
    return error.replace(np.inf, np.nan)


def shown(games: pd.DataFrame) -> pd.Series[float]:
    """Return the errors as a logarithmic axis shows them: those below `FLOOR` at it."""
    return error_over_alpha(games).clip(lower=FLOOR)


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
        kinds = tuple(dict.fromkeys(tables.trials["protocol"]))

        def rule_of(curve: Curve) -> str:
            return power(curve, self.x) if curve.middle.min() > FLOOR else ""

        figure = new_figure(
            height_of(drawn), self.title or tables.title, fixed(tables, self.x), note,
            legends=legend_of(drawn, kinds),
        )  # fmt: skip
        axes, labels = draw_panels(figure, drawn, self.x, rule_of, kinds, "largest error, in units of α")
        slopes = [_slope(part) if self.x == "sites" else None for _, part in drawn]
        tops = [float(curve.high.max()) for curve in found]
        tops += [float(slope.max()) for slope in slopes if slope is not None]
        low = min(0.5, *(float(curve.low.min()) for curve in found)) / 1.3
        high = max(1.6, *tops) * 1.3
        scale_errors(axes[0], low, high)
        for place, (one, (_, part), slope) in enumerate(zip(axes, drawn, slopes, strict=True)):
            one.axhspan(1, high, color="#000000", alpha=0.05, linewidth=0, zorder=0)
            one.axhline(1, color=BORDER, linewidth=1.0, zorder=1)
            for curve in part:
                below_scale(one, curve.x, curve.middle, mark(curve.line.protocol, kinds).colour)
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
        from simulator.plots.telling import of_curves

        what = "largest relative error in units of the promised α"
        return of_curves(tables, what, self.x, self._drawn(tables), " Above 1 the promise is broken.", FLOOR)

    def _drawn(self, tables: Tables) -> list[tuple[str, list[Curve]]]:
        """Return the lines of each panel."""
        from simulator.plots.sweep import panels_of_curves

        drawn = panels_of_curves(tables, self.x, shown)
        if not drawn:
            raise ValueError("an error figure needs games of protocols that promise an accuracy alpha")
        return drawn


def below_scale(axes: Axes, x: Any, y: Any, colour: str) -> None:
    """Put an arrow that points down under the marks that stand at the floor, as they belong below it."""
    there = np.asarray(y, dtype=float) <= FLOOR
    if there.any():
        look: dict[str, Any] = {"linestyle": "", "marker": r"$\downarrow$", "markersize": 9, "clip_on": False}
        places = np.asarray(x, dtype=float)[there]
        axes.plot(places, np.full(len(places), FLOOR / 1.17), color=colour, zorder=3.2, gid="below-scale", **look)


def scale_errors(axes: Axes, low: float, high: float) -> None:
    """Give the y axis the logarithmic scale of errors, with plain numbers."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(FixedLocator([tick for tick in _TICKS if low <= tick <= high]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def border_note(axes: Axes) -> None:
    """Say what the shaded part above an error of alpha is."""
    from simulator.plots.style import QUIET

    place: dict[str, Any] = {"transform": axes.transAxes, "va": "top"}
    axes.text(0.02, 0.97, "fails: error above α", color=QUIET, size=8, zorder=1, gid="border", **place)


def _slope(curves_of_panel: list[Curve]) -> Floats | None:
    """Return the slope of sqrt(k) just above the line that leaves the border furthest behind, if one does."""
    broken = [curve for curve in curves_of_panel if curve.middle.max() > 1 and len(curve.x) > 1]
    if not broken:
        return None
    worst = max(broken, key=lambda curve: float(curve.middle[-1]))
    slope = np.sqrt(worst.x)
    return np.asarray(slope * float((worst.high / slope).max()) * 1.25)
