"""The second moment of a turnstile stream: the AMS sketch, and the median of several means."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np

from disttrack.mechanisms.checks import Odd, Positive, Whole, positive
from disttrack.privacy.mechanisms.sketches.base import Sketch
from disttrack.privacy.mechanisms.sketches.linear import LinearRun
from disttrack.privacy.mechanisms.sketches.signs import SignKind, signs_of


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
