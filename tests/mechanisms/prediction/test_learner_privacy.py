"""The privacy of learners, exactly: each round or part loses what its budget says, and a wrong part loses more."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from disttrack.mechanisms import ExpertsPrivate, Exponential, Guessing, Plain, PrivateProper
from disttrack.mechanisms.halting import AboveThresholdHalting
from disttrack.mechanisms.prediction.histogram import SparseHistogram

POINTS = 4
EXAMPLES = list(product(range(POINTS), (False, True)))


def chances(learner: Exponential, history: tuple[tuple[int, bool], ...]) -> list[float]:
    """Return the probabilities of the next hypothesis, by the definition of the exponential mechanism."""
    found = []
    for target in range(POINTS):
        weights = [math.exp(-learner.loss / 2 * mistakes(history, each)) for each in range(POINTS)]
        found.append(weights[target] / sum(weights))
    return found


def mistakes(history: tuple[tuple[int, bool], ...], point: int) -> int:
    """Return how often the point function would have been wrong."""
    return sum((x == point) != label for x, label in history)


def test_a_round_of_the_exponential_learner_loses_its_share() -> None:
    """All histories of two examples and all changes of the first: at most `loss`, and nearly all of it is reached."""
    learner = Exponential(3.0, POINTS, 3, delta=0.1)
    worst = 0.0
    for first, other, second in product(EXAMPLES, repeat=3):
        here, there = chances(learner, (first, second)), chances(learner, (other, second))
        worst = max(worst, *(abs(math.log(p / q)) for p, q in zip(here, there, strict=True)))
    assert worst <= learner.loss + 1e-12
    assert worst > 0.6 * learner.loss  # so a loss of half would be refuted


def test_the_drawn_hypotheses_are_those_weights() -> None:
    """5,000 draws after a history of three: each count within 5 standard deviations (3e-6 for all four)."""
    learner = Exponential(20.0, POINTS, 3, delta=0.1)
    history = ((2, True), (1, False), (1, False))
    wanted = chances(learner, history)
    run = learner.start(np.random.default_rng(8))
    for point, label in history:
        run.learn(point, label)
    counts = np.bincount([run.hypothesis() for _ in range(5_000)], minlength=POINTS)
    for count, chance in zip(counts, wanted, strict=True):
        assert abs(count - 5_000 * chance) < 5 * math.sqrt(5_000 * chance * (1 - chance))
    uniform = abs(counts - 5_000 / POINTS).max()
    assert uniform > 5 * math.sqrt(5_000 / POINTS)  # the same bound sees a learner that ignores its history


def test_a_changed_example_moves_the_charges_by_one_in_all() -> None:
    """The counters' budget is for a sum of changes of 1; charging every mistake in full would move them by more."""
    run = ExpertsPrivate(1.0, POINTS, 9).start(np.random.default_rng(0))
    points = np.array([point for point, _ in EXAMPLES])
    labels = np.array([label for _, label in EXAMPLES])
    charges = run.charges(points, labels)
    moved = np.abs(charges[:, None, :] - charges[None, :, :]).sum(axis=2)
    assert moved.max() == 1
    full = np.array([[float((x == point) != label) for point in range(POINTS)] for x, label in EXAMPLES])
    assert np.abs(full[:, None, :] - full[None, :, :]).sum(axis=2).max() > 1
    # and they rank the experts as mistakes do: twice the charge is the mistakes, up to what all have in common
    centred = full - full.mean(axis=1, keepdims=True)
    assert 2 * (charges - charges.mean(axis=1, keepdims=True)) == pytest.approx(centred)


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


def test_who_claims_nothing_and_who_shows_nothing() -> None:
    assert Plain().privacy == (math.inf, 0.0)
    assert Guessing(3).privacy == (0.0, 0.0)
    shown = [
        Guessing(3).start(np.random.default_rng(1)).release(np.array([one, 1, 1]), np.array([True, True, False]))
        for one in range(3)
    ]
    assert all(np.array_equal(shown[0], other) for other in shown)
