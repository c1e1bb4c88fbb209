"""Closed forms of the variance, from the running code and from simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linear_counters import LINEAR
from scipy import stats

from disttrack.mechanisms import Binary, Hybrid, KAry, RandomizedResponse, TreeVarianceReduced
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.counters.k_ary import balanced_digits
from disttrack.mechanisms.scripted_noise import response

FALSE_ALARM = 1e-6


@pytest.mark.parametrize("steps", [1, 2, 5, 8, 12, 33])
@pytest.mark.parametrize("kind", LINEAR)
def test_variance_is_that_of_the_noise_in_the_estimate(kind: str, steps: int) -> None:
    rules = counter(kind, 0.8, steps)
    one = 1.0 if rules.privacy == "approximate" else 2.0  # variance of a draw in units of its scale squared
    measured = one * np.sum(response(rules, steps, 2 * steps + 70) ** 2, axis=1)
    assert measured.tolist() == pytest.approx([rules.variance(t) for t in range(1, steps + 1)], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*LINEAR, "randomized-response"])
@pytest.mark.false_alarm(1e-6)
def test_simulated_variance_meets_the_formula(kind: str) -> None:
    # n runs; the sum of squared errors over the variance is chi-square with 2n / (2 + excess) degrees of freedom
    # in effect, excess the kurtosis of the noise beyond the normal's. At 1e-6 both ways and n = 4,000 the
    # factors are about 0.88 and 1.13 (0.8 and 1.25 for a single Laplace variable); a scale with one level too
    # few (6 for 7) would give 0.73.
    steps, runs = 100, 4_000
    rules = counter(kind, 0.8, steps)
    rng = np.random.default_rng(2024)
    stream = rng.integers(0, 2, steps)
    truth = np.cumsum(stream)
    errors = np.array([rules.start(rng).release(stream) - truth for _ in range(runs)])
    checked = (1, 31, 64, 95, 100)
    for t in checked:
        variance = rules.variance(t)
        assert variance is not None
        parts = rules.noise_parts(t)
        fourth = sum(12 * count * scale**4 for scale, count in parts) if parts else 0.0
        freedom = 2 * runs / (2 + fourth / variance**2)
        statistic = freedom * float(np.mean(errors[:, t - 1] ** 2)) / variance
        risk = FALSE_ALARM / len(checked) / 2
        assert stats.chi2.isf(1 - risk, freedom) < statistic < stats.chi2.isf(risk, freedom)
        # the mean of 4,000 errors, each of this variance: the estimate is unbiased
        assert abs(errors[:, t - 1].mean()) < 5.5 * math.sqrt(variance / runs)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LINEAR)
@pytest.mark.false_alarm(1e-6)
def test_error_bound_is_exceeded_as_often_as_it_says(kind: str) -> None:
    # 4,000 runs, binomial test at 1e-6 of the share beyond the 20 % bound; a scale 10 % too small gives about
    # 24 %, which is beyond 6 standard deviations of the share.
    steps, runs = 45, 4_000
    rules = counter(kind, 0.8, steps)
    rng = np.random.default_rng(77)
    errors = np.array([rules.start(rng).release(np.zeros(steps))[-1] for _ in range(runs)])
    beyond = int(np.sum(np.abs(errors) > rules.error_bound(steps, 0.2)))
    assert stats.binomtest(beyond, runs, 0.2).pvalue > FALSE_ALARM
    short = int(np.sum(np.abs(errors) > 0.85 * rules.error_bound(steps, 0.2)))
    assert stats.binomtest(short, runs, 0.2).pvalue < FALSE_ALARM


def test_binary_closed_forms() -> None:
    rules = Binary(epsilon=0.5, horizon=1000)
    assert rules.levels == 10
    for t in (1, 7, 512, 1000):
        assert rules.variance(t) == pytest.approx(2 * t.bit_count() * (10 / 0.5) ** 2)
    literal = Binary(epsilon=1.0, horizon=1024, literal=True)
    for j in range(1, 10):
        assert math.sqrt(literal.variance(2**j - 1) or 0) == pytest.approx(math.sqrt(2 * j) * 10)


@pytest.mark.parametrize(("log_horizon", "error"), [(10, 1210), (14, 3150)])
def test_mean_squared_error_of_the_dyadic_tree(log_horizon: int, error: float) -> None:
    rules = Binary(epsilon=1.0, horizon=2**log_horizon)
    assert rules.levels == log_horizon + 1
    mean = np.mean([rules.variance(t) for t in range(1, 2**log_horizon + 1)])
    # the mean number of set bits is log2(T) / 2, up to 1 / T for the last step
    assert mean == pytest.approx(error, abs=2 * 15**2 / 2**log_horizon + 0.5)


def test_hybrid_closed_forms() -> None:
    assert [Hybrid(epsilon=1.0).variance(t) for t in (1, 2, 3, 7, 1000)] == [8, 16, 24, 88, 3320]


def test_variance_reduced_closed_forms() -> None:
    rules = TreeVarianceReduced(epsilon=1.0, horizon=1 << 10)
    node = 2 * 11**2
    for height in range(11):
        assert rules.variance(1 << height) == pytest.approx(node * 2**height / (2 ** (height + 1) - 1))
    assert rules.variance(0b1011) == pytest.approx(sum(rules.variance(1 << h) or 0 for h in (0, 1, 3)))


@pytest.mark.slow
def test_k_ary_is_eight_times_better_than_binary_on_long_streams() -> None:
    horizon = 1 << 24
    digits = np.zeros(horizon)
    left = np.arange(1, horizon + 1)
    while left.any():
        digit = (left + 9) % 19 - 9
        digits += np.abs(digit)
        left = (left - digit) // 19
    assert KAry(epsilon=1.0, horizon=horizon).levels == 6
    mean = 2 * digits.mean() * 6**2
    for t in (1, 19, 12_345, horizon):
        assert KAry(epsilon=1.0, horizon=horizon).variance(t) == 2 * digits[t - 1] * 36
    binary = 2 * np.bitwise_count(np.arange(1, horizon + 1)).mean() * 25**2
    assert binary / mean == pytest.approx(8, rel=0.05)


def test_balanced_digits_write_every_number() -> None:
    for base in (3, 5, 19):
        for number in range(1, 2000):
            digits = balanced_digits(number, base)
            assert sum(digit * base**place for place, digit in enumerate(digits)) == number
            assert all(abs(digit) <= base // 2 for digit in digits)
            assert digits[-1] > 0


def test_randomized_response_closed_form() -> None:
    q = 1 / (1 + math.exp(0.3))
    exact = 50 * q * (1 - q) / (1 - 2 * q) ** 2
    assert RandomizedResponse(epsilon=0.3).variance(50) == pytest.approx(exact)
    assert math.sqrt(RandomizedResponse(epsilon=0.01).variance(10_000)) == pytest.approx(100 / 0.01, rel=1e-3)
