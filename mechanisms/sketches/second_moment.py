"""The second moment of a turnstile stream: the AMS sketch, and the median of several means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, exp, log
from typing import ClassVar

import numpy as np

from mechanisms.checks import positive, probability, whole
from mechanisms.sketches.base import Floats, Goal, Sketch, SketchRun, Whole
from mechanisms.sketches.signs import SignKind, signs_of

_CHUNK = 1 << 17
"""Entries of the matrix that is handled at once when many updates are taken."""


def rows_for(alpha: float, beta: float) -> int:
    """Return the rows with which one estimate is within 1 ± alpha but with probability beta, by Chebyshev: 2 / (alpha^2 beta).

    Examples
    --------
    >>> rows_for(0.5, 0.1)
    80
    """
    positive("alpha", alpha)
    probability("beta", beta)
    return ceil(2 / (alpha**2 * beta) - 1e-9)


def rows_for_tail(alpha: float, beta: float) -> int:
    """Return the rows for probability beta by an exponential bound, which small beta need.

    Both tails together are at most 2 exp(-(t / 2)(alpha^2 / 2 - alpha^3 / 3)) for independent signs.

    Source: Achlioptas 2003, section 5.
    """
    positive("alpha", alpha)
    return ceil(2 * log(2 / beta) / (alpha**2 / 2 - alpha**3 / 3))


def tail(alpha: float, rows: int) -> float:
    """Return the bound of `rows_for_tail` on the probability of an error above alpha, with so many rows."""
    return min(1.0, 2 * exp(-rows / 2 * (alpha**2 / 2 - alpha**3 / 3)))


def variance(frequencies: Floats, rows: int) -> float:
    """Return the variance of the AMS estimate: (2 / t)(F2^2 - F4).

    Examples
    --------
    >>> variance(np.array([3.0, 0, 0]), 10), variance(np.array([1.0, 1.0]), 1)
    (0.0, 4.0)
    """
    squares = np.asarray(frequencies, dtype=np.float64) ** 2
    return float(2 / rows * (squares.sum() ** 2 - (squares**2).sum()))


@dataclass(frozen=True)
class Ams(Sketch):
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
    Alon, Matias, Szegedy 1996, section 2.2; lecture on adaptive streaming (Stemmer), the AMS algorithm.

    Examples
    --------
    >>> run = Ams(rows=64).start(np.random.default_rng(0))
    >>> run.update(5, 3)
    >>> run.estimate()
    9.0
    """

    kind: ClassVar[str] = "ams"
    source: ClassVar[str] = "Alon, Matias, Szegedy 1996; lecture on adaptive streaming"
    error: ClassVar[str] = "relative error alpha with probability 1 - 2 / (alpha^2 rows), against streams fixed in advance"
    stateless: ClassVar[bool] = True

    rows: int
    signs: SignKind = "dense"
    alpha: float = 0.5

    def __post_init__(self) -> None:
        whole("rows", self.rows)
        _checked_signs(self.signs)
        positive("alpha", self.alpha)

    @property
    def goal(self) -> Goal:
        return "second-moment"

    @property
    def total_rows(self) -> int:
        return self.rows

    @property
    def words(self) -> int:
        return self.rows * (5 if self.signs == "hashed" else 1)

    def start(self, rng: np.random.Generator) -> LinearRun:
        return LinearRun(1, self.rows, self.signs, rng)


@dataclass(frozen=True)
class AmsMedian(Sketch):
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

    kind: ClassVar[str] = "ams-median"
    source: ClassVar[str] = "Alon, Matias, Szegedy 1996, theorem 2.2"
    error: ClassVar[str] = "relative error alpha, failures exponentially rare in the groups; against streams fixed in advance"
    stateless: ClassVar[bool] = True

    groups: int
    rows: int
    signs: SignKind = "dense"
    alpha: float = 0.5

    def __post_init__(self) -> None:
        whole("groups", self.groups)
        if self.groups % 2 == 0:
            raise ValueError(f"groups must be an odd number; got {self.groups!r}")
        whole("rows", self.rows)
        _checked_signs(self.signs)
        positive("alpha", self.alpha)

    @property
    def goal(self) -> Goal:
        return "second-moment"

    @property
    def total_rows(self) -> int:
        return self.groups * self.rows

    @property
    def words(self) -> int:
        return self.groups * self.rows * (5 if self.signs == "hashed" else 1)

    def start(self, rng: np.random.Generator) -> LinearRun:
        return LinearRun(self.groups, self.rows, self.signs, rng)


def _checked_signs(signs: str) -> None:
    if signs not in ("dense", "hashed"):
        raise ValueError(f"signs must be 'dense' or 'hashed'; got {signs!r}")


class LinearRun(SketchRun):
    """Groups of AMS rows at work, and the median of their means.

    All numbers are whole and below 2^53, so that sums that are kept up to date are exact, in whatever order.

    Attributes
    ----------
    squares
        Sum of the squared counters of each group.
    """

    __slots__ = ("_counters", "_groups", "_rows", "_signs", "squares")

    def __init__(self, groups: int, rows: int, signs: SignKind, rng: np.random.Generator) -> None:
        self._groups, self._rows = groups, rows
        self._signs = signs_of(signs, groups * rows, rng)
        self._counters = np.zeros(groups * rows)
        self.squares = np.zeros(groups)

    def update(self, item: int, change: int) -> None:
        column, counters = self._signs.column(item), self._counters
        if self._groups == 1:
            self.squares[0] += change * (2.0 * float(column.dot(counters)) + change * self._rows)
        else:
            shape = self._groups, self._rows
            dots = np.einsum("gr,gr->g", column.reshape(shape), counters.reshape(shape))
            self.squares += change * (2.0 * dots + change * self._rows)
        if change == 1:
            counters += column
        elif change == -1:
            counters -= column
        else:
            counters += change * column

    def estimate(self) -> float:
        if self._groups == 1:
            return float(self.squares[0]) / self._rows
        return float(np.partition(self.squares, self._groups // 2)[self._groups // 2]) / self._rows

    def means(self) -> Floats:
        """Return the estimate of each group."""
        return self.squares / self._rows

    def play(self, items: Whole, changes: Whole) -> Floats:
        length = max(1, _CHUNK // len(self._counters))
        return np.concatenate(
            [self._play(items[at : at + length], changes[at : at + length]) for at in range(0, len(items), length)]
            or [np.empty(0)]
        )

    def _play(self, items: Whole, changes: Whole) -> Floats:
        """Take some updates at once: the counters after each are sums of columns."""
        course = self._signs.columns(items)
        course *= changes[:, None]
        course[0] += self._counters
        np.cumsum(course, axis=0, out=course)
        self._counters = course[-1].copy()
        grouped = course.reshape(len(items), self._groups, self._rows)
        squares = np.einsum("igr,igr->ig", grouped, grouped)
        self.squares = squares[-1].copy()
        middle = self._groups // 2
        chosen: Floats = (squares[:, 0] if self._groups == 1 else np.partition(squares, middle, axis=1)[:, middle])
        return chosen / self._rows

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        items = np.fromiter(frequencies.keys(), dtype=np.int64, count=len(frequencies))
        counts = np.fromiter(frequencies.values(), dtype=np.float64, count=len(frequencies))
        length = max(1, _CHUNK // len(self._counters))
        for at in range(0, len(items), length):
            self._counters += counts[at : at + length] @ self._signs.columns(items[at : at + length])
        grouped = self._counters.reshape(self._groups, self._rows)
        self.squares = np.einsum("gr,gr->g", grouped, grouped)

    def product(self, other: LinearRun) -> float:
        """Return the mean product of two runs' counters, which must have the same signs: an estimate of <f, g>."""
        return float(self._counters.dot(other._counters)) / len(self._counters)

    def twin(self) -> LinearRun:
        """Return an empty run with the same signs."""
        empty = object.__new__(LinearRun)
        empty._groups, empty._rows, empty._signs = self._groups, self._rows, self._signs
        empty._counters, empty.squares = np.zeros_like(self._counters), np.zeros_like(self.squares)
        return empty

    def reset(self) -> None:
        self._counters[:] = 0.0
        self.squares[:] = 0.0
