"""Benchmark of online prediction and of the construction against it: ratios to baselines of the same run.

Baselines: (a) numpy drawing the points of the examples, the minimum for any game; (b) Algorithm 3 as listed in its
paper, in plain Python, one round at a time. Goals: 2^22 rounds of the predictor within 20 s, and the construction of
Theorem 1.11 for T = 2^16 within a minute. Run with ``python -m benchmarks.prediction``.
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.clock import seconds
from disttrack.adversaries import PointStream
from disttrack.mechanisms import Exponential, Guessing, Learner, PointPredictor, PrivateProper
from disttrack.mechanisms.prediction import insertion
from disttrack.simulator.tasks.duel import play_duel

ROUNDS = 1 << 22
SINGLE = 1 << 18
CONSTRUCTED = 1 << 16
REPEATS = 3
PREDICTOR = PointPredictor(3.0, 0.03)


def drawing() -> None:
    """Draw the points of a game, and the rounds with the special point."""
    rng = np.random.default_rng(0)
    rng.integers(0, ROUNDS, ROUNDS)
    rng.random(ROUNDS)


def listed(rounds: int) -> int:
    """Play Algorithm 3 as listed, on a point in every other round; return the mistakes."""
    rng = np.random.default_rng(0)
    needed, delay, climb = PREDICTOR.needed, PREDICTOR.mirror.delay, PREDICTOR.mirror.steps.values
    flag = count = seen = mistakes = 0
    fakes: list[bool] = []
    for t in range(rounds):
        label = t % 2 == 0
        if flag == 0:
            predicted = False
            count += label
            seen += label
            if count >= needed:
                flag = 1
        elif label:
            seen += 1
            top = rng.random() < climb[min(max(0, seen - delay), len(climb) - 1)]
            if flag == 1 and top:
                noise = rng.laplace(0, PREDICTOR.noise.scale)
                flag = 3 if sum(fakes) + noise >= PREDICTOR.most_fakes else 2
            predicted = top and flag != 3
        else:
            predicted = False
        mistakes += predicted != label
    return mistakes


def games() -> bool:
    """Measure the predictor's games; return whether the goal is met."""
    least = seconds(drawing, REPEATS) / ROUNDS
    listing = seconds(lambda: listed(SINGLE), REPEATS) / SINGLE
    print(f"(a) drawing the points in bulk         {least * 1e6:8.3f} us a round")
    print(f"(b) the predictor as listed            {listing * 1e6:8.3f} us a round\n")
    bulk = seconds(lambda: play_duel(PREDICTOR, PointStream(), points=ROUNDS, steps=ROUNDS), REPEATS)
    step = seconds(lambda: play_duel(PREDICTOR, PointStream(), points=SINGLE, steps=SINGLE, engine="step"), REPEATS)
    each = bulk / ROUNDS
    print(f"bulk, {ROUNDS:,} rounds: {bulk:.2f} s, {each / least:.1f} times (a), (b) over it {listing / each:.0f}")
    print(f"step, a round: {step / SINGLE * 1e6:.2f} us, (b) over it {listing * SINGLE / step:.2f}")
    return bulk <= 20


def constructions() -> bool:
    """Measure the construction against learners that state their distribution; return whether the goal is met."""
    points, worst = CONSTRUCTED + 1, 0.0
    learners: tuple[Learner, ...] = (
        PrivateProper(0.5, CONSTRUCTED),
        Exponential(0.5, 100 * points, CONSTRUCTED),
        Exponential(0.5, points, CONSTRUCTED),
        Guessing(points),
    )
    for learner in learners:
        took = seconds(lambda each=learner: insertion(each, points, CONSTRUCTED, np.random.default_rng(0)), REPEATS)  # type: ignore[misc]
        print(f"construction for T = 2^16 against {learner.kind:<15} {took:6.2f} s")
        worst = max(worst, took)
    return worst <= 60


if __name__ == "__main__":
    sys.exit(0 if all([games(), constructions()]) else "a goal is not met")
