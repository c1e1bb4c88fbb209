"""A learner with one expert per point, which follows the perturbed leader over private counters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from disttrack.mechanisms.checks import Positive, Whole, at_least
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.perturbed_leader import PerturbedLeader
from disttrack.privacy.mechanisms.prediction.base import Labels, Learner, LearnerRun, Points

CHUNK = 1024
"""Rounds processed at a time."""


@dataclass(frozen=True)
class ExpertsPrivate(Learner):
    """Shows the point function of the expert that the private perturbed leader follows: one expert per point.

    An example (x, y) only separates x from the others, so expert x is charged 1 if y = 0 and nothing if y = 1, and all
    others 1/2: up to a constant that does not change the ranking, this is half of each expert's mistakes. A changed
    example then changes one cost by 1, or two by 1/2, and the counters' epsilon is that of all hypotheses together.

    Parameters
    ----------
    epsilon
        Privacy of all hypotheses together.
    points
        Points of the domain, each with a counter.
    horizon
        Maximum number of rounds.
    rate
        Inverse mean of the leader's head starts, which are exponential.
    counter
        Kind of the counters.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010, section 6; the charges derived.
    """

    kind = "experts-private"
    slowness = 30.0
    error = "O(ln(n) log^1.5(T) / epsilon) more than the best of n point functions, epsilon-private"
    arithmetic = "grid"

    epsilon: Positive
    points: Annotated[int, at_least(2)]
    horizon: Whole
    rate: Positive = 0.5
    counter: str = "pan-private"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.leader().arithmetic != "rounded":  # charges of 0, 1/2 and 1 lie on the grid
            object.__setattr__(self, "arithmetic", self.leader().arithmetic)

    def leader(self) -> PerturbedLeader:
        """Return the combiner of the experts."""
        return PerturbedLeader(self.points, self.horizon, self.rate, self.epsilon, self.counter)

    def start(self, rng: np.random.Generator) -> ExpertsRun:
        return ExpertsRun(self, rng)


class ExpertsRun(LearnerRun):
    """A learner that follows the leader."""

    __slots__ = ("_points", "_run")

    def __init__(self, rules: ExpertsPrivate, rng: np.random.Generator) -> None:
        self._points = rules.points
        self._run = rules.leader().start(*rng.spawn(2))

    def hypothesis(self) -> int:
        return self._run.choose()

    def learn(self, point: int, label: bool) -> None:
        self._run.learn(self.charges(np.array([point]), np.array([label]))[0])

    def release(self, points: Points, labels: Labels) -> Points:
        stretches = range(0, len(points), CHUNK)
        shown = [self._run.release(self.charges(points[at : at + CHUNK], labels[at : at + CHUNK])) for at in stretches]
        return np.concatenate([np.empty(0, dtype=np.int64), *shown])

    def charges(self, points: Points, labels: Labels) -> Floats:
        """Return the experts' costs, one row per round."""
        costs = np.full((len(points), self._points), 0.5)
        costs[np.arange(len(points)), points] = np.where(labels, 0.0, 1.0)
        return costs
