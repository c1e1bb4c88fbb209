"""The exact privacy loss of a mechanism that draws one uniform number, of which its outcome is a step function."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from types import SimpleNamespace
from typing import Final

from disttrack.privacy.tasks.audit.case import Inputs, Watch
from disttrack.privacy.tasks.audit.exact.coins import loss_between

PIECES: Final = 64
"""Parts in which an outcome that is the same at both ends is taken to be so between them."""
RESOLUTION: Final = 2.0**-46
"""Width of an interval that is not halved again."""


def outcomes(watch: Watch, data: object) -> Mapping[tuple[float, ...], float]:
    """Return the probability of each outcome: its places of change are searched by halving intervals."""

    def seen(number: float) -> tuple[float, ...]:
        generator: object = SimpleNamespace(random=lambda: number)
        return tuple(watch(data, generator))

    chances: dict[tuple[float, ...], float] = defaultdict(float)
    ends = [min(piece / PIECES, 1 - 2.0**-53) for piece in range(PIECES + 1)]
    open_parts = [(low, high, seen(low), seen(high)) for low, high in pairwise(ends)]
    while open_parts:
        low, high, first, last = open_parts.pop()
        if first == last or high - low < RESOLUTION:
            for outcome in (first, last):
                chances[outcome] += (high - low) / 2
        else:
            middle = (low + high) / 2
            between = seen(middle)
            open_parts += [(low, middle, first, between), (middle, high, between, last)]
    return chances


def draw_loss(watch: Watch, inputs: Inputs) -> float:
    """Return the largest logarithm of the ratio of an event's probabilities on an input and its neighbour.

    Outcomes with less than a rounding's probability are only counted together with others.
    """
    mine, other = (outcomes(watch, data) for data in inputs)
    return max(loss_between(mine, other, 0.0), loss_between(other, mine, 0.0))
