"""Two baselines for private learners: one without privacy, and one that does not learn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from disttrack.mechanisms.checks import Whole, numbers
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.halting import HaltingTimes, Ones
from disttrack.privacy.mechanisms.prediction.base import ZERO, Halts, Labels, Learner, LearnerRun, Limit, Points


@dataclass(frozen=True)
class Plain(Learner):
    """Shows 0 everywhere until a label 1 comes, and then the right point function: one mistake, and no privacy.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, section 1.2.2.
    The class has Littlestone dimension 1.
    """

    kind = "plain"
    slowness = 0.1
    error = "1 mistake; no privacy"
    arithmetic = ""
    epsilon = math.inf

    @property
    def limit(self) -> Limit:
        return Limit(1, 0.0)

    def start(self, rng: np.random.Generator) -> PlainRun:
        return PlainRun()

    def first_time(self, zeros: Points, target: int, begin: int, rng: np.random.Generator, runs: int) -> HaltingTimes:
        return Halts(lambda ones, first, last: float(bool(ones) and first <= ones[0] + 1 <= last))


class PlainRun(LearnerRun):
    """A learner that shows the last point with label 1."""

    __slots__ = ("_point",)

    def __init__(self) -> None:
        self._point = ZERO

    def hypothesis(self) -> int:
        return self._point

    def learn(self, point: int, label: bool) -> None:
        if label:
            self._point = point

    def release(self, points: Points, labels: Labels) -> Points:
        known = np.concatenate(([self._point], points)).astype(np.int64)
        latest = np.maximum.accumulate(np.where(labels, np.arange(1, len(known)), 0))
        shown: Points = known[np.concatenate(([0], latest))]
        self._point = int(shown[-1])
        return shown[:-1]


@dataclass(frozen=True)
class Guessing(Learner):
    """Shows in every round, with probability `rate`, the point function of a random point, else zero; never learns.

    It reveals nothing, and every example with label 1 costs a mistake, except for lucky guesses.

    Parameters
    ----------
    points
        Points of the domain.
    rate
        Probability that a round has a guess.

    Source
    ------
    the gambles in the proof of Theorem 1.11 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024.
    """

    kind = "guessing"
    slowness = 0.1
    error = "all examples with label 1, and rate / points of the others; epsilon = 0"
    arithmetic = "coins"
    epsilon = 0.0

    points: Whole
    rate: Annotated[float, numbers("above 0, up to 1", lambda rate: 0 < rate <= 1)] = 1.0

    @property
    def chance(self) -> float:
        """Probability that a given point is labelled 1 in a round."""
        return self.rate / self.points

    def start(self, rng: np.random.Generator) -> GuessingRun:
        return GuessingRun(self, rng)

    def mass(self, zeros: Points, width: int, rng: np.random.Generator) -> Floats:
        return np.full((width, width), width * self.chance)

    def first_time(self, zeros: Points, target: int, begin: int, rng: np.random.Generator, runs: int) -> HaltingTimes:
        silence = math.log1p(-self.chance) if self.chance < 1 else -math.inf

        def halting(ones: Ones, first: int, last: int) -> float:
            """Return the probability that the first success from `begin` on comes in `first` ... `last`."""
            first = max(first, begin)
            if last < first:
                return 0.0
            none_before = math.exp((first - begin) * silence) if first > begin else 1.0
            return none_before * -math.expm1((last - first + 1) * silence)

        return Halts(halting)


class GuessingRun(LearnerRun):
    """A learner that guesses afresh in every round."""

    __slots__ = ("_rng", "_rules")

    def __init__(self, rules: Guessing, rng: np.random.Generator) -> None:
        self._rules, self._rng = rules, rng

    def hypothesis(self) -> int:
        return int(self._guesses(1)[0])

    def learn(self, point: int, label: bool) -> None:
        return

    def release(self, points: Points, labels: Labels) -> Points:
        return self._guesses(len(points))

    def _guesses(self, count: int) -> Points:
        """Return the next hypotheses: one uniform number per round decides whether there is a guess, and which."""
        places = np.floor(self._rng.random(count) * (self._rules.points / self._rules.rate)).astype(np.int64)
        return np.where(places < self._rules.points, places, ZERO)
