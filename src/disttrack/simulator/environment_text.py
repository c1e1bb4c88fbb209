"""What a learner in the adversary's place knows, as text: counts, the output, and which sites it has fed."""

from __future__ import annotations

from typing import Final

import numpy as np

from disttrack.adversaries.base import View
from disttrack.simulator.results.formats import number, percent

MOST: Final = 64
"""Letters of the picture of sites; more sites share a letter."""
LEVELS: Final = "·▁▂▃▄▅▆▇█"


def picture(view: View, fed: object, error: float, largest: float, items: int) -> list[str]:
    """Return the lines.

    Parameters
    ----------
    view
        What the learner sees.
    fed
        Items that each site was given.
    error, largest
        The relative error now, with its sign, and the largest so far.
    items
        Of the whole game.
    """
    ago = view.steps - view.changed_at
    steps = "in this step" if ago == 0 else "a step ago" if ago == 1 else f"{number(ago)} steps ago"
    return [
        f"{number(view.sent)} of {number(items)} items sent in {number(view.steps)} steps",
        f"output {number(float(view.output))}, error {percent(error)}, largest {percent(largest)}",
        f"changed {number(view.changes)} times" + (f", last {steps}" if view.changes else ""),
        f"items by site  {bars(fed)}",
    ]


def bars(fed: object) -> str:
    """Return a letter per site, or per few neighbouring ones, as high as its share; a dot for none.

    >>> bars([0, 1, 4, 8])
    '·▁▄█'
    """
    values = np.asarray(fed, dtype=float)
    if len(values) > MOST:
        values = np.array([part.sum() for part in np.array_split(values, MOST)])
    most = values.max(initial=0.0)
    levels = np.ceil(values / most * (len(LEVELS) - 1)).astype(int) if most > 0 else np.zeros(len(values), dtype=int)
    return "".join(LEVELS[level] for level in levels)
