"""Figures of games on private data and of sketches: `size`, `budget` and `ratio`."""

# ruff: noqa: I001 (the order is that of `disttrack list`)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds
from disttrack.simulator.shown.plots.base import Plot

if TYPE_CHECKING:
    "Plots"
    from disttrack.privacy.plots.kinds import SizeOverTime as SizeOverTime
    from disttrack.privacy.plots.kinds import Budget as Budget
    from disttrack.privacy.plots.kinds import Ratio as Ratio

PLOTS: Final[Kinds[Plot]] = Kinds.of(__name__, SizeOverTime="size")
"""The figures of this package and their classes, loaded when they are asked for."""
