"""Statistical queries of a sample or its distribution, and base classes of mechanisms that answer them one by one.

Two distributions are built in: points with independent fair features of -1 and +1 (`Coins`), and points that are
uniform among cells (`Cells`). A query has its true value if there is a closed form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.noise import Draws, Floats
from disttrack.mechanisms.shortcuts import Shortcut, Shortcuts

Data = NDArray[Any]
"""A sample: one row per feature and one column per point, or one cell number per point."""

DIGIT: Final = 16
"""Bits that a spelled-out answer uses for the number of points in a cell."""


@dataclass(frozen=True)
class Coins:
    """Points with independent features, each -1 or +1 with probability 1/2."""

    features: int

    def draw(self, samples: int, rng: np.random.Generator) -> Data:
        """Return `samples` independent points."""
        total = self.features * samples
        bits = np.unpackbits(np.frombuffer(rng.bytes((total + 7) // 8), dtype=np.uint8), count=total)
        return (2 * bits.view(np.int8) - 1).reshape(self.features, samples)


@dataclass(frozen=True)
class Cells:
    """Points that are uniform among the first `filled` of `cells` cells; among all if it is None."""

    cells: int
    filled: int | None = None

    def draw(self, samples: int, rng: np.random.Generator) -> Data:
        """Return `samples` independent points."""
        return rng.integers(0, self.filled or self.cells, samples)


Distribution = Coins | Cells


@dataclass(frozen=True)
class Spelled:
    """An exact answer with more digits than a float: numerator / (points · 2^(16 cells))."""

    numerator: int
    points: int
    cells: int

    def __float__(self) -> float:
        shift = max(0, DIGIT * self.cells - 64)
        return float(self.numerator >> shift) / self.points / 2.0 ** min(64, DIGIT * self.cells)


class StatisticalQuery(ABC):
    """A function of a point, with values in [0, 1]."""

    true: float | None = None
    """Its mean over the distribution; None if there is no closed form."""

    @abstractmethod
    def values(self, data: Data) -> Floats:
        """Return its value at each point."""

    def mean(self, data: Data) -> float | Spelled:
        """Return its mean over a sample: a number."""
        return float(self.values(data).mean())


@dataclass(frozen=True)
class FeatureMean(StatisticalQuery):
    """How often a feature is +1: (1 + x_j) / 2."""

    feature: int
    true = 0.5

    def values(self, data: Data) -> Floats:
        return np.asarray((1.0 + data[self.feature]) / 2)


@dataclass(frozen=True, eq=False)
class Vote(StatisticalQuery):
    """Whether a weighted vote of features is positive; a tie counts one half.

    Flipping all features reverses the vote, so the true value is 1/2 for any weights.
    """

    features: Sequence[int] | NDArray[np.int64]
    weights: Floats
    true = 0.5

    def values(self, data: Data) -> Floats:
        votes = np.asarray(self.weights, dtype=np.float32) @ data[np.asarray(self.features)].astype(np.float32)
        return np.asarray(0.5 * (1.0 + np.sign(votes).astype(np.float64)))


@dataclass(frozen=True, eq=False)
class Residual(StatisticalQuery):
    """Agreement of a feature with the residual of a linear model: (2 + x_j (1 - clip(w · x, -1, 1))) / 4.

    Its mean is one half plus a quarter of a coordinate of the gradient of a clipped hinge loss with all labels +1.
    """

    feature: int
    weights: Floats

    def values(self, data: Data) -> Floats:
        scores = np.clip(np.asarray(self.weights, dtype=np.float32) @ data.astype(np.float32), -1, 1)
        return np.asarray((2.0 + data[self.feature] * (1.0 - scores)) / 4, dtype=np.float64)


@dataclass(frozen=True)
class SpellOut(StatisticalQuery):
    """2^(-16 (x + 1)) for a point in cell x: the digits of n times the mean are the numbers of points in all cells."""

    cells: int

    @property
    def true(self) -> float:  # type: ignore[override]
        """Its mean over the cells; terms after the first four are below the last digit of a float."""
        return float(sum(2.0 ** (-DIGIT * (cell + 1)) for cell in range(min(4, self.cells)))) / self.cells

    def values(self, data: Data) -> Floats:
        return np.exp2(-DIGIT * (np.minimum(data, 60) + 1.0))

    def mean(self, data: Data) -> Spelled:
        if len(data) >= 1 << DIGIT:
            raise ValueError(
                f"samples must be below {1 << DIGIT:,} for a query that spells them out; got {len(data):,}"
            )
        counts = np.bincount(data, minlength=self.cells).astype(">u2")
        return Spelled(int.from_bytes(counts.tobytes(), "big"), len(data), self.cells)


@dataclass(frozen=True, eq=False)
class Members(StatisticalQuery):
    """Whether a point lies in a set of cells, of which the first `filled` have points; all if it is None."""

    inside: NDArray[np.bool_]
    filled: int | None = None

    @property
    def true(self) -> float:  # type: ignore[override]
        """The share of the cells with points that are in the set."""
        return float(self.inside[: self.filled].mean())

    def values(self, data: Data) -> Floats:
        return self.inside[data].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Selection:
    """A request for one of several queries: the one with the largest mean."""

    queries: Sequence[StatisticalQuery]


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
