"""The lower bound on monitors, as an oracle."""

from __future__ import annotations

import math


def halting_bound(k: int, epsilon: float, delta: float, false_alarm: float) -> float:
    """Return what the probability of halting in time on the hard instance cannot exceed.

    exp(eps) (p0 + 2 k delta) / (1 - exp(eps) / 2), for an (eps, delta)-private monitor that halts on the
    zero stream with probability p0; infinity unless exp(eps) < 2.

    Source
    ------
    Section 2 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, with general epsilon (derived).
    """
    growth = math.exp(epsilon)
    if growth >= 2:
        return math.inf
    return growth * (false_alarm + 2 * k * delta) / (1 - growth / 2)
