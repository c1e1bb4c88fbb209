"""The second moment of a turnstile stream: AMS rows, updated exactly, and the median of several means.

Numbers are whole. A product of a column of signs with the counters is computed in 32-bit floats, which represent
whole numbers up to 2^24 exactly: as long as rows · max |y| is below that, no intermediate sum is rounded, in any order
of the terms. Beyond it, 64-bit floats are used. Squares are 64-bit floats, exact up to 2^53. The counters of a sketch
that was multiplied are not whole: its sums are rounded once (`math.fsum`), since a product of vectors adds in an order
that depends on the processor, and one decision of a game changes all that follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, fsum, inf, log
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.checks import Odd, Positive, Whole, positive
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.sketches.base import Sketch, SketchRun, arrays_of
from disttrack.privacy.mechanisms.sketches.base import Whole as Wholes
from disttrack.privacy.mechanisms.sketches.hashes import HashedSigns, SignKind, Signs, signs_of
from disttrack.privacy.mechanisms.sketches.kernel import AmsForm

EXACT: Final = 1 << 24
"""Whole numbers up to this are exact as 32-bit floats."""
LARGE: Final = 1 << 20
"""Rows up to which sums of 64 bits have room."""
_CHUNK: Final = 32
"""Updates processed at once: their columns are multiplied with each other, at the cost of one product per pair."""
_ENTRIES: Final = 1 << 20
"""Entries of a sign matrix processed at once when frequencies are absorbed."""


class LinearRun(SketchRun):
    """Groups of AMS rows, and the median of their means; numbers are those of the lecture's AMS algorithm.

    Parameters
    ----------
    groups, rows
        Groups, and rows of each.
    signs
        Signs of all rows.

    Attributes
    ----------
    squares
        Sum of the squared counters of each group.
    """

    def __init__(self, groups: int, rows: int, signs: Signs) -> None:
        self._groups, self._rows, self._signs = groups, rows, signs  # 1
        self.reset()  # 2

    def reset(self) -> None:
        self._whole = True
        self._store(np.zeros(self._groups * self._rows))
        self.squares = np.zeros(self._groups)

    def _store(self, counters: Any, growth: int = 0) -> None:
        """Store counters, as 64-bit floats if sums would be rounded after this growth of the largest one."""
        self._room = EXACT // self._rows - float(np.abs(counters).max()) - growth
        exact = self._room >= 0
        self._counters: Any = counters.astype(np.float32 if exact else np.float64)
        if not exact:
            self._room = inf

    def update(self, item: int, change: int) -> None:
        self._room -= abs(change)
        if self._room < 0:
            self._store(self._counters, abs(change))
        column, counters = self._signs.column(item), self._counters
        if self._groups == 1:
            dot = float(column.dot(counters)) if self._whole else fsum((column * counters).tolist())
            self.squares[0] += change * (2.0 * dot + change * self._rows)
        else:
            shape = self._groups, self._rows
            dots = np.einsum("gr,gr->g", column.reshape(shape), counters.reshape(shape)).astype(np.float64)
            self.squares += change * (2.0 * dots + change * self._rows)
        if abs(change) != 1:  # 3: y <- y + A v
            counters += np.multiply(column, change, dtype=counters.dtype)  # a large change is no 32-bit float
        elif change > 0:
            counters += column
        else:
            counters -= column

    def estimate(self) -> float:
        if self._groups == 1:
            return float(self.squares[0]) / self._rows  # 3: z = |y|^2 / t
        return float(np.partition(self.squares, self._groups // 2)[self._groups // 2]) / self._rows

    def means(self) -> Floats:
        """Return the estimate of each group."""
        return self.squares / self._rows

    def release(self, updates: Wholes) -> Floats:
        if not self._whole:
            return super().release(updates)
        items, changes = np.ascontiguousarray(updates.T)
        parts = [
            self._several(items[at : at + _CHUNK], changes[at : at + _CHUNK]) for at in range(0, len(items), _CHUNK)
        ]
        squares = np.concatenate(parts, axis=1) if parts else np.empty((self._groups, 0))
        middle = self._groups // 2
        chosen = squares[0] if self._groups == 1 else np.partition(squares, middle, axis=0)[middle]
        return np.asarray(chosen / self._rows)

    def _several(self, items: Wholes, changes: Wholes) -> Floats:
        """Return the squares of each group after each of several updates.

        The product of a column with the counters before its update is the product with the initial counters, plus
        the products with the columns in between.
        """
        growth = int(np.abs(changes).sum())
        self._room -= growth
        if self._room < 0:
            self._store(self._counters, growth)
        counters = self._counters
        columns = self._signs.columns(items).astype(counters.dtype, copy=False)
        grouped = columns.reshape(len(items), self._groups, self._rows).transpose(1, 0, 2)
        with_first = (grouped @ counters.reshape(self._groups, self._rows, 1))[..., 0].astype(np.float64)
        among = (grouped @ grouped.transpose(0, 2, 1)).astype(np.float64)
        dots = with_first + np.tril(among, -1) @ changes
        squares: Floats = self.squares[:, None] + np.cumsum(changes * (2 * dots + changes * self._rows), axis=1)
        self.squares = squares[:, -1].copy()
        counters += changes.astype(counters.dtype) @ columns
        return squares

    def form(self) -> AmsForm | None:
        if isinstance(self._signs, HashedSigns) or self._rows * self._groups > LARGE:
            return None
        return AmsForm(self._groups, self._rows, self._signs)

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        if not self._whole:
            super().absorb(frequencies)
            return
        items, counts = arrays_of(frequencies)
        kind = np.float32 if np.abs(counts).sum() < EXACT else np.float64
        length = max(1, _ENTRIES // len(self._counters))
        counters = self._counters.astype(np.float64)
        for at in range(0, len(items), length):
            columns = self._signs.columns(items[at : at + length])
            counters += counts[at : at + length].astype(kind) @ columns.astype(kind, copy=False)
        self._store(counters)
        grouped = counters.reshape(self._groups, self._rows)
        self.squares = np.einsum("gr,gr->g", grouped, grouped)

    def product(self, other: LinearRun) -> float:
        """Return the mean product of two runs' counters, which must have the same signs: an estimate of <f, g>."""
        products = self._counters.astype(np.float64) * other._counters  # the counters of both runs may be large
        return fsum(products.tolist()) / len(products)

    def multiply(self, factor: float) -> None:
        """Multiply the sketched vector by any number: the counters, no longer whole, are 64-bit floats from then on.

        Raises
        ------
        ValueError
            The sketch has several groups, whose sums are for whole numbers.
        """
        if self._groups > 1:
            raise ValueError(f"a sketch of {self._groups} groups cannot be multiplied; only one of a single group can")
        self._counters, self._room, self._whole = factor * self._counters.astype(np.float64), inf, False
        self.squares *= factor**2

    def twin(self) -> LinearRun:
        """Return an empty run with the same signs."""
        return LinearRun(self._groups, self._rows, self._signs)


def rows_for_tail(alpha: float, beta: float) -> int:
    """Return the rows for probability beta by an exponential bound, needed for small beta.

    Both tails together are at most 2 exp(-(t / 2)(alpha^2 / 2 - alpha^3 / 3)) for independent signs.

    Source: Achlioptas 2003, section 5.
    """
    positive("alpha", alpha)
    return ceil(2 * log(2 / beta) / (alpha**2 / 2 - alpha**3 / 3))


class AmsRows(Sketch):
    """Groups of rows of random signs: the estimate is the median of the groups' means of y_l^2."""

    goal = "second-moment"

    groups: int
    rows: int
    signs: SignKind

    @property
    def total_rows(self) -> int:
        return self.groups * self.rows

    @property
    def words(self) -> int:
        return self.total_rows * (5 if self.signs == "hashed" else 1)

    def start(self, rng: np.random.Generator) -> LinearRun:
        return LinearRun(self.groups, self.rows, signs_of(self.signs, self.total_rows, rng))


@dataclass(frozen=True)
class Ams(AmsRows):
    """The sketch of Alon, Matias and Szegedy: y = A f with random signs, and the estimate is the mean of y_l^2.

    Its mean is F2 and its variance (2 / t)(F2^2 - F4), for a stream that does not react to the estimates.

    Parameters
    ----------
    rows
        Rows of the sign matrix, t.
    signs
        dense (independent) or hashed (4-wise independent, from four words a row).
    alpha
        Relative error that counts as a failure.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Alon, Matias, Szegedy 1996; lecture on adaptive streaming.
    Section 2.2; the AMS algorithm of the lecture (Stemmer).

    Examples
    --------
    >>> run = Ams(rows=64).start(np.random.default_rng(0))
    >>> run.update(5, 3)
    >>> run.estimate()
    9.0
    """

    kind = "ams"
    error = "relative error alpha with probability 1 - 2 / (alpha^2 rows), against streams fixed in advance"
    groups = 1

    rows: Whole
    signs: SignKind = "dense"
    alpha: Positive = 0.5


@dataclass(frozen=True)
class AmsMedian(AmsRows):
    """The median of the means of several groups of rows: failures fall exponentially with the groups.

    Parameters
    ----------
    groups
        Groups, an odd number.
    rows
        Rows of each group.
    signs
        dense (independent) or hashed (4-wise independent, from four words a row).
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Alon, Matias, Szegedy 1996, theorem 2.2.

    Examples
    --------
    >>> run = AmsMedian(groups=5, rows=64).start(np.random.default_rng(0))
    >>> run.update(5, 3)
    >>> run.estimate()
    9.0
    """

    kind = "ams-median"
    error = "relative error alpha, failures exponentially rare in the groups; against streams fixed in advance"

    groups: Odd
    rows: Whole
    signs: SignKind = "dense"
    alpha: Positive = 0.5
