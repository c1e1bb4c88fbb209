"""Sparse vectors and declarations, exactly: the statements of Qiu and Yi with a control for each.

Chances of halting are integrals over the threshold's noise. A wrong alternative stands beside each check: more noise
than stated, a test that looks ahead, tests whose segments overlap.
"""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import pytest

from disttrack.mechanisms import AboveThreshold
from disttrack.privacy.mechanisms.halting import AboveThresholdHalting

BETA = 0.05
STEPS = 6
Bits = tuple[int, ...]


def halts_within(epsilon: float, queries: int, level: float) -> float:
    """Return the probability that one of these queries fires; `level` is their value minus the threshold."""
    return AboveThresholdHalting(AboveThreshold(epsilon, -level), most_ones=0).halting((), 1, queries)


# ---------------------------------------------------------------------- Theorem 4, accuracy


@pytest.mark.parametrize("queries", [1, 10, 1000, 10**6])
def test_it_is_silent_well_below_the_threshold(queries: int) -> None:
    """At theta - (8 / eps) ln(2 t / beta); with noise four times as large it is not."""
    level = -8 * math.log(2 * queries / BETA)
    assert halts_within(1.0, queries, level) <= BETA
    assert halts_within(0.25, queries, level) > BETA


def test_it_fires_well_above_the_threshold() -> None:
    """At theta + (6 / eps) ln(2 / beta), at once; with noise four times as large it does not."""
    level = 6 * math.log(2 / BETA)
    assert halts_within(1.0, 1, level) >= 1 - BETA
    assert halts_within(0.25, 1, level) < 1 - BETA


@pytest.mark.parametrize("queries", [1, 10, 1000, 10**6])
def test_where_it_fires_the_query_is_not_far_below_the_threshold(queries: int) -> None:
    """It fires at none of t queries at theta - (6 / eps) ln(2 t / beta); with twice the noise it does for t >= 10."""
    level = -6 * math.log(2 * queries / BETA)
    assert halts_within(1.0, queries, level) <= BETA
    if queries >= 10:
        assert halts_within(0.5, queries, level) > BETA


# ---------------------------------------------------------------------- Definition 5, Theorem 6


@cache
def law(bits: Bits, threshold: float, epsilon: float = 1.0) -> tuple[float, ...]:
    """Return the chances that a test of the prefix sums halts at each step, or never."""
    halting = AboveThresholdHalting(AboveThreshold(epsilon, threshold), most_ones=STEPS)
    ones = [step for step, bit in enumerate(bits, 1) if bit]
    chances = [halting.halting(ones, step, step) for step in range(1, len(bits) + 1)]
    return (*chances, 1 - sum(chances))


def neighbours() -> list[tuple[Bits, Bits, int]]:
    """Return all pairs of streams that differ in one bit, and the step of that."""
    found = []
    for bits in itertools.product((0, 1), repeat=STEPS):
        found += [
            (bits, (*bits[:place], 1, *bits[place + 1 :]), place + 1) for place in range(STEPS) if not bits[place]
        ]
    return found


def declared_losses(laws: Any) -> tuple[float, float]:
    """Return the largest loss where the changed step is in the declared segment, 1 … halt, and where it is not."""
    inside = outside = 0.0
    for here, there, changed in neighbours():
        for halt, (p, q) in enumerate(zip(laws(here), laws(there), strict=True), 1):
            loss = abs(math.log(p / q))
            if changed <= halt:
                inside = max(inside, loss)
            else:
                outside = max(outside, loss)
    return inside, outside


def test_a_test_declares_the_steps_that_it_has_used() -> None:
    """It is private on the segment that it closes, and blind to what comes after; one that looks ahead is not blind."""
    inside, outside = declared_losses(lambda bits: law(bits, 2.2))
    assert 0.3 < inside <= 1.0
    assert outside < 1e-9
    _, ahead = declared_losses(lambda bits: law((*bits[1:], 0), 1.2))
    assert ahead > 0.05
    too_private, _ = declared_losses(lambda bits: law(bits, 2.2, 4.0))
    assert too_private > 1.0


def second_threshold(halt: int) -> float:
    """Return the threshold of the second test, chosen by what the first has shown."""
    return 0.5 + halt % 3


def two_tests(bits: Bits, *, overlap: bool) -> dict[tuple[int, int], float]:
    """Return the chances of all pairs of halting steps; the second test begins after the first, or with it."""
    found = {}
    for first, p in enumerate(law(bits, 1.2), 1):
        rest = bits if overlap else bits[first:]
        if not rest:
            found[first, 0] = p
        else:
            for second, q in enumerate(law(rest, second_threshold(first)), 1):
                found[first, second] = p * q
    return found


def largest_loss(*, overlap: bool) -> float:
    worst = 0.0
    for here, there, _ in neighbours():
        left, right = two_tests(here, overlap=overlap), two_tests(there, overlap=overlap)
        assert left.keys() == right.keys()
        assert sum(left.values()) == pytest.approx(1)
        worst = max(worst, *(abs(math.log(left[halts] / right[halts])) for halts in left))
    return worst


def test_tests_on_disjoint_segments_lose_as_much_as_one() -> None:
    """All streams of 6 bits, the second test chosen by the first one's answer. One test of sums loses half of epsilon
    at most; two on disjoint segments no more, two on the same one more."""
    assert 0.2 < largest_loss(overlap=False) <= 0.5
    assert largest_loss(overlap=True) > 0.5
