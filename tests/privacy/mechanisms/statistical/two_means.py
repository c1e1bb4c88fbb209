"""The noisy argmax of two means in closed form."""

from __future__ import annotations

from math import exp


def first_wins(gap: float, scale: float) -> float:
    """Return the probability that the first of two means, larger by `gap`, is named with Laplace noise of this scale.

    The difference of two Laplace variables exceeds x >= 0 with probability e^(-x / b) (2 + x / b) / 4.
    """
    share = abs(gap) / scale
    beyond = exp(-share) * (2 + share) / 4
    return 1 - beyond if gap >= 0 else beyond
