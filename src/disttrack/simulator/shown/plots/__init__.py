"""Plots: the figures that a scenario asks for under `plots:`, several results side by side, and the timeline of a game.

Matplotlib is imported when something is drawn, and numpy when a plot is checked, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.simulator.experiments.scenario.figures import check_plot as check_plot
    from disttrack.simulator.shown.plots.base import Plot as Plot
    from disttrack.simulator.shown.plots.figures import compare as compare
    from disttrack.simulator.shown.plots.figures import draw as draw
    from disttrack.simulator.shown.plots.figures import timeline_of as timeline_of

    "Plots"
    from disttrack.simulator.shown.plots.kinds import Breakdown as Breakdown
    from disttrack.simulator.shown.plots.kinds import Cost as Cost
    from disttrack.simulator.shown.plots.kinds import Error as Error
    from disttrack.simulator.shown.plots.kinds import Frontier as Frontier
    from disttrack.simulator.shown.plots.kinds import Matrix as Matrix
    from disttrack.simulator.shown.plots.kinds import Measure as Measure
    from disttrack.simulator.shown.plots.kinds import Spread as Spread
    from disttrack.simulator.shown.plots.kinds import Timeline as Timeline
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

PLOTS: Final[Kinds[Plot]] = Kinds.of(__name__)
"""The built-in kinds and their classes, loaded when they are asked for; installed packages may add to them."""
