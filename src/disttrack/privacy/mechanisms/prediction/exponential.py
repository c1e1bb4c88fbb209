"""A learner that draws a fresh hypothesis in every round by the exponential mechanism, with a composed budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.halting import HaltingTimes, Ones
from disttrack.privacy.mechanisms.prediction.base import Halts, Learner, LearnerRun, Points, examples

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
