"""Errors in units of alpha, their scale, and the border above which a promise is broken: of `error` and `frontier`."""

from __future__ import annotations

from math import inf
from typing import Final

import pandas as pd

from disttrack.simulator.plots.description import Axis, Fill, Item, Look, Region, Rule, Words
from disttrack.simulator.plots.marks import BORDER, QUIET

FLOOR: Final = 0.1
"""Smaller errors, in units of alpha, are drawn here: how far below the border they are is of no interest."""
FLOOR_NOTE: Final = f" ↓: below the scale, less than {FLOOR:g} α."
_TICKS: Final = (*(step * 10.0**power for power in range(-4, 1) for step in (1, 2, 5)), 10, 20, 50, 100, 1000)


def error_over_alpha(games: pd.DataFrame) -> pd.Series[float]:
    """Return the largest relative error of each game in units of alpha, absent where nothing was promised."""
    alpha = games["alpha"].astype(float)
    return games["max_rel_error"].astype(float) / alpha.where(alpha > 0)


def error_axis(label: str, low: float, high: float, edges: tuple[float, float]) -> Axis:
    """Return the logarithmic axis of errors, with plain numbers, and ∞ where infinite ones are drawn."""
    infinite = edges[1]
    ticks = [tick for tick in _TICKS if low <= tick <= min(high, infinite / 1.2)]

    def text(value: float) -> str:
        return "∞" if value == infinite else f"{value:,g}"

    return Axis(label, "log", (low, high), [*ticks, *[infinite] * (infinite < inf)], text=text, edges=edges)


def border(high: float, named: bool) -> list[Item]:
    """Return the border at an error of alpha and the part above it, which is named in the first panel."""
    items: list[Item] = [Region(1, high, Fill("#000000", 0.05)), Rule(1, Look(BORDER, width=1.0, order=1))]
    return [*items, Words(0.02, 0.97, "fails: error above α", QUIET, shares=True, place="top")] if named else items
