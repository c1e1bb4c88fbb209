"""The exact halting law of the sparse vector technique."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from disttrack.mechanisms import AboveThreshold
from disttrack.privacy.mechanisms.halting import AboveThresholdHalting


def test_halting_law_adds_up_over_very_long_streams() -> None:
    law = AboveThresholdHalting(AboveThreshold(epsilon=0.5, threshold=60.0))
    ones = (5, 10**6, 10**9)
    cuts = [0, 4, 5, 1000, 10**6, 10**9 + 7, 2**40]
    parts = [law.halting(ones, first + 1, last) for first, last in itertools.pairwise(cuts)]
    assert sum(parts) == pytest.approx(law.halting(ones, 1, 2**40), rel=1e-10)
    assert law.halting(ones, 5, 4) == 0.0


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_neighbours_halt_alike(epsilon: float) -> None:
    # every pair of neighbouring streams of 7 bits and every halting step: the ratio is at most exp(epsilon)
    assert 0.4 * epsilon < privacy_loss(AboveThreshold(epsilon, threshold=2.2), 7) <= epsilon
    assert privacy_loss(AboveThreshold(3 * epsilon, threshold=2.2), 7) > epsilon  # a third of the noise is seen


def privacy_loss(test: AboveThreshold, steps: int) -> float:
    """Return the largest log ratio of the chances of any halting step between any two neighbouring streams."""
    law = AboveThresholdHalting(test, most_ones=steps)
    laws = {}
    for bits in itertools.product((0, 1), repeat=steps):
        ones = (np.flatnonzero(bits) + 1).tolist()
        chances = [law.halting(ones, step, step) for step in range(1, steps + 1)]
        laws[bits] = np.array([*chances, 1 - sum(chances)])
    worst = 0.0
    for bits, place in itertools.product(laws, range(steps)):
        other = (*bits[:place], 1 - bits[place], *bits[place + 1 :])
        worst = max(worst, float(np.max(np.abs(np.log(laws[bits] / laws[other])))))
    return worst
