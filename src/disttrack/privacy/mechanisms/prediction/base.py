"""Base classes of online learners of point functions, and two baselines: without privacy, and without learning.

In every round the adversary chooses a point x and, at the same time, the learner a hypothesis; then both are shown and
the adversary gives the label y. A mistake is a round with h(x) != y. A learner that reveals only predictions sees x
first, and shows h(x) and nothing else.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Whole, numbers
from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.shortcuts import Shortcut, Shortcuts
from disttrack.privacy.mechanisms.halting import HaltingTimes, Ones, SampledHalting

Points = NDArray[np.int64]
Labels = NDArray[np.bool_]

ZERO: Final = -1
"""The hypothesis that is 0 everywhere; the point function of x is written as x."""


class Limit(NamedTuple):
    """Largest number of mistakes on input that a point function explains, except with some probability."""

    mistakes: float
    failure: float


@dataclass(frozen=True)
class Halts:
    """Halting times given by a function."""

    halting: Callable[[Ones, int, int], float]


class Learner(Mechanism, ABC):
    """An online learner of point functions; subclasses are frozen dataclasses of parameters.

    Points are whole numbers from 0. Neighbouring inputs differ in one example, point and label.
    """

    reveals: ClassVar[Literal["hypotheses", "predictions"]] = "hypotheses"
    """What it shows: hypotheses, all of them private, or predictions, jointly private (those of the other rounds)."""

    epsilon: float
    delta: float = 0.0

    @abstractmethod
    def start(self, rng: np.random.Generator) -> LearnerRun:
        """Return a fresh run."""

    @property
    def privacy(self) -> tuple[float, float]:
        """The claimed epsilon and delta; an infinite epsilon if none is claimed."""
        return self.epsilon, self.delta

    @property
    def limit(self) -> Limit | None:
        """Largest number of mistakes on input that a point function explains; None if nothing is claimed."""
        return None

    def mass(self, zeros: Points, width: int, rng: np.random.Generator) -> Floats:
        """Return the number of times each point is labelled 1 in its phase if all labels are 0: an unbiased estimate.

        Phase j has `width` rounds and `width` points, (j - 1) width + 1, ..., j width; there is one row
        per phase. The expectation, given the queried points `zeros`, is the sum of Pr[h(x) = 1] over
        the rounds of the phase. Here it is one run; a learner with a known distribution returns the expectation.
        """
        rounds = width**2
        released = self.start(rng).release(zeros[:rounds], np.zeros(rounds, dtype=bool))
        own = released[(released > 0) & ((released - 1) // width == np.arange(rounds) // width)]
        return np.bincount(own - 1, minlength=rounds).reshape(width, width).astype(np.float64)

    def first_time(self, zeros: Points, target: int, begin: int, rng: np.random.Generator, runs: int) -> HaltingTimes:
        """Return the distribution of the first round from `begin` on in which the target is labelled 1.

        The input is (x, 0) for the points x of `zeros`, which are not the target, and (target, 1) in the rounds that
        are queried; rounds count from 1. Here the distribution is estimated by simulated runs; a learner with a known
        distribution returns it exactly.
        """

        def halt(ones: Ones, gen: np.random.Generator) -> int | None:
            released = self.start(gen).release(*examples(zeros, target, ones))
            hits = np.flatnonzero(released[begin - 1 :] == target)
            return begin + int(hits[0]) if len(hits) else None

        return SampledHalting(halt, runs, rng)

    shortcuts: ClassVar = {"limit": Shortcut(limit), "mass": Shortcut(mass), "first_time": Shortcut(first_time)}
    descriptions = frozenset({"privacy"})


class LearnerRun(Shortcuts, ABC):
    """A running learner. In each round `hypothesis` or `predict` is called once, and then `learn`."""

    __slots__ = ()

    def hypothesis(self) -> int:
        """Return the hypothesis of this round, chosen before its point is known: a point, or ZERO."""
        raise NotImplementedError("this learner reveals predictions only")

    def predict(self, point: int) -> bool:
        """Return the prediction on the point of this round."""
        return self.hypothesis() == point

    @abstractmethod
    def learn(self, point: int, label: bool) -> None:
        """Take the example of this round."""

    def release(self, points: Points, labels: Labels) -> Points:
        """Play rounds whose examples do not react, and return the hypotheses; equivalent to single rounds."""
        released = np.empty(len(points), dtype=np.int64)
        for place, (point, label) in enumerate(zip(points.tolist(), labels.tolist(), strict=True)):
            released[place] = self.hypothesis()
            self.learn(point, label)
        return released

    def play(self, points: Points, labels: Labels) -> Labels:
        """Play rounds whose examples do not react, and return the predictions; equivalent to single rounds."""
        if type(self).release is not LearnerRun.release:
            return np.asarray(self.release(points, labels) == points)
        shown = np.empty(len(points), dtype=bool)
        for place, (point, label) in enumerate(zip(points.tolist(), labels.tolist(), strict=True)):
            shown[place] = self.predict(point)
            self.learn(point, label)
        return shown

    def facts(self) -> dict[str, int | None]:
        """Return facts about its internal state after a game, for tables; no adversary sees them during the game."""
        return {}

    shortcuts: ClassVar = {"release": Shortcut(release), "play": Shortcut(play, of=("release",))}
    descriptions = frozenset({"facts"})


def examples(zeros: Points, target: int, ones: Ones) -> tuple[Points, Labels]:
    """Return points and labels of the input (target, 1) in the rounds `ones` and (x, 0) for the x of `zeros` in others.

    Examples
    --------
    >>> points, labels = examples(np.array([4, 5, 6]), 9, [2])
    >>> points.tolist(), labels.tolist()
    ([4, 9, 6], [False, True, False])
    """
    points, labels = zeros.copy(), np.zeros(len(zeros), dtype=bool)
    places = np.asarray(ones, dtype=np.int64) - 1
    points[places], labels[places] = target, True
    return points, labels


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
    limit = Limit(1, 0.0)

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
