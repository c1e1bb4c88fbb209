"""Figures of games on private data and of sketches: `size`, `budget` and `ratio`."""

from __future__ import annotations

from typing import Final

from disttrack.lazy import Kinds
from disttrack.simulator.shown.plots.base import Plot

PLOTS: Final = Kinds[Plot](
    "Plots",
    {
        "size": "disttrack.privacy.plots.kinds:SizeOverTime",
        "budget": "disttrack.privacy.plots.kinds:Budget",
        "ratio": "disttrack.privacy.plots.kinds:Ratio",
    },
)
