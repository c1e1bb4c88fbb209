"""Counters with a memory open all the time, exactly: Lemma 4.4 and Theorem 4.3 of Dwork, Naor, Pitassi, Rothblum 2010.

The proof compares n zeros with n bits that are 1 with probability 1 / (k sqrt n) each: a step of the counter then goes
from its state by the distribution q0, or by q1 = (1 - 1 / (k sqrt n)) q0 + p1 / (k sqrt n), with p1 what a 1 does.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms import RandomizedResponse

SPREAD = 8
"""The constant k of the proof."""
LENGTHS = [1 << power for power in (4, 8, 12, 16, 20)]

Row = np.ndarray
"""Chances of the next states."""


def steps_of(rng: np.random.Generator, states: int = 6) -> tuple[Row, Row]:
    """Return what a 0 and a 1 do in a state, with a privacy loss of 1 at most."""
    zero = rng.dirichlet(np.ones(states))
    one = zero * np.exp(rng.uniform(-0.5, 0.5, states))
    return zero, one / one.sum()


def parts(zero: Row, one: Row, rare: float) -> tuple[Row, Row, Row]:
    """Return q1, C' and C'' as the lemma writes them."""
    mixed = (1 - rare) * zero + rare * one
    first = zero / (2 * rare) + zero - mixed / (2 * rare)
    second = zero - zero / (2 * rare) + mixed / (2 * rare)
    return mixed, first, second


@pytest.mark.parametrize("n", LENGTHS)
def test_a_private_step_is_a_mixture_of_two_distributions(n: int) -> None:
    """Lemma 4.4 for epsilon up to ln 3: q0 = (C' + C'') / 2, q1 leans to C'' by 1 / (k sqrt n), both are distributions.

    C' is (3 p0 - p1) / 2, so that the lemma needs p1 <= 3 p0. Control: a step with a loss of ln 3.5 has a negative C'.
    """
    rng, rare = np.random.default_rng(n), 1 / (SPREAD * sqrt(n))
    for _ in range(100):
        zero, one = steps_of(rng)
        assert np.abs(np.log(one / zero)).max() < log(3)
        mixed, first, second = parts(zero, one, rare)
        assert zero == pytest.approx((first + second) / 2)
        assert mixed == pytest.approx((1 / 2 - rare) * first + (1 / 2 + rare) * second)
        assert min(first.min(), second.min()) >= 0
        assert first.sum() == pytest.approx(1)
        assert first == pytest.approx((3 * zero - one) / 2, rel=1e-6)
    zero, one = np.array([0.1, 0.9]), np.array([0.35, 0.65])
    assert parts(zero, one, rare)[1].min() < 0


def apart(n: int, zero: float, one: float) -> float:
    """Return the statistical distance of two binomial distributions of n."""
    heads = np.arange(n + 1) if n <= 1 << 16 else np.arange(n // 2 - 20 * int(sqrt(n)), n // 2 + 20 * int(sqrt(n)))
    return float(np.abs(stats.binom.pmf(heads, n, zero) - stats.binom.pmf(heads, n, one)).sum() / 2)


@pytest.mark.parametrize("n", LENGTHS)
def test_two_inputs_that_differ_by_the_root_of_n_are_hardly_told_apart(n: int) -> None:
    """All states together tell no more than n coins that lean by 1 / (k sqrt n), which is at most 0.81 / k, whatever n.

    Randomised response tells as much as its epsilon lets it, which is less. Controls: the same coins with a lean of
    1 / n^(1/4), and a counter whose memory holds the sum.
    """
    rare = 1 / (SPREAD * sqrt(n))
    assert apart(n, 1 / 2, 1 / 2 + rare) < 0.81 / SPREAD
    flip = RandomizedResponse(log(3)).flip
    assert n > 1 << 16 or apart(n, flip, flip + rare * (1 - 2 * flip)) < apart(n, 1 / 2, 1 / 2 + rare)
    assert n not in (256, 4096) or apart(n, 1 / 2, 1 / 2 + n**-0.25) > 0.9
    assert 1 - (1 - rare) ** n > (0.39 if n == 16 else 0.86)  # an exact sum is 0 only if no bit was 1


def errs(n: int, epsilon: float, by: float) -> float:
    """Return the chance that randomised response errs by so much on n zeros, exactly."""
    flip = RandomizedResponse(epsilon).flip
    room = by * (1 - 2 * flip)
    return float(stats.binom.sf(np.ceil(n * flip + room) - 1, n, flip) + stats.binom.cdf(n * flip - room, n, flip))


@pytest.mark.parametrize("n", LENGTHS)
def test_randomised_response_errs_by_the_root_of_n(n: int) -> None:
    """Theorem 4.3: an error of sqrt(n) / (2 k) with a chance of 1/2 - 2 delta at least, delta = 0.81 / k.

    It is above 3 sqrt(n) with 1 % at most. Control: with an epsilon that grows with n, no privacy, it is smaller.
    """
    least = 1 / 2 - 2 * 0.81 / SPREAD
    assert errs(n, log(3), sqrt(n) / (2 * SPREAD)) > least
    assert errs(n, log(3), 3 * sqrt(n)) < 0.01
    assert n < 256 or errs(n, 1 + 2 * log(n), sqrt(n) / (2 * SPREAD)) < least
    assert RandomizedResponse(log(3)).variance(4 * n) == pytest.approx(4 * RandomizedResponse(log(3)).variance(n))
