"""Audits of online learners and the mirror: a few rounds at one point; in the neighbour the first is at another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.prediction import JdpMirror, Learner, PointPredictor
from disttrack.mechanisms.prediction.base import ZERO
from disttrack.simulator.tasks.audit.case import Case
from disttrack.simulator.tasks.audit.event import Shape

ROUNDS: Final = 4
"""Rounds of a learner that reveals hypotheses."""


def learner_case(learner: Learner) -> Case:
    """Examples (0, 1), in the neighbour (1, 1) first; all hypotheses, or all other predictions, are seen."""
    rounds = learner.mirror.delay + learner.mirror.length + 1 if isinstance(learner, PointPredictor) else ROUNDS
    epsilon, delta = learner.privacy
    labels = np.ones(rounds, dtype=bool)

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        points = np.zeros(rounds, dtype=np.int64)
        points[0] = neighbour
        run = learner.start(rng)
        if learner.reveals == "predictions":
            return [_pattern(run.play(points, labels)[1:].tolist(), 2)]
        return [_pattern([shown - ZERO for shown in run.release(points, labels).tolist()], 3)]

    seen = "all hypotheses" if learner.reveals == "hypotheses" else "the other predictions"
    inputs = f"{rounds} examples of point 0 with label 1, or the first of point 1; seen: {seen}"
    return Case(epsilon, delta, observe, Shape(categories=True), inputs)


def mirror_case(mirror: JdpMirror) -> Case:
    """Ones through the whole climb, the first missing in the neighbour; the other answers are seen."""
    steps = mirror.delay + mirror.length + 2

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        bits = np.ones(steps, dtype=bool)
        bits[0] = not neighbour
        return [_pattern(mirror.start(rng).release(bits)[1:].tolist(), 2)]

    inputs = f"{steps} ones, or the first is missing; seen: the other answers"
    return Case(mirror.epsilon, mirror.delta, observe, Shape(categories=True), inputs)


def _pattern(digits: Sequence[Any], base: int) -> float:
    """Return outcomes as one number."""
    number = 0
    for digit in digits:
        number = number * base + int(digit)
    return float(number)


USUAL: Final[dict[str, dict[str, Any]]] = {
    "guessing": {"points": 2},
    "exponential": {"points": 2},
    "experts-private": {"points": 2},
    "jdp-mirror": {"delta": 0.1},
    "point-predictor": {"epsilon": 18.0, "delta": 0.15, "count": 3, "delay": 6, "window": 6, "half": 2},
}
"""Default parameters for their audits."""
