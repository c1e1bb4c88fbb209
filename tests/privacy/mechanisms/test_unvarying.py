"""Who changes seldom can be published at every step, who changes often cannot: section 5 of Dwork and others 2010.

Claim 5.1, the publications of Theorem 5.2, and Theorem 5.3 on the number of users who appeared an odd number of times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from scipy import stats
from test_continual_output import Given

from disttrack.privacy.mechanisms import ContinualOutput, PanPrivateDensity

Values = Sequence[float]


def changes(values: Values, by: float) -> int:
    """Return the longest run of changes by that much or more in a snapshot of the values, by dynamic programming."""
    best = [0] * len(values)
    for end, value in enumerate(values):
        longer = [best[at] + 1 for at in range(end) if abs(values[at] - value) >= by - 1e-12]
        best[end] = max(longer, default=0)
    return max(best)


def monotone(rng: np.random.Generator, steps: int) -> Values:
    """Return a function that grows from 0 to 1 at most, by few large steps or many small ones."""
    jumps = rng.random(steps) ** rng.integers(1, 30)
    return (np.cumsum(jumps) / jumps.sum() * rng.random()).tolist()


def wavering(rng: np.random.Generator, steps: int) -> Values:
    """A control: values between 0 and 1 that go up and down."""
    return np.where(np.arange(steps) % 2, 1.0, 0.0).tolist()


def worst(make: Callable[[np.random.Generator, int], Values], accuracy: float, step: float) -> float:
    """Return the most changes by step + 2 accuracy, over 1 / step, of answers that are as wrong as is allowed."""
    rng = np.random.default_rng(17)
    found = []
    for game in range(150):
        truth = np.array(make(rng, 40))
        errors = rng.choice((-1, 1), 40) if game % 2 else np.where(np.arange(40) % 2, 1, -1)
        found.append(changes((truth + accuracy * errors).tolist(), step + 2 * accuracy) * step)
    return max(found)


@pytest.mark.parametrize("step", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("accuracy", [0.0, 0.02, 0.2])
def test_accurate_answers_to_a_monotone_function_change_seldom(step: float, accuracy: float) -> None:
    """Claim 5.1: by d + 2 alpha at most 1 / d times. Controls: a function that wavers; changes by d alone."""
    assert worst(monotone, accuracy, step) <= 1
    if step + 2 * accuracy <= 1 - 2 * accuracy:
        assert worst(wavering, accuracy, step) > 1
    errors = np.where(np.arange(40) % 2, 1, -1) * step
    assert changes((np.linspace(0, 1, 40) + errors).tolist(), step) * step > 1


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


def family(intervals: Sequence[Stream]) -> list[Stream]:
    """Return the proof's streams: each interval is followed by as many blanks, or comes after them."""
    found = []
    for late in product((False, True), repeat=len(intervals)):
        stream: list[int] = []
        for interval, wait in zip(intervals, late, strict=True):
            blanks = [BLANK] * len(interval)
            stream += [*blanks, *interval] if wait else [*interval, *blanks]
        found.append(stream)
    return found


def least_distance(of: Callable[[Stream, int], list[float]], streams: Sequence[Stream], users: int) -> float:
    """Return the least of the largest distances that any two streams have at some step."""
    values = [np.array(of(stream, users)) for stream in streams]
    return min(float(np.abs(one - other).max()) for one, other in combinations(values, 2))


def least_error(jumps: int, height: float, users: int, epsilon: float) -> float:
    """Return what every epsilon-private algorithm errs by on one of the streams, with probability 1/2 at least.

    Whoever errs by less than half the height on each is told apart on 2^jumps streams, and each answer has a
    probability of e^(-epsilon users) / 2 at least on one and the same stream: too many if 2^jumps is more than
    2 e^(epsilon users).
    """
    return height / 2 if jumps * math.log(2) > math.log(2) + epsilon * users else 0.0


@pytest.mark.parametrize("users", [1, 3, 6])
def test_streams_of_a_varying_function_are_told_apart(users: int) -> None:
    """Any two of the 2^k streams of the proof are d apart at some step. Control: the share of users who appeared."""
    everybody = list(range(users))
    jumps = 6
    streams = family([everybody] * jumps)  # all users appear, and appear again: the odd share goes from 0 to 1 and back
    values = [odd_share(everybody * jumps, users)[users * (j + 1) - 1] for j in range(jumps)]
    assert all(abs(one - other) == 1 for one, other in pairwise([0.0, *values]))
    assert len(streams) == 2**jumps
    assert least_distance(odd_share, streams, users) == 1
    assert least_distance(share, streams, users) == 0


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
