"""Answers without noise: the mean over the whole sample, and over a fresh part of it for each query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disttrack.mechanisms.checks import Positive
from disttrack.mechanisms.statistical.base import QueryMechanism, QueryRun, empirical_errors, sampling_error
from disttrack.mechanisms.statistical.queries import Data, Floats, StatisticalQuery


@dataclass(frozen=True)
class Empirical(QueryMechanism):
    """Answers with the mean over the whole sample, exactly. Valid for queries fixed in advance, and for no others.

    Parameters
    ----------
    alpha
        Error that counts as a failure.
    """

    kind = "empirical"
    source = "lecture on generalization by stability: what goes wrong without it"
    error = "sqrt(ln(k / beta) / n) for queries fixed in advance; none for adaptive ones"

    alpha: Positive = 0.1

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> EmpiricalRun:
        return EmpiricalRun(data)

    def coin_errors(self, samples: int, queries: int, number: int, rng: np.random.Generator) -> Floats:
        return empirical_errors(samples, number, rng)


class EmpiricalRun(QueryRun):
    """Exact means over the whole sample."""

    def __init__(self, data: Data) -> None:
        self._data = data

    def answer(self, query: StatisticalQuery) -> Any:
        return query.mean(self._data)


@dataclass(frozen=True)
class Splitting(QueryMechanism):
    """Cuts the sample into one part per query, and answers each with the mean over its own part.

    No query can depend on the points that answer it, so every answer is as accurate as the first: for
    n of the order of k / alpha^2.

    Parameters
    ----------
    alpha
        Error that counts as a failure.
    """

    kind = "splitting"
    source = "folklore: a fresh sample for each query"
    error = "sqrt(k ln(k / beta) / (2 n)), against any analyst"

    alpha: Positive = 0.1

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> SplittingRun:
        return SplittingRun(data, queries)

    def bound(self, samples: int, queries: int, beta: float) -> float | None:
        part = samples // queries
        return sampling_error(part, queries, beta) if part else None

    def coin_errors(self, samples: int, queries: int, number: int, rng: np.random.Generator) -> Floats:
        part = samples // queries
        return empirical_errors(part, number, rng) if part else np.full(number, 0.5)


class SplittingRun(QueryRun):
    """Parts of a sample, each used once."""

    def __init__(self, data: Data, queries: int) -> None:
        self._part = data.shape[-1] // queries
        if not self._part:
            raise ValueError(f"samples must be at least queries, {queries:,}, to be split; got {data.shape[-1]:,}")
        self._data, self._used = data, 0

    def answer(self, query: StatisticalQuery) -> Any:
        begin = self._used * self._part
        self._used += 1
        return query.mean(self._data[..., begin : begin + self._part])
