"""What every tracker must send, with coins and without, as lines in a cost figure.

The papers leave a constant factor open, so the lines tell growth, not height.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import Any, Final

import pandas as pd

from disttrack.simulator.plots.description import DOTS, Look, Series
from disttrack.simulator.plots.sweep import place

LOOK: Final = Look("#777777", "", DOTS, 1.1, order=3.5)
NOTE: Final = "Dots: lower bounds without coins (k/α) and with them (√k/α), but for a constant factor."
BOUNDS: Final[tuple[tuple[str, Callable[[float, float], float]], ...]] = (
    ("k/α", lambda k, alpha: k / alpha),
    ("√k/α", lambda k, alpha: sqrt(k) / alpha),
)
"""Words an e-fold of the stream by k and alpha: Yi, Zhang 2009, and Huang, Yi, Zhang 2012."""


def lower_bounds(
    trials: pd.DataFrame, axis: str, start: Callable[[Any], int], per: Callable[[Any], float]
) -> list[Series]:
    """Return the lower bounds at each place of an axis; none if games at one place have several.

    A bound b an e-fold holds from b items on; before that an item costs a word at most.

    Parameters
    ----------
    start
        Items before a game.
    per
        What the words of a game are divided by.
    """
    found = []
    for text, bound in BOUNDS:

        def words(game: Any, bound: Callable[[float, float], float] = bound) -> float:
            each = bound(game["sites"], game["alpha"])
            begun = max(start(game), each)
            return each * max(0.0, log((start(game) + game["items"]) / begun)) / per(game)

        table = pd.DataFrame({"x": place(trials, axis), "y": trials.apply(words, axis=1)}).dropna()
        groups = table.groupby("x")["y"]
        if table.empty or (groups.max() > 1.001 * groups.min()).any() or (table["y"] <= 0).any():
            continue
        least = groups.first()
        x, y = least.index.to_numpy(dtype=float), least.to_numpy(dtype=float)
        found.append(Series(text, x, y, LOOK, "lower bound", label=text))
    return found
