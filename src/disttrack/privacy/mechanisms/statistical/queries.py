"""Statistical queries: the mean of a function with values in [0, 1], over a sample or over its distribution.

Two distributions are built in: points with independent fair features of -1 and +1 (`Coins`), and points that are
uniform among cells (`Cells`). A query has its true value if there is a closed form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.noise import Floats

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
