"""Plots: the figures that a scenario asks for under `plots:`, several results side by side, and the timeline of a game.

Matplotlib is imported when something is drawn, and not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from disttrack.lazy import Kinds
from disttrack.simulator.plots.base import Plot

if TYPE_CHECKING:
    from disttrack.simulator.plots.figures import compare, draw, timeline_of
    from disttrack.simulator.scenario.figures import check_plot

__all__ = ["PLOTS", "Plot", "check_plot", "compare", "draw", "timeline_of"]

_HOMES: Final = dict.fromkeys(("compare", "draw", "timeline_of"), "disttrack.simulator.plots.figures") | {
    "check_plot": "disttrack.simulator.scenario.figures"
}
"""Names that are loaded when they are used: matplotlib when something is drawn, numpy when a plot is checked."""

PLOTS: Final = Kinds[Plot](
    "Plots",
    {
        "cost": "disttrack.simulator.plots.kinds:Cost",
        "error": "disttrack.simulator.plots.kinds:Error",
        "measure": "disttrack.simulator.plots.kinds:Measure",
        "timeline": "disttrack.simulator.plots.kinds:Timeline",
        "breakdown": "disttrack.simulator.plots.kinds:Breakdown",
        "frontier": "disttrack.simulator.plots.kinds:Frontier",
        "matrix": "disttrack.simulator.plots.kinds:Matrix",
        "size": "disttrack.simulator.plots.kinds:SizeOverTime",
        "budget": "disttrack.simulator.plots.kinds:Budget",
        "ratio": "disttrack.simulator.plots.kinds:Ratio",
        "spread": "disttrack.simulator.plots.kinds:Spread",
    },
)
"""The built-in kinds and their classes, loaded when they are asked for; installed packages may add to them."""


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
