"""Answers without noise: the mean over the whole sample, its holdout, and over a fresh part of it for each query."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, repeat

import numpy as np

from disttrack.mechanisms.checks import Positive
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.statistical.base import (
    MeanRun,
    QueryMechanism,
    empirical_errors,
    halves,
    sampling_error,
)
from disttrack.privacy.mechanisms.statistical.queries import Data


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
