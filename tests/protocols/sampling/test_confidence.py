"""The deviations that the sampling tracker needs at all steps: limits in closed form, and games that fail as often."""

from __future__ import annotations

from math import exp, log2, sqrt

import numpy as np
import pytest
from scipy import stats

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Randomized
from disttrack.protocols.sampling.randomized import LARGEST_COUNT, at_rest, confidence_for, rate, spoilt
from disttrack.simulator import play

ALARM = 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("k", "alpha", "c"), [(16, 0.02, 2.5), (1024, 0.003, 2.6)])
@pytest.mark.false_alarm(2e-6)
def test_a_doubling_fails_about_as_often(k: int, alpha: float, c: float) -> None:
    """400 games each of one doubling, p being sqrt(k) c / (alpha n) at its start: at most as often as computed.

    And not below four tenths of it: a game begins without any error, and it takes a part of the time in which errors
    are likely until that is forgotten. False alarms: 1e-6. Power: with a c half as large again a tenth would fail.
    """
    start = int(4096 * sqrt(k) * c / alpha) + 1
    games = [
        play(Randomized(alpha=alpha, confidence=c), RoundRobin(), sites=k, start=start, items=start - 2, seed=seed)
        for seed in range(400)
    ]
    failed, expected = sum(not game.ok for game in games), 1 - exp(-spoilt(k, alpha, c))
    assert stats.binom.sf(failed - 1, 400, expected) > ALARM
    assert stats.binom.cdf(failed, 400, 0.4 * expected) > ALARM
    assert spoilt(k, alpha, 1.5 * c) < 0.1 * spoilt(k, alpha, c)


def test_tight_is_one_copy_with_the_least_confidence() -> None:
    """The promise of the median at a twentieth of its words."""
    tight = Randomized(alpha=0.05, delta=0.05, parameters="tight")
    spread, copies = tight.tuned(400)
    assert copies == 1
    assert 0.05 / spread == pytest.approx(confidence_for(400, 0.05, 0.05 / log2(LARGEST_COUNT)))
    options = {"sites": 400, "items": 10**6, "start": 10**6}
    words = [play(one, RoundRobin(), **options).words for one in (tight, Randomized(alpha=0.05, delta=0.05))]  # type: ignore[arg-type]
    assert words[0] < words[1] / 20


@pytest.mark.parametrize("k", [1, 4, 50])
def test_errors_of_a_sum_of_ages(k: int) -> None:
    """The sum of k exponential ages, its density, and how often it leaves a band."""
    gamma = stats.gamma(k)
    for deviation in (0.3, 1.0, 3.0, 9.0):
        u = deviation / sqrt(k)
        high = gamma.cdf(k * (1 - u)) if u < 1 else 0.0
        assert float(at_rest(k, deviation)) == pytest.approx(gamma.sf(k * (1 + u)) + high)
        begun = gamma.pdf(k * (1 + u)) * u / (1 + u) + (gamma.pdf(k * (1 - u)) * u if u < 1 else 0.0)
        assert float(rate(k, deviation)) == pytest.approx(k * begun)
    for factor in (1.5, 2.0):
        grown = np.linspace(1, factor, 20_001)
        begin = float(np.trapezoid([float(one) for one in rate(k, 2.5 * grown)], grown))
        exact = float(at_rest(k, 2.5)) + begin * 2.5 / (0.1 * sqrt(k))
        assert spoilt(k, 0.1, 2.5, factor) == pytest.approx(exact, rel=1e-3)
    assert spoilt(k, 0.1, 2.5) == spoilt(k, 0.1, 2.5, 2.0)
    for allowed in (0.2, 1e-4, 1e-9):
        found = confidence_for(k, 0.1, allowed, 1.5)
        assert spoilt(k, 0.1, found, 1.5) == pytest.approx(allowed, rel=1e-3)
        assert spoilt(k, 0.1, found * 1.01, 1.5) < allowed < spoilt(k, 0.1, found * 0.99, 1.5)
    assert confidence_for(k, 0.1, 1e9) == 0.5
