"""What every mechanism offers that answers statistical queries of a sample, one after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import log, sqrt
from typing import Any, ClassVar

import numpy as np

from disttrack.mechanisms.statistical.queries import Data, Floats, StatisticalQuery


class QueryRun(ABC):
    """A mechanism at work on a sample."""

    @abstractmethod
    def answer(self, query: StatisticalQuery) -> Any:
        """Return the answer to the next query: a number, in general near [0, 1]."""

    def select(self, queries: Sequence[StatisticalQuery]) -> int:
        """Return which of several queries has the largest mean; here, the largest answer."""
        return int(np.argmax([float(self.answer(query)) for query in queries]))


class QueryMechanism(ABC):
    """Parameters of a mechanism: a frozen dataclass with `alpha`, the error that counts as a failure."""

    kind: ClassVar[str] = ""
    source: ClassVar[str] = ""
    error: ClassVar[str] = ""
    arithmetic: ClassVar[str] = "real"
    """In which arithmetic its privacy holds: grid, rounded, coins or real numbers (docs/audits.md)."""
    answers: ClassVar[bool] = True
    """Whether it answers queries; one that only selects among them does not."""

    alpha: float

    @abstractmethod
    def start(self, data: Data, queries: int, rng: np.random.Generator) -> QueryRun:
        """Return a run on a sample, for at most so many queries."""

    def bound(self, samples: int, queries: int, beta: float) -> float | None:
        """Return what no answer is off the distribution by, but with probability beta; None without a proof."""
        return None

    def stability(self, samples: int, queries: int) -> tuple[float, float] | None:
        """Return (epsilon, delta) of all answers, for samples that differ in a point; None if it is not stable."""
        return None

    def coin_errors(self, samples: int, queries: int, number: int, rng: np.random.Generator) -> Floats:
        """Return the errors of so many answers among `queries` to queries of different fair features.

        The means of different features are independent, each a binomial count over the points, and none is asked with
        the others in mind: so this has the distribution of the errors in a game with an analyst that asks what it has
        fixed in advance, without its sample.

        Raises
        ------
        NotImplementedError
            If the answers do not only depend on the mean of the query at hand.
        """
        raise NotImplementedError(f"{self.kind} has no answers that can be drawn by themselves")


def sampling_error(samples: int, queries: int, beta: float) -> float:
    """Return what no empirical mean of queries fixed in advance is off by, but with probability beta (Hoeffding)."""
    return sqrt(log(2 * queries / beta) / (2 * samples))


def empirical_errors(samples: int, number: int, rng: np.random.Generator) -> Floats:
    """Return errors of means of fair features over a sample."""
    counts: Floats = rng.binomial(samples, 0.5, number) / samples
    return counts - 0.5
