"""Interface of the coins that rules take."""

from __future__ import annotations

from math import log1p
from typing import Any, Protocol


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
