"""The best private monitor, by a linear program, and the clock beside it: losses and errors of all streams, rates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from disttrack.privacy.mechanisms import ClockMonitor, ExactMonitor
from disttrack.privacy.mechanisms.exact_monitor import solution
from disttrack.privacy.mechanisms.halting import HaltingTimes, Ones
from disttrack.privacy.mechanisms.monitors import best_rate, largest_failure, verdict


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
