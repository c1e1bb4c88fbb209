"""Learners over all points: experts that follow the perturbed leader, and a fresh draw by the exponential mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np

from disttrack.mechanisms.checks import Positive, Share, Whole, at_least
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.halting import HaltingTimes, Ones
from disttrack.privacy.mechanisms.perturbed_leader import PerturbedLeader
from disttrack.privacy.mechanisms.prediction.base import Halts, Labels, Learner, LearnerRun, Points, examples

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


LARGEST = 600.0
"""Largest logarithm of a weight, which must stay a float."""


@dataclass(frozen=True)
class Exponential(Learner):
    """Shows a point function drawn with weight exp(-loss * mistakes / 2), given its mistakes on the past examples.

    A changed example moves the mistakes of every point function by 1 at most, so a round is `loss`-private. The loss is
    the larger of epsilon / horizon and the value that advanced composition allows for epsilon and delta: the root of
    horizon loss (e^loss - 1) + loss sqrt(2 horizon ln(1 / delta)) = epsilon.

    Parameters
    ----------
    epsilon, delta
        Privacy of all hypotheses together.
    points
        Points of the domain.
    horizon
        Maximum number of rounds.

    Raises
    ------
    ValueError
        If a parameter is out of range, or the weights would be no floats.

    Source
    ------
    McSherry, Talwar 2007, with the composition of Dwork, Rothblum, Vadhan 2010.
    Theorem III.3 of the latter; both recalled.
    """

    kind = "exponential"
    slowness = 30.0
    error = "about 1 in `points` of the labels 0; label 1 until it has come sqrt(T) times over"

    epsilon: Positive
    points: Whole
    horizon: Whole
    delta: Share = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.horizon * self.loss / 2 > LARGEST:
            raise ValueError(
                f"epsilon must be such that a weight is a float; got {self.epsilon!r} over {self.horizon:,}"
            )

    @property
    def loss(self) -> float:
        """Privacy loss of a round."""
        from scipy import optimize  # a slow import, only needed here

        def excess(loss: float) -> float:
            spread = loss * math.sqrt(2 * self.horizon * math.log(1 / self.delta))
            return self.horizon * loss * math.expm1(loss) + spread - self.epsilon

        return max(
            self.epsilon / self.horizon, float(optimize.brentq(excess, 0.0, min(self.epsilon, 700.0), xtol=1e-15))
        )

    def start(self, rng: np.random.Generator) -> ExponentialRun:
        return ExponentialRun(self, rng)

    def mass(self, zeros: Points, width: int, rng: np.random.Generator) -> Floats:
        asked, rate = zeros[: width**2], self.loss / 2
        falls = _falls(asked, rate)
        fresh = 1 / (self.points - _before(falls))  # the probability, for each round, of a point not queried yet
        upto = np.cumsum(fresh.reshape(width, width), axis=1)
        later = (upto[:, -1:] - upto).ravel()  # the rest of the phase after each round
        lost = np.bincount(asked - 1, weights=falls * later, minlength=width**2)
        return upto[:, -1:] - lost.reshape(width, width)

    def first_time(self, zeros: Points, target: int, begin: int, rng: np.random.Generator, runs: int) -> HaltingTimes:
        rate = self.loss / 2

        @cache
        def silence(ones: tuple[int, ...]) -> Floats:
            """Return ln of the probability that no round up to each, from `begin` - 1 on, shows the target."""
            _, labels = examples(zeros, target, ones)
            falls = np.zeros(len(labels))
            falls[~labels] = _falls(zeros[~labels], rate)
            others = self.points - 1 - _before(falls)
            mine = np.exp(rate * _before(labels.astype(np.float64)))
            chances = np.log1p(-(mine / (mine + others)))[begin - 1 :]
            return np.concatenate(([0.0], np.cumsum(chances)))

        def halting(ones: Ones, first: int, last: int) -> float:
            """Return the probability that the target is first shown in one of the rounds `first` ... `last`."""
            first = max(first, begin)
            if last < first:
                return 0.0
            start, end = silence(tuple(ones))[[first - begin, last - begin + 1]]
            return float(np.exp(start) * -np.expm1(end - start))

        return Halts(halting)


def _before(amounts: Floats) -> Floats:
    """Return, for each round, the sum of the amounts of all earlier rounds."""
    return np.concatenate(([0.0], np.cumsum(amounts)[:-1]))


def _falls(zeros: Points, rate: float) -> Floats:
    """Return the decrease of a point's weight by each label 0: after c queries the weight is exp(-rate c)."""
    order = np.argsort(zeros, kind="stable")
    before = np.empty(len(zeros))
    before[order] = np.arange(len(zeros)) - np.searchsorted(zeros[order], zeros[order])
    return np.exp(-rate * before) * -math.expm1(-rate)


class ExponentialRun(LearnerRun):
    """A learner that draws fresh hypotheses: the weights form a tree of sums, so that a round costs log(points)."""

    __slots__ = ("_mistakes", "_rate", "_rng", "_size", "_sums")

    def __init__(self, rules: Exponential, rng: np.random.Generator) -> None:
        self._rng, self._rate = rng, rules.loss / 2
        self._size = 1 << (rules.points - 1).bit_length()
        self._mistakes: dict[int, int] = {}
        """Labels 0 less labels 1 of each point: its mistakes, up to a constant common to all points."""
        self._sums = [0.0] * self._size + [1.0] * rules.points + [0.0] * (self._size - rules.points)
        """Node i has the children 2i and 2i + 1; the leaves come last."""
        for node in range(self._size - 1, 0, -1):
            self._sums[node] = self._sums[2 * node] + self._sums[2 * node + 1]

    def hypothesis(self) -> int:
        sums = self._sums
        left = float(self._rng.random()) * sums[1]
        node = 1
        while node < self._size:
            node *= 2
            if left >= sums[node] and sums[node + 1] > 0:
                left -= sums[node]
                node += 1
        return node - self._size

    def learn(self, point: int, label: bool) -> None:
        self._mistakes[point] = now = self._mistakes.get(point, 0) + (-1 if label else 1)
        sums, node = self._sums, self._size + point
        sums[node] = math.exp(-self._rate * now)
        while node > 1:
            node //= 2
            sums[node] = sums[2 * node] + sums[2 * node + 1]
