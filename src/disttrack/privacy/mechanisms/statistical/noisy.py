"""Answers of means: without noise, with Laplace or normal noise, and the noisy argmax of Theorem 3."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, repeat
from math import erf, log, sqrt
from typing import ClassVar

import numpy as np

from disttrack.mechanisms.checks import Positive, Share
from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.mechanisms.noise import Draws, Floats, Gaussian, Laplace, Noise
from disttrack.privacy.mechanisms.statistical.base import (
    Data,
    MeanRun,
    QueryMechanism,
    QueryRun,
    StatisticalQuery,
    empirical_errors,
    halves,
    sampling_error,
)


@dataclass(frozen=True)
class Empirical(QueryMechanism):
    """Answers with the mean over the whole sample, exactly. Valid for queries fixed in advance, and for no others.

    Parameters
    ----------
    alpha
        Error that counts as a failure.

    Source
    ------
    lecture on generalization by stability: what goes wrong without it.
    """

    kind = "empirical"
    error = "sqrt(ln(k / beta) / n) for queries fixed in advance; none for adaptive ones"

    alpha: Positive = 0.1

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> MeanRun:
        return MeanRun(repeat(data))

    def coin_errors(self, samples: int, queries: int, number: int, rng: np.random.Generator) -> Floats:
        return empirical_errors(samples, number, rng)


@dataclass(frozen=True)
class Holdout(QueryMechanism):
    """Answers with the mean over the second half of the sample, exactly; the first half is a training set.

    Parameters
    ----------
    alpha
        Error that counts as a failure.

    Source
    ------
    Dwork, Feldman, Hardt, Pitassi, Reingold, Roth 2015, the standard holdout.
    """

    kind = "holdout"
    trains = True
    error = "sqrt(ln(k / beta) / n) for queries that do not depend on the holdout; none for adaptive ones"

    alpha: Positive = 0.1

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> MeanRun:
        return MeanRun(repeat(halves(data)[1]))


@dataclass(frozen=True)
class Splitting(QueryMechanism):
    """Cuts the sample into one part per query, and answers each with the mean over its own part.

    No query can depend on the points that answer it, so every answer is as accurate as the first: for
    n of the order of k / alpha^2.

    Parameters
    ----------
    alpha
        Error that counts as a failure.

    Source
    ------
    folklore: a fresh sample for each query.
    """

    kind = "splitting"
    error = "sqrt(k ln(k / beta) / (2 n)), against any analyst"

    alpha: Positive = 0.1

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> MeanRun:
        part = data.shape[-1] // queries
        if not part:
            raise ValueError(f"samples must be at least queries, {queries:,}, to be split; got {data.shape[-1]:,}")
        return MeanRun(data[..., at : at + part] for at in count(0, part))

    def bound(self, samples: int, queries: int, beta: float) -> float | None:
        part = samples // queries
        return sampling_error(part, queries, beta) if part else None

    def coin_errors(self, samples: int, queries: int, number: int, rng: np.random.Generator) -> Floats:
        part = samples // queries
        return empirical_errors(part, number, rng) if part else np.full(number, 0.5)


class NoisyAnswers(QueryMechanism):
    """Adds independent noise to each mean."""

    @abstractmethod
    def noise(self, samples: int, queries: int) -> Noise:
        """Return the noise of each answer."""

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> MeanRun:
        return MeanRun(repeat(data), Draws(self.noise(data.shape[-1], queries), rng, batch=1))

    def coin_errors(self, samples: int, queries: int, number: int, rng: np.random.Generator) -> Floats:
        return empirical_errors(samples, number, rng) + self.noise(samples, queries).draw(rng, number)


@dataclass(frozen=True)
class LaplaceAnswers(NoisyAnswers):
    """Adds Lap(1 / (gamma n)), gamma = epsilon / sqrt(8 k ln(1 / delta)): k answers are (epsilon, delta)-stable.

    All answers are within ln(k / beta) / (gamma n) of the sample's means (Claim 2), and by Theorem 5 within 10 epsilon
    more of the distribution's, except with probability beta + k delta / epsilon.

    Parameters
    ----------
    epsilon, delta
        Stability of all answers together, for samples that differ in one point.
    alpha
        Error that counts as a failure.

    Source
    ------
    lecture on generalization by stability, Conclusion 1 and Claim 2.
    Theorem 5 for the distribution.
    """

    kind = "laplace-answers"
    formerly = "laplace"
    error = "sqrt(8 k ln(1 / delta)) ln(k / beta) / (epsilon n) + 10 epsilon, against any analyst"
    arithmetic = "rounded"

    epsilon: Share
    delta: Share = 1e-6
    alpha: Positive = 0.1

    def noise(self, samples: int, queries: int) -> Laplace:
        gamma = self.epsilon / sqrt(8 * queries * log(1 / self.delta))  # Conclusion 1
        return Laplace(1 / (gamma * samples))

    def empirical_bound(self, samples: int, queries: int, beta: float) -> float:
        """Return the alpha of Claim 2: ln(k / beta) / (gamma n)."""
        return self.noise(samples, queries).scale * log(queries / beta)

    def bound(self, samples: int, queries: int, beta: float) -> float | None:
        """Return the bound of Theorem 5; the union over queries takes k delta / epsilon of its probability."""
        left = beta - queries * self.delta / self.epsilon
        if left <= 0 or samples < log(1 / self.delta) / self.epsilon**2:
            return None  # the theorem needs n of the order of ln(1 / delta) / epsilon^2
        return self.empirical_bound(samples, queries, left) + 10 * self.epsilon

    def stability(self, samples: int, queries: int) -> tuple[float, float] | None:
        return self.epsilon, self.delta


@dataclass(frozen=True)
class GaussianAnswers(NoisyAnswers):
    """Adds normal noise to the mean: of a given standard deviation, or calibrated to (epsilon, delta)-stability.

    Parameters
    ----------
    std
        Standard deviation of the noise of an answer in [0, 1]; None for the least one for epsilon and delta.
    epsilon, delta
        Stability of all answers together; used if `std` is None.
    alpha
        Error that counts as a failure.

    Source
    ------
    Dwork, Roth 2014, appendix A; Balle, Wang 2018.
    The latter for the calibration.
    """

    kind = "gaussian-answers"
    formerly = "gaussian"
    error = "sqrt(k) / (epsilon n) up to logarithms, and 10 epsilon, against any analyst"
    arithmetic = "rounded"

    std: Positive | None = None
    epsilon: Positive = 0.1
    delta: Share = 1e-6
    alpha: Positive = 0.1

    def noise(self, samples: int, queries: int) -> Gaussian:
        """Return the noise of each answer: k answers of sensitivity 1 / n have sensitivity sqrt(k) / n together."""
        if self.std is not None:
            return Gaussian(self.std)
        return Gaussian(noise_multiplier(self.epsilon, self.delta, "exact") * sqrt(queries) / samples)

    def stability(self, samples: int, queries: int) -> tuple[float, float] | None:
        return None if self.std is not None else (self.epsilon, self.delta)


@dataclass(frozen=True)
class NoisyArgmax(QueryMechanism):
    """Selects one of several queries: the largest mean after Lap(2 / (epsilon n)) has been added to each.

    It is (epsilon, 0)-stable for any number of queries, and the mean of the selected one is within
    (4 / (epsilon n)) ln(T / beta) of the largest, except with probability beta.

    Parameters
    ----------
    epsilon
        Stability of the selection.
    alpha
        Error that counts as a failure.

    Source
    ------
    lecture on generalization by stability, Theorem 3 and Claim 4.
    """

    kind = "noisy-argmax"
    error = "(4 / (epsilon n)) ln(T / beta) below the largest of T means"
    arithmetic = "rounded"
    answers: ClassVar[bool] = False

    epsilon: Positive
    alpha: Positive = 0.1

    def noise(self, samples: int) -> Laplace:
        """Return the noise of each mean."""
        return Laplace(2 / (self.epsilon * samples))

    def stability(self, samples: int, queries: int) -> tuple[float, float] | None:
        return self.epsilon, 0.0

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> NoisyArgmaxRun:
        return NoisyArgmaxRun(data, self.noise(data.shape[-1]), rng)


class NoisyArgmaxRun(QueryRun):
    """A running noisy argmax."""

    def __init__(self, data: Data, noise: Laplace, rng: np.random.Generator) -> None:
        self._data, self._noise, self._rng = data, noise, rng

    def answer(self, query: StatisticalQuery) -> float:
        raise ValueError("noisy-argmax names the largest of several queries and answers none")

    def select(self, queries: Sequence[StatisticalQuery]) -> int:
        means = np.array([float(query.mean(self._data)) for query in queries])
        return noisy_argmax(means, self._noise, self._rng)


def noisy_argmax(means: Floats, noise: Laplace, rng: np.random.Generator) -> int:
    """Return the index of the largest of these means after noise has been added to each."""
    draws = Draws(noise, rng)
    return int(np.argmax(draws.on_grid(means) + draws.many(len(means))))  # steps 1 and 2 of NoisyArgmax


def overfitting_gap(queries: int, samples: int, std: float = 0.0) -> float:
    """Return the mean distance from 1/2, on the sample, of the vote by the signs of the answers to k fair features.

    Phi(sqrt(2 k / (pi n)) / sqrt(1 + n tau^2)) - 1/2, with noise of standard deviation tau on features of -1 and +1,
    which is 2 `std` (normal approximation, k large).

    Examples
    --------
    >>> round(overfitting_gap(100, 1000), 4), round(overfitting_gap(1000, 2000), 4)
    (0.0996, 0.2137)
    """
    argument = sqrt(2 * queries / (np.pi * samples)) / sqrt(1 + samples * (2 * std) ** 2)
    return 0.5 * erf(argument / sqrt(2))
