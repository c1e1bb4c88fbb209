"""Base classes of mechanisms that answer statistical queries of a sample, one after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import log, sqrt
from typing import ClassVar

import numpy as np

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.noise import Draws, Floats
from disttrack.mechanisms.shortcuts import Shortcut, Shortcuts
from disttrack.privacy.mechanisms.statistical.queries import Data, Selection, Spelled, StatisticalQuery


class QueryRun(Shortcuts, ABC):
    """A mechanism running on a sample."""

    def step(self, query: StatisticalQuery | Selection) -> float | Spelled:
        """Return the answer to the next query, or which of several queries is selected."""
        return self.select(query.queries) if isinstance(query, Selection) else self.answer(query)

    def release(self, queries: Sequence[StatisticalQuery | Selection]) -> list[float | Spelled]:
        """Return the answers to several queries."""
        return [self.step(query) for query in queries]

    @abstractmethod
    def answer(self, query: StatisticalQuery) -> float | Spelled:
        """Return the answer to the next query: a number, in general near [0, 1]."""

    def select(self, queries: Sequence[StatisticalQuery]) -> int:
        """Return which of several queries has the largest mean; here, the largest answer."""
        return int(np.argmax([float(self.answer(query)) for query in queries]))

    shortcuts: ClassVar = {"release": Shortcut(release)}


class MeanRun(QueryRun):
    """Means over parts of a sample, or over the whole of it for each query, with noise if there is any.

    Parameters
    ----------
    parts
        The points for each query.
    noise
        Draws of noise; None for exact means.
    """

    def __init__(self, parts: Iterator[Data], noise: Draws | None = None) -> None:
        self._parts, self._noise = parts, noise

    def answer(self, query: StatisticalQuery) -> float | Spelled:
        mean = query.mean(next(self._parts))
        return mean if self._noise is None else self._noise.hide(float(mean))


class QueryMechanism(Mechanism, ABC):
    """Parameters of a mechanism: a frozen dataclass with `alpha`, the error that counts as a failure."""

    arithmetic: ClassVar[str] = ""  # it hides nothing, unless its class says so
    answers: ClassVar[bool] = True
    """Whether it answers queries; a mechanism that only selects among them does not."""
    trains: ClassVar[bool] = False
    """Whether it keeps half of the sample as a training set."""

    alpha: float

    @abstractmethod
    def start(self, data: Data, queries: int, rng: np.random.Generator) -> QueryRun:
        """Return a run on a sample, for at most `queries` queries."""

    def bound(self, samples: int, queries: int, beta: float) -> float | None:
        """Return a bound on all errors on the distribution, except with probability beta; None without a proof."""
        return None

    def stability(self, samples: int, queries: int) -> tuple[float, float] | None:
        """Return (epsilon, delta) of all answers, for samples that differ in one point; None if it is not stable."""
        return None

    def coin_errors(self, samples: int, queries: int, number: int, rng: np.random.Generator) -> Floats:
        """Return the errors of `number` answers among `queries` to queries of different fair features.

        The means of different features are independent, each a binomial count over the points, and no query depends on
        the others: so this is the distribution of the errors in a game with an analyst whose queries are
        fixed in advance, without its sample.

        Raises
        ------
        NotImplementedError
            If an answer does not depend only on the mean of its query.
        """
        raise NotImplementedError(f"{self.kind} has no answers that can be drawn by themselves")

    shortcuts: ClassVar = {
        "bound": Shortcut(bound),
        "stability": Shortcut(stability),
        "coin_errors": Shortcut(coin_errors),
    }
    descriptions = frozenset({"answers", "trains"})


def halves(data: Data) -> tuple[Data, Data]:
    """Return the training half of a sample and its holdout.

    Raises
    ------
    ValueError
        If there are fewer than two points.
    """
    half = data.shape[-1] // 2
    if not half:
        raise ValueError(f"samples must be at least 2, to be halved; got {data.shape[-1]}")
    return data[..., :half], data[..., half:]


def sampling_error(samples: int, queries: int, beta: float) -> float:
    """Return the largest error of any empirical mean of fixed queries, except with probability beta (Hoeffding)."""
    return sqrt(log(2 * queries / beta) / (2 * samples))


def empirical_errors(samples: int, number: int, rng: np.random.Generator) -> Floats:
    """Return errors of means of fair features over a sample."""
    counts: Floats = rng.binomial(samples, 0.5, number) / samples
    return counts - 0.5
