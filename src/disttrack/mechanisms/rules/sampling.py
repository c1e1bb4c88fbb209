"""The sampling tracker: each item is reported with probability p, and p falls as the number of items grows.

With L the number of the item that a site reported last (0 for none), L - 1 + 1/p is an unbiased estimate of its items
(0 for none). 1/p is a power of two, and grows by 2^e whenever the number known to all has grown by 2^e.

Source
------
Huang, Yi, Zhang 2012 (arXiv 1108.3413), section 2, recalled and completed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.rules.blocks import Counts


@dataclass(frozen=True, slots=True)
class SamplingRule:
    """The rule that determines p.

    Parameters
    ----------
    spread
        Relative error of the sum at one standard deviation: alpha / c.
    sites
        Number of sites, k.
    """

    spread: float
    sites: int

    def inverse_p(self, known: int) -> int:
        """Return 1/p while the public number is `known`: the largest power of two not above spread · known / sqrt k.

        Examples
        --------
        >>> [SamplingRule(0.1, 4).inverse_p(known) for known in (0, 39, 40, 79, 80)]
        [1, 1, 2, 2, 4]
        """
        return inverse_p(self.spread, self.sites, known)

    @property
    def early(self) -> float:
        """Items below which all of them are reported: sqrt(k) / spread."""
        return sqrt(self.sites) / self.spread


def inverse_p(spread: float, sites: int, known: int) -> int:
    """Return `SamplingRule.inverse_p` of one number."""
    wanted, inverse = int(spread * known / sqrt(sites)), 1
    while inverse <= wanted - inverse:
        inverse += inverse
    return inverse


def estimate(last: Counts, inverse: int) -> Any:
    """Return the server's estimate of a site's items after a report of its item `last`: last - 1 + 1/p, or 0 for 0.

    Takes one number or an array.

    Examples
    --------
    >>> estimate(5, 4), estimate(0, 4)
    (8, 0)
    """
    return sum_of_estimates(last, last > 0, inverse)


def sum_of_estimates(lasts: Counts, sites: Any, inverse: int) -> Any:
    """Return the sum of the estimates of `sites` sites with reports, `lasts` being the sum of their last items.

    Examples
    --------
    >>> sum_of_estimates(5 + 7, 2, 4)
    18
    """
    return lasts + sites * (inverse - 1)


def redrawn(last: Counts, before: int, inverse: int, coins: Tosses) -> Counts:
    """Return the last report when 1/p has grown from `before` to `inverse`, as if it had always been so.

    A report survives with probability before / inverse. Otherwise every item below it is a fresh coin of bias p, so the
    new report is a geometric gap below; 0 if there is none. Takes one number or an array; 0 stays 0.
    """
    kept, scale = before / inverse, gap_scale(1 / inverse)
    if isinstance(last, np.ndarray):
        shape = len(last)
        return np.where(coins.success(kept, shape), last, np.maximum(0, last - coins.gap(scale, shape)))
    return last if coins.success(kept) else max(0, last - coins.gap(scale))


def chances_redrawn(last: int, before: int, inverse: int) -> NDArray[np.float64]:
    """Return the probability of each of 0, 1, …, `last` as the result of `redrawn`.

    Examples
    --------
    >>> chances_redrawn(3, 1, 2).tolist()
    [0.125, 0.125, 0.25, 0.5]
    >>> chances_redrawn(0, 1, 2).tolist()
    [1.0]
    """
    kept, p = before / inverse, 1 / inverse
    chances = np.ones(last + 1)
    if last:
        gaps = last - np.arange(1, last)
        chances[1:last] = (1 - kept) * p * (1 - p) ** (gaps - 1)
        chances[0], chances[last] = (1 - kept) * (1 - p) ** (last - 1), kept
    return chances


def variance(items: Any, inverse: Any) -> Any:
    """Return the variance of the estimate of a site with `items` items: (1 - p)(1 - (1 - p)^n) / p^2.

    Takes numbers or arrays.

    Examples
    --------
    >>> variance(1, 2), variance(5, 4)
    (1.0, 9.15234375)
    """
    return (inverse - 1) * inverse * (1 - (1 - 1 / inverse) ** items)


def variance_redrawn(last: Any, then: object, inverse: Any) -> Any:
    """Return the present variance of the estimate of a site that reported its item `last` when 1/p was `then`.

    Its mean is still last - 1 + then, however often p has been lowered in between. With a = then / inverse the report
    survives with probability a, and else the estimate is that of last - 1 items: (1 - a) (a / p^2 + v(last - 1)),
    v being `variance`. 0 where `last` is 0. Takes numbers or arrays.
    """
    kept = then / inverse
    beyond = variance(np.maximum(last, 1) - 1, inverse)
    return (last > 0) * (1 - kept) * (kept * inverse * inverse + beyond)


class Tosses(Protocol):
    """Coins: random draws, one number if `shape` is None, otherwise an array of this length."""

    def gap(self, scale: float, shape: int | None = None) -> Any:
        """Return the number of tosses until a coin of bias p succeeds, 1, 2, …; `scale` is `gap_scale(p)`."""
        ...

    def success(self, p: float, shape: int | None = None) -> Any:
        """Return whether one toss of a coin of bias p succeeds."""
        ...


def gap_scale(p: float) -> float:
    """Return the mean of the exponential distribution whose rounded-up values are geometric with bias p.

    Raises
    ------
    ValueError
        If p is not above 0 and at most 1.

    Examples
    --------
    >>> gap_scale(1)
    0.0
    >>> round(gap_scale(0.5), 4)
    1.4427
    """
    if not 0 < p <= 1:
        raise ValueError(f"p must be above 0 and at most 1; got {p!r}")
    return scale_of(p)


def scale_of(p: float) -> float:
    """Return `gap_scale` of a p that is known to be above 0 and at most 1."""
    return 0.0 if p == 1 else -1 / log1p(-p)


def gap_of(exponential: float, scale: float) -> int:
    """Return the geometric number of tosses that a standard exponential number stands for; `scale` is `gap_scale(p)`.

    Examples
    --------
    >>> gap_of(0.5, 10.0), gap_of(0.5, 0.0)
    (6, 1)
    """
    return int(exponential * scale) + 1
