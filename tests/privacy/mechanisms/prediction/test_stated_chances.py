"""What learners state of themselves, against sums and products over rounds written down from the definitions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from disttrack.privacy.mechanisms import Exponential, Learner, LearnerRun, PointPredictor, PrivateProper
from disttrack.privacy.mechanisms.halting import AboveThresholdHalting
from disttrack.privacy.mechanisms.prediction.base import ZERO, examples
from disttrack.privacy.mechanisms.prediction.experts import ExponentialRun
from disttrack.privacy.mechanisms.prediction.proper import SparseHistogram

POINTS = 11


def chances(learner: Exponential, points: np.ndarray, labels: np.ndarray) -> Iterator[np.ndarray]:
    """Yield, round by round, the chance of each point: weights exp(-loss / 2 (labels 0 less labels 1))."""
    mistakes = np.zeros(learner.points)
    for point, label in zip(points.tolist(), labels.tolist(), strict=True):
        weights = np.exp(-learner.loss / 2 * mistakes)
        yield weights / weights.sum()
        mistakes[point] += -1 if label else 1


def test_the_mass_of_the_exponential_learner_is_the_sum_of_its_chances() -> None:
    learner = Exponential(20.0, POINTS, 12)
    zeros = np.array([1, 2, 1, 4, 5, 6, 9, 9, 9, 3, 2, 1])  # three rounds of the last phase are left out
    found = learner.mass(zeros, 3, np.random.default_rng(0))
    each = list(chances(learner, zeros[:9], np.zeros(9, dtype=bool)))
    expected = [
        [sum(each[3 * phase + r][3 * phase + 1 + own] for r in range(3)) for own in range(3)] for phase in range(3)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("ones", [(), (3,), (1, 2, 5, 6, 9), (4, 10)])
@pytest.mark.parametrize("begin", [1, 4])
def test_the_first_time_of_the_exponential_learner_is_a_product_over_rounds(ones: tuple[int, ...], begin: int) -> None:
    learner = Exponential(20.0, POINTS, 12)
    zeros, target = np.array([1, 2, 1, 4, 5, 6, 9, 9, 9, 3]), 7
    points, labels = examples(zeros, target, ones)
    silent, exact = 1.0, [0.0]
    for number, chance in enumerate(chances(learner, points, labels), start=1):
        shown = chance[target] if number >= begin else 0.0
        exact.append(silent * shown)
        silent *= 1 - shown
    times = learner.first_time(zeros, target, begin, np.random.default_rng(0), 1)
    for first in range(1, 11):
        for last in range(first - 1, 11):
            assert times.halting(ones, first, last) == pytest.approx(sum(exact[first : last + 1]), abs=1e-13)


@pytest.mark.parametrize("points", [1, 2, 3, 5, 8])
def test_the_exponential_learner_cuts_a_uniform_number_by_its_weights(points: int) -> None:
    learner = Exponential(4.0, points, 20)
    told = [(0, False), (points - 1, True), (0, False), (points // 2, True), (points - 1, False)]
    source: Any = SimpleNamespace()
    run = ExponentialRun(learner, source)
    weights = np.ones(points)
    for example in [*told, None]:
        edges = np.concatenate(([0.0], np.cumsum(weights / weights.sum())))
        for point in range(points):
            for share in (1e-9, 0.5, 1 - 1e-9):
                draw = edges[point] + share * (edges[point + 1] - edges[point])
                source.random = lambda draw=draw: draw
                assert run.hypothesis() == point
        source.random = lambda: 1 - 1e-17  # rounding never leads past the last point
        assert run.hypothesis() == points - 1
        if example:
            point, label = example
            run.learn(point, label)
            weights[point] *= math.exp(learner.loss / 2 * (1 if label else -1))


class Listed(Learner):
    """Shows listed hypotheses, whatever comes; learns nothing."""

    kind = "listed"

    def __init__(self, *shown: int) -> None:
        self.shown = shown

    @property
    def privacy(self) -> tuple[float, float]:
        return 0.0, 0.0

    def start(self, rng: np.random.Generator) -> LearnerRun:
        listed = iter(self.shown)

        class Run(LearnerRun):
            def hypothesis(self) -> int:
                return next(listed)

            def learn(self, point: int, label: bool) -> None:
                return

        return Run()


def test_a_learner_that_states_nothing_is_played() -> None:
    """Mass: each hypothesis that is a point of its own phase; first times: of simulated runs, from a round on."""
    learner, rng = Listed(1, 2, 3, 3, 5, ZERO, 0, 9, 9, 9), np.random.default_rng(0)
    assert learner.limit is None
    found = learner.mass(np.ones(12, dtype=np.int64), 3, rng)
    # phase 1 owns 1 2 3, phase 2 owns 4 5 6, phase 3 owns 7 8 9; 3 in phase 2 and 0 in phase 3 are nobody's
    assert found.tolist() == [[1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
    zeros = np.zeros(10, dtype=np.int64)
    for begin, first in ((1, 3), (3, 3), (4, 4)):
        times = learner.first_time(zeros, 3, begin, rng, 2)
        assert [times.halting((1,), step, step) for step in range(1, 11)] == [
            float(step == first) for step in range(1, 11)
        ]
    assert learner.first_time(zeros, 3, 5, rng, 2).halting((), 1, 10) == 0.0
    assert times.runs == 2  # type: ignore[attr-defined]
    run = Listed(4, 7).start(rng)
    assert (run.predict(4), run.predict(6)) == (True, False)
    assert run.facts() == {}
    played = Listed(4, 7, 7).start(rng).play(np.array([4, 4, 7]), np.zeros(3, dtype=bool))
    assert played.tolist() == [True, False, True]
    predictor = PointPredictor(60.0, 0.3).start(rng)
    with pytest.raises(NotImplementedError, match=r"^this learner reveals predictions only$"):
        predictor.hypothesis()


@pytest.mark.parametrize("ones", [(), (2,), (1, 2, 3, 6)])
def test_the_proper_learner_shows_the_target_after_the_test_if_it_is_named(ones: tuple[int, ...]) -> None:
    learner = PrivateProper(6.0, 8, delta=0.2, false_alarm=0.3)
    assert learner.privacy == (6.0, 0.2)
    times = learner.first_time(np.zeros(8), 3, 1, np.random.default_rng(0), 1)
    test = AboveThresholdHalting(learner.test)
    at = [0.0]
    for step in range(1, 10):
        count = sum(one <= step - 1 for one in ones)
        at.append(
            test.halting(ones, step - 1, step - 1) * learner.histogram.named(count) if step > 1 and count else 0.0
        )
    for first in range(1, 9):
        for last in range(first, 10):
            assert times.halting(ones, first, last) == pytest.approx(sum(at[first : last + 1]), abs=1e-12)


@pytest.mark.parametrize("share", [0.5, 2 / 3])
def test_the_parts_of_the_proper_learner_share_its_budget(share: float) -> None:
    """Halting steps lose `share` of epsilon at most, the choice the rest, with delta.

    Six rounds stay far below the threshold, where one label 1 more tells by the noise of the query alone: a quarter of
    the test's budget, which is what a test with half of its noise would exceed.
    """
    learner = PrivateProper(6.0, 6, delta=0.05, share=share)
    law = AboveThresholdHalting(learner.test)
    worst = 0.0
    for ones in product((0, 1), repeat=5):
        here = tuple(place for place, one in enumerate(ones, start=1) if one)
        for place in here:
            there = tuple(one for one in here if one != place)
            steps = [(law.halting(here, step, step), law.halting(there, step, step)) for step in range(1, 7)]
            worst = max(worst, *(abs(math.log(p / q)) for p, q in steps if min(p, q) > 1e-12))
    budget = 6.0 * share
    assert worst == pytest.approx(budget / 4, rel=1e-3)
    assert learner.histogram == SparseHistogram(6.0 * (1 - share), 0.05)
    assert learner.test.epsilon + learner.histogram.epsilon == pytest.approx(6.0)
    assert learner.test.threshold >= learner.histogram.enough(learner.false_alarm)
