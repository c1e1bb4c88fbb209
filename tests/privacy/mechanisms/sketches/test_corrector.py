"""The estimator, the corrector and the learner against a listing with vectors in place of counters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from disttrack.privacy.mechanisms import Ams, EstimatorCorrector
from disttrack.privacy.mechanisms.sketches.second_moment import LinearRun

ITEMS = 41


def listed(rules: EstimatorCorrector, updates: list[tuple[int, int]], seed: int) -> tuple[list[float], int, int]:
    """Return the answers, the number of lessons and that of fresh estimators, from the vectors u and w themselves."""
    rng, length = np.random.default_rng(seed), -(-rules.updates // rules.blocks)
    u, w = np.zeros(ITEMS), np.zeros(ITEMS)
    answers: list[float] = []
    lessons = fresh = 0

    def matrix(run: LinearRun) -> NDArray[np.float64]:
        return run._signs.columns(np.arange(ITEMS)).T.astype(np.float64)

    def squared(signs: NDArray[np.float64], vector: NDArray[np.float64]) -> float:
        return float(np.mean((signs @ vector) ** 2))

    for number, (item, change) in enumerate(updates):
        if number % length == 0 and number < rules.updates:
            corrector = matrix(Ams(rules.rows).start(rng))
            estimator = matrix(Ams(rules.rows).start(rng))
            w[:], base = 0, squared(corrector, u)
        u[item] += change
        w[item] += change
        now = squared(corrector, u)
        if number >= rules.updates:
            answers.append(now)
            continue
        room = rules.alpha / 4 * now
        if rules.parts == "learner" and abs(base + squared(estimator, w) - now) > room:
            product = float(np.mean((corrector @ u) * (corrector @ w)))
            lessons += 1
            w *= product / squared(corrector, w)
            base = squared(corrector, u - w)
        if rules.parts != "estimator" and abs(base + squared(estimator, w) - now) > room:
            fresh += 1
            estimator = matrix(Ams(rules.rows).start(rng))
            w[:], base = 0, now
        answers.append(base + squared(estimator, w))
    return answers, lessons, fresh


@pytest.mark.parametrize("parts", ["estimator", "corrector", "learner"])
def test_the_answers_are_those_of_the_listing(parts: str) -> None:
    """A heavy item is doubled and halved, all others come and go, and the stream is longer than planned."""
    rules = EstimatorCorrector(updates=170, blocks=3, rows=24, parts=parts)  # type: ignore[arg-type]
    rng = np.random.default_rng(3)
    updates = [(0, 9)]
    for item in rng.integers(1, ITEMS, 40).tolist():
        updates += [(item, int(rng.choice([1, 1, -1]))), (0, 9), (0, -9)]
    updates += [(item, -int(change)) for item, change in updates]
    run = rules.start(np.random.default_rng(5))
    answers = [run.step(update) for update in updates]
    expected, lessons, fresh = listed(rules, updates, 5)
    assert answers == pytest.approx(expected, rel=1e-9, abs=1e-7)
    assert (lessons > 5, fresh > 5) == (parts == "learner", parts != "estimator")
    assert run.exhausted


@pytest.mark.false_alarm(1e-9)
def test_a_direction_is_learned_once() -> None:
    """In the second block one item of the prefix is doubled and halved: one lesson, and no fresh estimator.

    With 16,384 rows two sketches differ by an eighth, eight standard deviations, in less than one of 10^9 games. The
    wrong alternative, a corrector without a learner, begins two fresh estimators for each doubling.
    """
    updates = [(item, 8 if item == 0 else 1) for item in range(ITEMS - 1)] + [(0, 8), (0, -8)] * 20
    rules = EstimatorCorrector(updates=80, blocks=2, rows=1 << 14)
    answers, lessons, fresh = listed(rules, updates, 1)
    run = rules.start(np.random.default_rng(1))
    assert (lessons, fresh) == (1, 0)
    assert [run.step(update) for update in updates] == pytest.approx(answers)
    assert answers[40:] == pytest.approx([16.0**2 + 39, 64.0 + 39] * 20, rel=0.125)
