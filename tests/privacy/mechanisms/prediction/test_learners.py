"""Learners: round by round and at once, stated distributions against simulated ones, and the examples they err on.

False alarms: Hoeffding at 1e-6 for each probability that is compared; seeds are fixed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from disttrack.privacy.mechanisms import Exponential, Guessing, Learner, Plain, PrivateProper
from disttrack.privacy.mechanisms.prediction.insertion import halving, insertion, most_ones

POINTS = 40
FALSE_ALARM = 1e-6


def test_learners_by_hand() -> None:
    points, labels = np.array([3, 5, 3, 5, 5]), np.array([False, True, False, True, True])
    assert Plain().start(np.random.default_rng(0)).release(points, labels).tolist() == [-1, -1, 5, 5, 5]
    sure = PrivateProper(1e6, 100, delta=1e-9)  # next to no noise: fires at the second one
    assert sure.test.threshold == pytest.approx(1, abs=0.01)
    run = sure.start(np.random.default_rng(0))
    assert run.release(points, labels).tolist() == [-1, -1, -1, -1, 5]
    assert run.facts() == {"fired_at": 4}


def test_the_exponential_learner_spends_its_budget() -> None:
    """The composition of its rounds is epsilon; a quarter more a round is not."""
    learner = Exponential(2.0, POINTS, 10_000)

    def total(loss: float) -> float:
        return 10_000 * loss * math.expm1(loss) + loss * math.sqrt(2 * 10_000 * math.log(1 / learner.delta))

    assert total(learner.loss) == pytest.approx(2.0, rel=1e-6)
    assert total(1.25 * learner.loss) > 2.4
    assert Exponential(0.001, POINTS, 1).loss == pytest.approx(0.001)  # a single round needs no composition


@pytest.mark.parametrize("learner", [Guessing(20_000), PrivateProper(0.5, 256), Exponential(0.5, 20_000, 256)])
@pytest.mark.parametrize(("build", "sizes"), [(insertion, (20, 1)), (halving, (1,))])
def test_the_construction_adds_up(learner: Learner, build: object, sizes: tuple[int, ...]) -> None:
    """Three solvers: c_total is the direct sum over all rounds before the last cut, to 1e-9."""
    found = build(learner, 20_000, 256, np.random.default_rng(2), *sizes)  # type: ignore[operator]
    assert found.target is not None
    assert len(found.ones) == most_ones(256 if build is halving else 16)
    assert found.points[found.labels].tolist() == [found.target] * len(found.ones)
    assert not np.any(found.points[~found.labels] == found.target)
    zeros = np.where(found.labels, 0, found.points)
    times = learner.first_time(zeros, found.target, 1, np.random.default_rng(2), 1)
    last = found.ones[-1]
    upto = sum(times.halting(found.ones, step, step) for step in range(1, last + 1))
    assert upto - 1e-9 <= found.escape == pytest.approx(found.direct, abs=1e-9)
    assert found.escape <= 0.2816


@pytest.mark.slow
@pytest.mark.false_alarm(1e-6)
def test_learners_err_as_often_as_the_construction_says() -> None:
    """A learner that misses no one has shown the target before: exact binomial at 1e-6, with a control."""
    learner = Exponential(60.0, 2_000, 256)
    rng = np.random.default_rng(4)
    found = halving(learner, 2_000, 256, rng, 1)
    last = found.ones[-1]
    runs = 400
    escaped = 0
    for seed in range(runs):
        shown = learner.start(np.random.default_rng(seed)).release(found.points[:last], found.labels[:last])
        escaped += bool((shown == found.target).any())
    times = learner.first_time(np.where(found.labels, 0, found.points), found.target or 0, 1, rng, 1)
    chance = times.halting(found.ones, 1, last)
    assert 0.01 < chance < 0.9
    assert stats.binomtest(escaped, runs, chance).pvalue > FALSE_ALARM
    assert stats.binomtest(escaped, runs, 1 - (1 - chance) ** 4).pvalue < FALSE_ALARM
