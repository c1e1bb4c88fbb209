"""The sparse vector technique, its exact halting law, and partitions made of it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from disttrack.mechanisms import AboveThreshold, PrivatePartition
from disttrack.mechanisms.halting import AboveThresholdHalting, SampledHalting

FALSE_ALARM = 1e-6


@pytest.mark.slow
def test_halting_law_meets_plain_integration() -> None:
    test = AboveThreshold(epsilon=0.7, threshold=2.5)
    law = AboveThresholdHalting(test, most_ones=4)
    ones, steps = (2, 3, 7), 9
    sums = np.cumsum([step in ones for step in range(1, steps + 1)])
    shift, query = stats.laplace(scale=2 / 0.7), stats.laplace(scale=4 / 0.7)

    def halts_at(noise: float, step: int) -> float:
        silent = math.prod(query.cdf(2.5 + noise - sums[i]) for i in range(step - 1))
        return shift.pdf(noise) * silent * query.sf(2.5 + noise - sums[step - 1])

    for step in range(1, steps + 1):
        slow = integrate.quad(halts_at, -80, 80, args=(step,), points=[0, -2.5, -1.5, -0.5, 0.5], limit=400)[0]
        assert law.halting(ones, step, step) == pytest.approx(slow, abs=1e-9)


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


@pytest.mark.false_alarm(6e-6)
def test_simulation_meets_the_law() -> None:
    # 20,000 runs, binomial tests at 1e-6: a query scale of 3 / epsilon instead of 4 / epsilon moves the chance to
    # halt on the last step by 2.5 %, which is beyond 7 standard deviations.
    test = AboveThreshold(epsilon=1.0, threshold=6.0)
    sums = np.array([0, 0, 1, 2, 2, 3])
    law = AboveThresholdHalting(test, most_ones=3)
    rng = np.random.default_rng(12)
    halts = [test.start(rng).first(sums) for _ in range(20_000)]
    for step in range(6):
        expected = law.halting((3, 4, 6), step + 1, step + 1)
        assert stats.binomtest(halts.count(step), 20_000, expected).pvalue > FALSE_ALARM


def test_step_and_first_are_the_same_run() -> None:
    for seed in range(200):
        test = AboveThreshold(epsilon=1.0, threshold=2.0)
        whole, single = (test.start(np.random.default_rng(seed)) for _ in range(2))
        place = whole.first(np.arange(8))
        fired = next((i for i in range(8) if single.step(i)), None)
        assert place == fired
        assert whole.halted == single.halted == (fired is not None)
        if whole.halted:
            with pytest.raises(ValueError, match="is past the halt of this test at step"):
                whole.step(1)


def test_accuracy_of_theorem_four() -> None:
    test = AboveThreshold(epsilon=1.0, threshold=100.0)
    beta, steps = 0.05, 1000
    law = AboveThresholdHalting(test, most_ones=0)
    low = math.floor(100 - 8 * math.log(2 * steps / beta))  # silent below it
    below = AboveThresholdHalting(AboveThreshold(1.0, 100.0 - low), most_ones=0)  # zeros against a lowered threshold
    assert below.halting((), 1, steps) <= beta
    assert law.halting((), 1, steps) < 1e-3
    high = math.ceil(100 + 6 * math.log(2 / beta))  # fires from it on
    above = AboveThresholdHalting(AboveThreshold(1.0, 100.0 - high), most_ones=0)
    assert above.halting((), 1, 1) >= 1 - beta


def test_refusals() -> None:
    with pytest.raises(ValueError, match="epsilon must be a number above 0; got 0"):
        AboveThreshold(0, 1)
    with pytest.raises(ValueError, match="threshold must be a finite number; got nan"):
        AboveThreshold(1, math.nan)
    with pytest.raises(ValueError, match="beta must be a number between 0 and 1"):
        PrivatePartition(1.0, beta=1)
    with pytest.raises(ValueError, match="horizon must be a whole number"):
        PrivatePartition(1.0, horizon=0)
    with pytest.raises(ValueError, match="runs must be a whole number"):
        SampledHalting(lambda ones, rng: None, 0, np.random.default_rng(0))


@pytest.mark.false_alarm(1e-6)
def test_sampled_law_is_as_precise_as_it_says() -> None:
    law = SampledHalting(lambda ones, rng: int(rng.integers(1, 11)), 20_000, np.random.default_rng(1))
    assert law.halting((), 1, 10) == 1.0
    assert abs(law.halting((), 3, 5) - 0.3) < law.precision(FALSE_ALARM) < 0.02
    assert law.halting((), 3, 5) == law.halting((), 3, 5)


@pytest.mark.false_alarm(1e-4)
def test_partition_of_nothing_closes_at_repeated_squares() -> None:
    # an empty segment is closed by its test with a chance below 1e-4 here: the deadlines are all there is
    run = PrivatePartition(epsilon=1.0, beta=1e-9).start(np.random.default_rng(0))
    assert [place + 1 for place, _ in run.closings(np.zeros(70_000))] == [2, 4, 16, 256, 65_536]
    silent = PrivatePartition(epsilon=1.0).start(np.random.default_rng(0), silent=True)
    assert [place + 1 for place, _ in silent.closings(np.zeros(70_000))] == [2, 4, 16, 256, 65_536]


@pytest.mark.parametrize("horizon", [None, 30_000])
@pytest.mark.parametrize("share", [0.0, 0.01, 1.0])
def test_partition_step_by_step_and_at_once(horizon: int | None, share: float) -> None:
    stream = (np.random.default_rng(1).random(30_000) < share).astype(float)
    single, whole = (PrivatePartition(1.0, horizon).start(np.random.default_rng(7)) for _ in range(2))
    steps = [(place, items) for place, x in enumerate(stream) if (items := single.step(x)) is not None]
    assert (
        whole.closings(stream[:12_345]) + [(place + 12_345, items) for place, items in whole.closings(stream[12_345:])]
        == steps
    )
    assert single.segments == whole.segments == len(steps)
    assert sum(items for _, items in steps) + single.count == stream.sum()
    if horizon is None:
        assert len(steps) >= 4
    elif share == 0.0:
        assert steps == []


@pytest.mark.false_alarm(1e-8)
def test_segments_hold_as_many_items_as_planned() -> None:
    # 40 runs over a dense stream: with beta = 0.05 the bounds fail in at most 5 % of runs; 15 or more of 40 have a
    # chance below 1e-8, and thresholds of half the size break the lower bound in nearly every run.
    rules = PrivatePartition(epsilon=1.0, beta=0.05)
    broken = 0
    for seed in range(40):
        closings = rules.start(np.random.default_rng(seed)).closings(np.ones(20_000))
        deadline, good = 2, True
        for number, (place, items) in enumerate(closings, start=1):
            unit = math.log(2 * deadline * (math.pi * number) ** 2 / (6 * 0.05))
            timed_out = place + 1 >= deadline
            good &= items <= 13 * unit and (items >= unit or timed_out)
            deadline = (place + 1) ** 2
        broken += not good
    assert broken < 15


def test_steps_are_counted_until_it_halts() -> None:
    run = AboveThreshold(epsilon=1e-3, threshold=3.0).start(np.random.default_rng(0), silent=True)
    assert run.mechanism.threshold == 3.0
    assert (run.t, run.halted) == (0, False)
    assert [run.step(query) for query in (1, 2, 3)] == [False, False, False]  # not above
    assert run.first([3, 0]) is None
    assert (run.t, run.halted) == (5, False)
    assert run.first([1, "4", 9]) == 1
    assert (run.t, run.halted) == (7, True)
    with pytest.raises(ValueError, match=r"^step 8 is past the halt of this test at step 7$"):
        run.step(0)
    with pytest.raises(ValueError, match=r"^step 8 is past the halt of this test at step 7$"):
        run.first([0])
