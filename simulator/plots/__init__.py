"""Plots: the figures that a scenario asks for under `plots:`, several results side by side, and the timeline of a game.

Matplotlib is imported when something is drawn, and not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from simulator.plots.base import Plot
from simulator.scenario.figures import check_plot

if TYPE_CHECKING:
    from simulator.plots.figures import captions, compare, draw, timeline_of

__all__ = ["PLOTS", "Plot", "captions", "check_plot", "compare", "draw", "timeline_of"]

_DRAWN: Final = ("captions", "compare", "draw", "timeline_of")

PLOTS: Final = {
    "cost": "simulator.plots.kinds:Cost",
    "error": "simulator.plots.kinds:Error",
    "measure": "simulator.plots.kinds:Measure",
    "timeline": "simulator.plots.kinds:Timeline",
    "breakdown": "simulator.plots.kinds:Breakdown",
    "frontier": "simulator.plots.kinds:Frontier",
    "matrix": "simulator.plots.kinds:Matrix",
    "size": "simulator.plots.kinds:SizeOverTime",
    "budget": "simulator.plots.kinds:Budget",
    "ratio": "simulator.plots.kinds:Ratio",
    "flags": "simulator.plots.kinds:Flags",
    "spread": "simulator.plots.kinds:Spread",
    "share": "simulator.plots.kinds:Share",
    "halts": "simulator.plots.kinds:Halts",
}
"""The built-in kinds and their classes, loaded when they are asked for; installed packages may add to them."""


def __getattr__(name: str) -> Any:
    if name in _DRAWN:  # matplotlib is imported when something is drawn, and not before
        return getattr(import_module("simulator.plots.figures"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
