"""The best private monitor, by a linear program, and the clock beside it: losses and errors of all streams, rates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms import Laplace
from disttrack.mechanisms.above_threshold import AboveThreshold
from disttrack.privacy.mechanisms import ClockMonitor, ExactMonitor, SparseVectorMonitor
from disttrack.privacy.mechanisms.clock_monitor import best_rate, largest_failure
from disttrack.privacy.mechanisms.exact_monitor import solution
from disttrack.privacy.mechanisms.halting import AboveThresholdHalting, HaltingTimes, Ones
from disttrack.privacy.mechanisms.monitors import verdict


def streams(steps: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield all streams of these steps with `most` ones at most."""
    for count in range(most + 1):
        yield from combinations(range(1, steps + 1), count)


def failure(times: HaltingTimes, ones: Ones, k: int, steps: int) -> float:
    """Return the exact probability of an error on a stream, by the verdict after each possible halt."""
    chances = {step: times.halting(ones, step, step) for step in range(1, steps + 1)}
    wrong = sum(chance for step, chance in chances.items() if verdict(ones, k, step) != "right")
    return wrong + (1 - sum(chances.values())) * (verdict(ones, k, None) != "right")


def loss(monitor: ClockMonitor | ExactMonitor, steps: int, delta: float = 0.0) -> float:
    """Return the largest logarithm of a ratio of chances over all neighbouring streams, or its excess over delta."""
    worst = 0.0
    most = steps if isinstance(monitor, ClockMonitor) else monitor.k
    for ones in streams(steps, most):
        for one in ones:
            pair = ones, tuple(each for each in ones if each != one)
            upto = ones[monitor.k - 1] if isinstance(monitor, ExactMonitor) and len(ones) >= monitor.k else steps
            mine, other = ([monitor.halting(data, step, step) for step in range(1, upto + 1)] for data in pair)
            for chances, others in ((mine, other), (other, mine)):
                both = zip([*chances, 1 - sum(chances)], [*others, 1 - sum(others)], strict=True)
                if delta:
                    worst = max(worst, sum(max(0.0, p - math.exp(monitor.epsilon) * q) for p, q in both))
                else:
                    worst = max(worst, *(math.log(p / q) for p, q in both if p > 1e-12))
    return worst


@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_clock_loses_its_epsilon_on_all_streams_and_no_more(k: int) -> None:
    for epsilon in (0.3, 1.0, 3.0):
        assert loss(ClockMonitor(k, epsilon, 5), 5) == pytest.approx(epsilon, abs=1e-6)
        # a fast clock, of which little is left at the end
        assert loss(ClockMonitor(k, epsilon, 5, rate=2.0), 5) <= epsilon + 1e-6


@pytest.mark.parametrize(("k", "epsilon", "steps"), [(1, 1.0, 3), (2, 0.5, 8), (3, 1.0, 7), (5, 1.0, 3), (4, 1.0, 7)])
def test_the_stated_failure_is_that_of_the_worst_of_all_streams(k: int, epsilon: float, steps: int) -> None:
    for monitor in (ClockMonitor(k, epsilon, steps), ExactMonitor(k, epsilon, steps)):
        worst = max(failure(monitor.halting_times(), ones, k, steps) for ones in streams(steps, min(k, steps)))
        assert monitor.failure == pytest.approx(worst, abs=1e-7)


def test_the_program_gives_a_private_monitor_with_delta_too() -> None:
    assert loss(ExactMonitor(2, 0.5, 6), 6) <= 0.5 + 1e-6
    leaky = ExactMonitor(2, 0.5, 6, delta=0.05)
    assert 0.04 < loss(leaky, 6, delta=0.05) <= 0.05 + 1e-6


@pytest.mark.parametrize(("k", "epsilon", "steps", "delta"), [(2, 0.5, 6, 0.0), (2, 0.5, 5, 0.05), (4, 1.0, 5, 0.0)])
def test_streams_beyond_the_last_one_change_nothing(k: int, epsilon: float, steps: int, delta: float) -> None:
    """The program ends with the k-th one; with all streams to their ends its value is the same."""
    value = solution(k, epsilon, steps, delta)[0]
    assert solution(k, epsilon, steps, delta, most=steps)[0] == pytest.approx(value, abs=1e-7)
    assert solution(k, 1.5 * epsilon, steps, delta)[0] < value - 0.01  # the comparison can fail


@pytest.mark.slow
def test_values_of_the_program() -> None:
    """At epsilon = 0 every stream halts alike: of T - 1 windows of two steps, half of which are apart, one is hit."""
    assert ExactMonitor(2, 1e-9, 8).failure == pytest.approx(4 / 5)
    for steps, value in ((4, 0.458), (8, 0.634), (16, 0.781)):
        assert ExactMonitor(2, 0.5, steps).failure == pytest.approx(value, abs=5e-4)
    assert ExactMonitor(6, 1.0, 8).failure == pytest.approx(0.0939, abs=1e-4)
    leaky = [ExactMonitor(2, 0.5, 16, delta).failure or 0 for delta in (0.001, 0.01, 0.1)]
    assert leaky == pytest.approx([0.779, 0.764, 0.610], abs=5e-4)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(("k", "epsilon", "steps"), [(2, 0.5, 16), (2, 4.0, 16), (4, 1.0, 8), (6, 2.0, 8)])
def test_windows_bound_the_program_and_the_program_the_others(k: int, epsilon: float, steps: int) -> None:
    last = k - math.ceil(k / 2) + 1
    reach = sum(math.exp(epsilon * count) for count in range(1, last + 1))
    windows = (steps - k + 1) / (steps - k + 1 + reach)
    exact, clock = ExactMonitor(k, epsilon, steps).failure, ClockMonitor(k, epsilon, steps).failure
    assert exact is not None
    assert clock is not None
    assert windows - 1e-7 <= exact <= clock
    assert clock <= 3.5 * exact
    sparse = SparseVectorMonitor(k, epsilon).halting_times()
    assert max(failure(sparse, ones, k, steps) for ones in streams(steps, min(k, 2))) > clock


class OfSums(AboveThreshold):
    """Sparse vectors with the threshold's noise for each query too, as monotone ones need (Lyu, Su, Li 2017)."""

    share = 2.0

    @property
    def threshold_noise(self) -> Laplace:
        return Laplace(self.share / self.epsilon)

    @property
    def query_noise(self) -> Laplace:
        return Laplace(self.share / self.epsilon)


class OfOneStream(OfSums):
    """The same with half of that noise: a further one lifts all later sums, by which the threshold moves as well."""

    share = 1.0


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("test", "cut", "value", "lost"),
    [(AboveThreshold, 7.7, 0.658, 0.5), (OfSums, 5.6, 0.592, 0.5), (OfOneStream, 4.7, 0.322, 1.0)],
)
def test_sparse_vectors_with_the_least_noise_err_more_than_the_clock(
    test: type[AboveThreshold], cut: float, value: float, lost: float
) -> None:
    """k = 6, epsilon = 1, T = 8, at the best cut: exact errors on all streams, and what prefix sums lose at most."""

    def worst(at: float) -> float:
        times = AboveThresholdHalting(test(1.0, at), most_ones=6)
        return max(failure(times, ones, 6, 8) for ones in streams(8, 6))

    best = worst(cut)
    assert best == pytest.approx(value, abs=6e-4)
    assert best <= min(worst(cut - 0.4), worst(cut + 0.4))
    clock = ClockMonitor(6, 1.0, 8).failure
    assert clock is not None
    assert clock < 0.7 * best
    times = AboveThresholdHalting(test(1.0, cut), most_ones=6)
    losses = [0.0]
    for ones in streams(6, 6):
        for gone in ones:
            pair = ones, tuple(one for one in ones if one != gone)
            here, there = ([times.halting(data, step, step) for step in range(1, 7)] for data in pair)
            both = zip([*here, 1 - sum(here)], [*there, 1 - sum(there)], strict=True)
            losses += [abs(math.log(p / q)) for p, q in both]
    assert 0.4 * lost < max(losses) <= lost + 1e-6


def test_twice_the_logarithm_of_the_time_is_the_right_threshold() -> None:
    """With k = (2 / epsilon) (ln T + c) the windows bound the error by e^-c / 11, the clock by its root."""
    for power in (10, 20, 40, 60):
        for more in (6, 12):
            k = 2 * round(10 * (power * math.log(2) + more))  # even, at epsilon = 0.1
            reach = sum(math.exp(0.1 * count) for count in range(1, k // 2 + 2))
            places = 2**power - k + 1
            assert places / reach == pytest.approx(math.exp(-more) / 11.5, rel=0.4)
            assert ClockMonitor(k, 0.1, 2**power).failure == pytest.approx(math.sqrt(places / reach), rel=0.06)


@pytest.mark.false_alarm(4e-6)
def test_games_halt_as_the_chances_say() -> None:
    """Two chi-squared tests, each wrong with 1e-6; a step whose chance is off by 0.03 is found with 0.95."""
    rng, runs, ones, steps = np.random.default_rng(5), 4_000, (2, 3, 6), 7
    for monitor in (ClockMonitor(3, 0.7, steps), ExactMonitor(3, 0.7, steps)):
        halts = [monitor.halt(ones, steps, rng) or 0 for _ in range(runs)]
        ends = 6 if isinstance(monitor, ExactMonitor) else steps
        chances = [monitor.halting(ones, step, step) for step in range(1, ends + 1)]
        expected = runs * np.array([1 - sum(chances), *chances])
        seen = np.bincount(halts, minlength=len(expected))
        kept = expected > 1e-6
        assert stats.chisquare(seen[kept], expected[kept] * seen[kept].sum() / expected[kept].sum()).pvalue > 1e-6
        assert seen[~kept].sum() == 0


def test_a_program_that_is_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match="horizon must be smaller for k = 4"):
        ExactMonitor(4, 1.0, 40)


@pytest.mark.parametrize("seed", range(20))
def test_no_other_rate_fails_less(seed: int) -> None:
    """A search that stops in a local minimum of the worst of several streams would end above the grid."""
    rng = np.random.default_rng(seed)
    k, epsilon = int(rng.integers(1, 40)), float(10 ** rng.uniform(-1.5, 1))
    horizon = k + int(10 ** rng.uniform(0, 7))
    rates = np.exp(np.linspace(-math.log(horizon) - epsilon * k, 1.0, 500))
    least = min(largest_failure(k, epsilon, horizon, rate) for rate in rates)
    assert largest_failure(k, epsilon, horizon, best_rate(k, epsilon, horizon)) <= least * (1 + 1e-6)
