"""Who changes seldom can be published at every step, who changes often cannot: section 5 of Dwork and others 2010.

The publications of Theorem 5.2, and Theorem 5.3 on the number of users who appeared an odd number of times.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from disttrack.privacy.mechanisms import ContinualOutput, PanPrivateDensity

Values = Sequence[float]


def changes(values: Values, by: float) -> int:
    """Return the longest run of changes by that much or more in a snapshot of the values, by dynamic programming."""
    best = [0] * len(values)
    for end, value in enumerate(values):
        longer = [best[at] + 1 for at in range(end) if abs(values[at] - value) >= by - 1e-12]
        best[end] = max(longer, default=0)
    return max(best)


def publications(values: Values, seed: int, rules: ContinualOutput) -> tuple[int, bool, float]:
    """Return how often a run publishes, whether it halts, and its largest error."""
    run = rules.start(Given(), np.random.default_rng(seed))
    errors = [abs(run.step(value) - value) for value in values]
    return run.changes, run.halted, max(errors)


@pytest.mark.false_alarm(2e-5)
def test_an_unvarying_estimator_is_never_halted_and_a_varying_one_is() -> None:
    """At most k + 1 publications; HALT comes with the last of them, for an unvarying one with probability beta at most.

    Forty runs; sixteen or more that halt have a chance below 1e-5 if each does so with 0.1. Control: as many steps of
    a value that goes up and down.
    """
    rules = ContinualOutput(1.0, 64, sensitivity=1e-5, changes=4, variation=0.2, beta=0.1)
    assert stats.binom.sf(15, 40, 0.1) < 1e-5
    stairs = [0.25 * (t // 13) for t in range(64)]
    assert changes(stairs, 0.2) == 4
    calm = [publications(stairs, seed, rules) for seed in range(40)]
    assert max(times for times, _, _ in calm) <= rules.changes + 1
    assert sum(halted for _, halted, _ in calm) <= 15
    assert sum(error > rules.error_bound(0.0) for _, _, error in calm) <= 15
    assert min(times for times, _, _ in calm) > 0
    wild = [publications([0.9 * (t % 2) for t in range(64)], seed, rules) for seed in range(40)]
    assert all((times, halted) == (rules.changes + 1, True) for times, halted, _ in wild)
    assert all(error > rules.error_bound(0.0) for _, _, error in wild)


# ---------------------------------------------------------------------- theorem 5.3

BLANK = -1
"""A symbol that is nobody's."""
Stream = Sequence[int]


def odd_share(stream: Stream, users: int) -> list[float]:
    """Return after each symbol the share of users who have appeared an odd number of times."""
    odd = np.zeros(users, dtype=bool)
    found = []
    for user in stream:
        if user != BLANK:
            odd[user] ^= True
        found.append(odd.mean())
    return found


def share(stream: Stream, users: int) -> list[float]:
    """Return after each symbol the share of users who have appeared: a function that varies little."""
    return [len({user for user in stream[: at + 1] if user != BLANK}) / users for at in range(len(stream))]


def least_error(jumps: int, height: float, users: int, epsilon: float) -> float:
    """Return what every epsilon-private algorithm errs by on one of the streams, with probability 1/2 at least.

    Whoever errs by less than half the height on each is told apart on 2^jumps streams, and each answer has a
    probability of e^(-epsilon users) / 2 at least on one and the same stream: too many if 2^jumps is more than
    2 e^(epsilon users).
    """
    return height / 2 if jumps * math.log(2) > math.log(2) + epsilon * users else 0.0


def test_who_publishes_a_varying_function_privately_errs_by_half_of_its_jumps() -> None:
    """Six users, twelve jumps from 0 to 1: the transformation publishes a few times and then halts, in all runs.

    Control: the share of users who appeared, of the same users with the same noise, which is one jump.
    """
    users, jumps = 6, 12
    everybody = list(range(users))
    stream = everybody * jumps
    rules = ContinualOutput(300.0, len(stream), sensitivity=1 / users, changes=3, variation=0.2)
    wild = [publications(odd_share(stream, users), seed, rules) for seed in range(20)]
    calm = [publications(share(stream, users), seed, rules) for seed in range(20)]
    assert all(error >= least_error(jumps, 1.0, users, 1.0) > 0 for _, _, error in wild)
    assert stats.binom.cdf(13, 20, 0.95) < 1e-3
    assert all(halted for _, halted, _ in wild)
    assert sum(not halted for _, halted, _ in calm) > 13
    assert PanPrivateDensity(1.0, users).sensitivity > 1 / users  # a state that is private costs more than that


class Given:
    """A one-shot estimator that says what it is fed."""

    def __init__(self) -> None:
        self.value = 0.0

    def step(self, x: float) -> None:
        self.value = x

    def answer(self) -> float:
        return self.value


def test_without_noise_the_output_moves_when_it_must_and_only_then() -> None:
    rules = ContinualOutput(1.0, 64, sensitivity=1e-4, changes=3, variation=0.1)
    run = rules.start(Given(), np.random.default_rng(0), silent=True)
    threshold = rules.threshold
    assert threshold == pytest.approx(0.1 + 2 * 1e-4 * (math.log(20) + 6) * (3 + 36))
    assert run.step(threshold) == 0.0  # not above
    assert run.step(threshold * 1.001) == threshold * 1.001
    assert run.step(1.5 * threshold) == threshold * 1.001
    values = [run.step(value) for value in (3.0, 5.0, 7.0, 9.0, 11.0)]
    assert values == [3.0, 5.0, 7.0, 7.0, 7.0]  # k + 1 changes, then it halts and the last answer stands
    assert run.halted
    assert run.changes == 4
    for _ in range(64 - 8):
        run.step(0.0)
    with pytest.raises(ValueError, match=r"^step 65 is past the horizon of this continual-output mechanism, 64$"):
        run.step(0.0)
