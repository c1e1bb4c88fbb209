"""The second moment of a turnstile stream: the AMS sketch, and the median of several means."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, log
from typing import ClassVar

import numpy as np

from disttrack.mechanisms.checks import positive, whole
from disttrack.mechanisms.sketches.base import Floats, Goal, Sketch
from disttrack.mechanisms.sketches.linear import LinearRun
from disttrack.mechanisms.sketches.signs import SignKind


def rows_for_tail(alpha: float, beta: float) -> int:
    """Return the rows for probability beta by an exponential bound, needed for small beta.

    Both tails together are at most 2 exp(-(t / 2)(alpha^2 / 2 - alpha^3 / 3)) for independent signs.

    Source: Achlioptas 2003, section 5.
    """
    positive("alpha", alpha)
    return ceil(2 * log(2 / beta) / (alpha**2 / 2 - alpha**3 / 3))


def tail(alpha: float, rows: int) -> float:
    """Return the bound of `rows_for_tail` on the probability of an error above alpha, for `rows` rows."""
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
    error: ClassVar[str] = (
        "relative error alpha with probability 1 - 2 / (alpha^2 rows), against streams fixed in advance"
    )

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
    error: ClassVar[str] = (
        "relative error alpha, failures exponentially rare in the groups; against streams fixed in advance"
    )

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
