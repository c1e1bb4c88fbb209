"""Answers from a guess that is corrected where a test finds it wrong: reusable holdout, gradients, weights.

For gradients and weights the data have a density of at most D with respect to a known prior, which is uniform. The
*sketch* is a density that answers a query q by the prior's mean of sketch times q. On a query where it is off, it moves
along q.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, e, floor, log, sqrt
from typing import Final

import numpy as np

from disttrack.mechanisms.checks import Flag, FromOne, Positive, Share, Whole
from disttrack.mechanisms.gaussian import concentrated
from disttrack.mechanisms.noise import Floats, Gaussian, Laplace
from disttrack.privacy.mechanisms.statistical.base import (
    Coins,
    Data,
    QueryMechanism,
    QueryRun,
    StatisticalQuery,
    halves,
)

Hide = Callable[[float, float], float]
"""Returns a number as it is shown: with noise of a multiple of the mechanism's scale, or rounded."""
ANSWER: Final = 1.0
THRESHOLD: Final = 2.0
TEST: Final = 4.0
"""Multiples for an answer from the data, a threshold, and each test of it."""


class CorrectedRun(QueryRun):
    """A guess answers every query on which the data agree with it up to a threshold. Subclasses define `guess`.

    With Laplace noise of scale sigma over n points, the tests up to one that fails and its answer take 1 / (sigma n)
    each of a pure privacy budget (Dwork, Roth 2014, section 3.6).

    Attributes
    ----------
    paid
        Answers from the data so far.
    """

    def __init__(self, data: Data, threshold: float, budget: int, hide: Hide) -> None:
        self._data, self._level, self._budget, self._hide = data, threshold, budget, hide
        self.paid = 0
        self._threshold = hide(threshold, THRESHOLD)

    @abstractmethod
    def guess(self, query: StatisticalQuery) -> float:
        """Return the answer without the data."""

    def learn(self, query: StatisticalQuery, excess: float) -> None:
        """Use that an answer from the data exceeds its guess by `excess`; here, not at all."""

    def answer(self, query: StatisticalQuery) -> float:
        guess = self.guess(query)
        if self.paid == self._budget:
            return guess
        mean = float(query.mean(self._data))
        if abs(mean - guess) <= self._hide(self._threshold, TEST):
            return guess
        self.paid += 1
        self._threshold = self._hide(self._level, THRESHOLD)
        shown = self._hide(mean, ANSWER)
        self.learn(query, shown - guess)
        return shown


@dataclass(frozen=True)
class ThresholdOut(QueryMechanism):
    """Thresholdout: the holdout is used only if a sparse-vector test finds that both halves of the sample differ.

    A query whose mean over the training half is within threshold + Lap(2 noise) + Lap(4 noise) of that over the holdout
    is answered with the former. Otherwise the answer is the holdout's mean with Lap(noise), and the threshold's
    noise is drawn anew. After `budget` such answers the holdout is used up, and the training half answers all queries.

    The code of the published experiment has normal noise of standard deviation tau on the threshold, drawn anew for
    each query, and on the holdout's answers: `normal`.

    Parameters
    ----------
    threshold
        Difference from which the holdout answers.
    noise
        Scale of the noise; its standard deviation if it is normal.
    budget
        Number of answers from the holdout.
    normal
        Whether the noise is normal, as in the published experiment.
    alpha
        Error that counts as a failure.

    Source
    ------
    Dwork, Feldman, Hardt, Pitassi, Reingold, Roth 2015, Thresholdout.
    The reusable holdout: algorithm, and the supplementary code of its figures.
    """

    kind = "threshold-out"
    trains = True
    error = "threshold and some noise, for as many overfitted queries as the budget bears"
    arithmetic = "rounded"

    threshold: Positive = 0.04
    noise: Positive = 0.005
    budget: Whole = 1000
    normal: Flag = False
    alpha: Positive = 0.1

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> ThresholdOutRun:
        def hide(value: float, factor: float) -> float:
            if not self.normal:
                return Laplace(factor * self.noise).hide(value, rng)
            return value if factor == THRESHOLD else Gaussian(self.noise).hide(value, rng)

        train, holdout = halves(data)
        return ThresholdOutRun(train, holdout, self.threshold, self.budget, hide)


class ThresholdOutRun(CorrectedRun):
    """Running Thresholdout: the training half guesses, the holdout corrects."""

    def __init__(self, train: Data, holdout: Data, threshold: float, budget: int, hide: Hide) -> None:
        super().__init__(holdout, threshold, budget, hide)
        self._train = train

    def guess(self, query: StatisticalQuery) -> float:
        return float(query.mean(self._train))


ROUNDING: Final = 1e-9
"""Excess of a whole number of updates over its quotient of floats."""


@dataclass(frozen=True)
class SketchedAnswers(QueryMechanism):
    """Parameters that both sketches have."""

    density: FromOne = 2.0
    threshold: Positive = 0.1
    cells: Whole | None = None
    points: Whole = 1000
    alpha: Positive = 0.2

    @property
    @abstractmethod
    def updates(self) -> int:
        """The most updates, if every mean over the sample is within half of the threshold of the distribution's."""

    @abstractmethod
    def sketch(self, moves: Floats) -> Floats:
        """Return the density at each point of the prior after moves that add up to `moves`."""

    def prior(self, data: Data, rng: np.random.Generator) -> Data:
        """Return points that represent the prior: all cells, or draws of points with fair features."""
        if (self.cells is None) == (data.ndim == 1):
            raise ValueError(f"cells must be the number of cells, None for points with features; got {self.cells}")
        return np.arange(self.cells) if self.cells else Coins(data.shape[0]).draw(self.points, rng)


class SketchRun(CorrectedRun):
    """A running sketch."""

    def __init__(self, rules: SketchedAnswers, data: Data, rng: np.random.Generator, hide: Hide) -> None:
        self._rules = rules
        self._prior = rules.prior(data, rng)
        self._moves = np.zeros(self._prior.shape[-1])
        self._sketch = rules.sketch(self._moves)
        super().__init__(data, rules.threshold, rules.updates, hide)

    def guess(self, query: StatisticalQuery) -> float:
        return float((self._sketch * query.values(self._prior)).mean())

    def learn(self, query: StatisticalQuery, excess: float) -> None:
        self._moves += np.sign(excess) * query.values(self._prior)
        self._sketch = self._rules.sketch(self._moves)


@dataclass(frozen=True)
class LazyGradient(SketchedAnswers):
    """Adaptive queries by lazy online gradient descent on the density of the data.

    The sketch is clip(1 + (T / 2) (sum of s q), 0, D) over the queries q on which it was off by more than T, s = +1 if
    the sample's mean was larger and -1 if it was smaller: a projection of the sum of all gradients on 0 <= f <= D, for
    each point by itself, so that it takes a list of updates and no table of the domain. Such a query is answered with
    the sample's mean, rounded to a multiple of T. If all means over the sample are within T / 2 of the distribution's,
    there are at most U = 4 (D - 1) / T^2 updates. So the answers depend on the sample by few numbers only, whatever the
    analyst does: the positions and the answers of the updates.

    It draws no noise, so it is not differentially private, and claims no stability. The published mechanism is proved
    to be secure against predicate singling out; that proof has not been carried over to this one.

    Parameters
    ----------
    density
        D, the largest density of the data with respect to the prior.
    threshold
        T, the error on the sample from which the sketch is corrected.
    cells
        Number of cells; None for points with features.
    points
        Draws that represent the prior of points with features, with an error of the order of D / sqrt(points).
    alpha
        Error that counts as a failure.

    Source
    ------
    Huh 2026 (arXiv 2602.07732), AQA-OGD, from its abstract; steps, projection and bounds are derived here.
    Regret of lazily projected gradients: Xiao 2010.
    """

    kind = "lazy-gradient"
    error = "threshold and the sample's error over all transcripts; log(k) D / threshold^4 points, against any analyst"

    @property
    def updates(self) -> int:
        return floor(4 * (self.density - 1) / self.threshold**2 + ROUNDING)

    def sketch(self, moves: Floats) -> Floats:
        return np.clip(1 + self.threshold / 2 * moves, 0, self.density)

    def bound(self, samples: int, queries: int, beta: float) -> float | None:
        """Return T + t, with Hoeffding's t for k queries in each of N transcripts; None for draws, or t above T / 2.

        N <= (e k g / u)^u, u = min(U, k), for u positions among k queries and one of g multiples of T at each.
        """
        updates, answers = min(self.updates, queries), ceil(1 / self.threshold) + 1
        transcripts = updates * log(e * queries * answers / max(1, updates))
        error = sqrt((log(2 * queries / beta) + transcripts) / (2 * samples))
        return None if self.cells is None or error > self.threshold / 2 else self.threshold + error

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> SketchRun:
        def hide(value: float, factor: float) -> float:
            return self.threshold * round(value / self.threshold) if factor == ANSWER else value

        return SketchRun(self, data, rng, hide)


@dataclass(frozen=True)
class OnlineWeights(SketchedAnswers):
    """Adaptive queries by private multiplicative weights: the sketch is multiplied by exp(2 T s q) on each update.

    Updates are those of `lazy-gradient`, except that the sketch is divided by its mean, a sum over the whole domain,
    that their number is at most U = 2 ln(D) / T^2, by the relative entropy, and that the test and the answer have
    Laplace noise: Lap(2 sigma) and Lap(4 sigma) on the threshold, Lap(sigma) on the answer. Each update takes 2 /
    (sigma n) of a pure budget, so all of them rho = 2 U / (sigma n)^2 of a concentrated one, that of (epsilon, delta).

    Parameters
    ----------
    epsilon, delta
        Stability of all answers together.
    density
        D, the largest density of the data with respect to the prior; the number of cells if it is unknown.
    threshold
        T, the error on the sample from which the sketch is corrected.
    cells
        Number of cells; None for points with features.
    points
        Draws that represent the prior of points with features.
    alpha
        Error that counts as a failure.

    Source
    ------
    Hardt, Rothblum 2010; Dwork, Feldman, Hardt, Pitassi, Reingold, Roth 2015 for adaptive analysis.
    Sparse vector: Dwork, Roth 2014, section 3.6; concentrated: Bun, Steinke 2016, Propositions 1.3 and 1.4.
    """

    kind = "online-pmw"
    error = "threshold and the noise, sqrt(U) / (epsilon n) up to logarithms, against any analyst"
    arithmetic = "rounded"

    epsilon: Positive = 1.0
    delta: Share = 1e-6

    @property
    def updates(self) -> int:
        return floor(2 * log(self.density) / self.threshold**2 + ROUNDING)

    def sketch(self, moves: Floats) -> Floats:
        weights = np.exp(2 * self.threshold * (moves - moves.max()))
        return np.asarray(weights / weights.mean())

    def scale(self, samples: int) -> float:
        """Return sigma."""
        return sqrt(2 * max(1, self.updates) / concentrated(self.epsilon, self.delta)) / samples

    def stability(self, samples: int, queries: int) -> tuple[float, float] | None:
        return self.epsilon, self.delta

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> SketchRun:
        scale = self.scale(data.shape[-1])
        return SketchRun(self, data, rng, lambda value, factor: Laplace(factor * scale).hide(value, rng))
