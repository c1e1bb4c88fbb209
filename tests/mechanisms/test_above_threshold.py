"""The sparse vector technique, and partitions made of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from disttrack.mechanisms import AboveThreshold, PrivatePartition


@pytest.mark.false_alarm(1e-4)
def test_partition_of_nothing_closes_at_repeated_squares() -> None:
    # an empty segment is closed by its test with a chance below 1e-4 here: the deadlines are all there is
    run = PrivatePartition(epsilon=1.0, beta=1e-9).start(np.random.default_rng(0))
    assert [place + 1 for place, _ in run.closings(np.zeros(70_000))] == [2, 4, 16, 256, 65_536]
    silent = PrivatePartition(epsilon=1.0).start(np.random.default_rng(0), silent=True)
    assert [place + 1 for place, _ in silent.closings(np.zeros(70_000))] == [2, 4, 16, 256, 65_536]


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
    assert run.first([1, 4, 9]) == 1
    assert (run.t, run.halted) == (7, True)
    with pytest.raises(ValueError, match=r"^step 8 is past the halt of this test at step 7$"):
        run.step(0)
    with pytest.raises(ValueError, match=r"^step 8 is past the halt of this test at step 7$"):
        run.first([0])
