"""Noise laws, their draws in batches, and the exact tails of sums of Laplace variables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from disttrack.mechanisms import Draws, Gaussian, Laplace, laplace_sum_quantile
from disttrack.mechanisms.gaussian import delta_spent, noise_multiplier
from disttrack.mechanisms.laplace_sums import laplace_sum_log_tail


def test_tails_quantiles_and_variances_are_scipys() -> None:
    for law, exact in ((Laplace(2.0), stats.laplace(scale=2.0)), (Gaussian(2.0), stats.norm(scale=2.0))):
        assert law.variance == pytest.approx(exact.var())
        for share in (0.001, 0.3, 0.5, 0.9, 0.999999):
            assert law.quantile(share) == pytest.approx(exact.ppf(share), abs=1e-12)
    for value in (-9.0, -1.0, 0.0, 0.5, 30.0):
        assert Laplace(3.0).tail(value) == pytest.approx(stats.laplace(scale=3.0).sf(value), rel=1e-12)


def mixture_tail(count: int, value: float) -> float:
    """Pr[sum of `count` unit Laplace variables > value]: a mixture of gamma laws, all terms positive."""
    j = np.arange(count)
    weights = np.exp(special.gammaln(count + j) - special.gammaln(j + 1) - special.gammaln(count))
    return float(np.sum(weights * 0.5 ** (count + j) * special.gammaincc(count - j, value)))


@pytest.mark.parametrize("count", [1, 2, 3, 5, 12, 40])
def test_tail_of_equal_scales_meets_the_mixture_of_gammas(count: int) -> None:
    for value in (0.01, 0.3, 2.0, 9.0, 40.0, 90.0):
        measured = laplace_sum_log_tail([(2.0, count)], 2.0 * value)
        assert measured == pytest.approx(math.log(mixture_tail(count, value)), abs=1e-10)


def test_quantile_is_the_inverse_of_the_tail() -> None:
    parts = [(1.0, 4), (7.0, 2), (2.5, 1)]
    for beta in (0.5, 0.05, 1e-6, 1e-12):
        bound = laplace_sum_quantile(parts, beta)
        assert laplace_sum_log_tail(parts, bound) == pytest.approx(math.log(beta / 2), abs=1e-9)
    assert laplace_sum_quantile([], 0.1) == 0.0
    with pytest.raises(ValueError, match="beta must be a number between 0 and 1"):
        laplace_sum_quantile(parts, 1.0)


def test_noise_multipliers() -> None:
    assert noise_multiplier(0.5, 1e-5) == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 0.5)
    for epsilon, delta in ((0.1, 1e-6), (1.0, 1e-3), (8.0, 1e-9)):
        sigma = noise_multiplier(epsilon, delta, "exact")
        # the privacy curve of normal noise, written with scipy's distribution instead of special functions
        leak = stats.norm.cdf(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * stats.norm.cdf(
            -0.5 / sigma - epsilon * sigma
        )
        assert leak == pytest.approx(delta, rel=1e-6)
    assert noise_multiplier(1.0, 1e-6, "exact") < noise_multiplier(1.0, 1e-6)
    with pytest.raises(ValueError, match="epsilon must be at most 1 for the classical calibration; got 2"):
        noise_multiplier(2, 1e-6)
    with pytest.raises(ValueError, match="delta must be a number between 0 and 1"):
        noise_multiplier(1.0, 0.0)
    with pytest.raises(ValueError, match="calibration must be 'classical' or 'exact'; got 'best'"):
        noise_multiplier(1.0, 1e-6, "best")  # type: ignore[arg-type]


CLASSICAL = (1e-300, 1e-12, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.9, 0.999)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 0.9, 1.0])
def test_the_classical_calibration_is_private_wherever_it_is_taken(epsilon: float) -> None:
    """At epsilon = 1, the end of its range, it spends the most; what it spends is known exactly."""
    for delta in CLASSICAL:
        spent = delta_spent(noise_multiplier(epsilon, delta), epsilon)
        assert spent <= delta
        assert spent <= delta_spent(noise_multiplier(1.0, delta), 1.0) or spent < 1e-12
    assert delta_spent(noise_multiplier(1.0, 1e-6), 1.0) > 1e-10


class Numbers:
    """Noise that is 0, 1, 2, …, and how many of them were drawn at a time."""

    variance = 0.0

    def __init__(self) -> None:
        self.drawn: list[int] = []

    def draw(self, rng: np.random.Generator, size: int) -> np.ndarray:
        self.drawn.append(size)
        return np.arange(sum(self.drawn) - size, sum(self.drawn), dtype=float)

    def quantile(self, probability: float) -> float:
        return 0.0


@pytest.mark.parametrize(("batch", "drawn"), [(1, [1, 1, 1, 4, 1]), (2, [2, 2, 3, 2]), (5, [5, 2, 5]), (100, [100])])
def test_draws_come_in_order_and_no_sooner_than_asked_for(batch: int, drawn: list[int]) -> None:
    """Three one by one, four at once, one more; with a batch of 1 nothing lies in memory before its time."""
    noise = Numbers()
    draws = Draws(noise, np.random.default_rng(0), batch)
    assert [draws.one() for _ in range(3)] == [0, 1, 2]
    assert draws.many(4).tolist() == [3, 4, 5, 6]
    assert draws.one() == 7
    assert noise.drawn == drawn
