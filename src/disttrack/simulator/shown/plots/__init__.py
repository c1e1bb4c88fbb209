"""Plots: the figures that a scenario asks for under `plots:`, several results side by side, and the timeline of a game.

Matplotlib is imported when something is drawn, and not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from disttrack.lazy import Kinds
from disttrack.simulator.shown.plots.base import Plot

if TYPE_CHECKING:
    from disttrack.simulator.experiments.scenario.figures import check_plot
    from disttrack.simulator.shown.plots.figures import compare, draw, timeline_of

__all__ = ["PLOTS", "Plot", "check_plot", "compare", "draw", "timeline_of"]

_HOMES: Final = dict.fromkeys(("compare", "draw", "timeline_of"), "disttrack.simulator.shown.plots.figures") | {
    "check_plot": "disttrack.simulator.experiments.scenario.figures"
}
"""Names that are loaded when they are used: matplotlib when something is drawn, numpy when a plot is checked."""

PLOTS: Final = Kinds[Plot](
    "Plots",
    {
        "cost": "disttrack.simulator.shown.plots.kinds:Cost",
        "error": "disttrack.simulator.shown.plots.kinds:Error",
        "measure": "disttrack.simulator.shown.plots.kinds:Measure",
        "timeline": "disttrack.simulator.shown.plots.kinds:Timeline",
        "breakdown": "disttrack.simulator.shown.plots.kinds:Breakdown",
        "frontier": "disttrack.simulator.shown.plots.kinds:Frontier",
        "matrix": "disttrack.simulator.shown.plots.kinds:Matrix",
        "spread": "disttrack.simulator.shown.plots.kinds:Spread",
    },
)
"""The built-in kinds and their classes, loaded when they are asked for; installed packages may add to them."""


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
