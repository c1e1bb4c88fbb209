"""The arithmetic of plain sketches, for numbers of Python and compiled alike: ranks, places, and estimates."""

from __future__ import annotations

from functools import lru_cache
from math import log
from typing import Any


def rank_of(bits: Any, first: Any) -> Any:
    """Return the rank of a hash value: one more than the zeros before the first one from a bit on, the number `first`.

    Examples
    --------
    >>> [rank_of(bits, 0b100) for bits in (0b1111, 0b1010, 0b0001, 0b1000)]
    [1, 2, 3, 4]
    """
    rank = 1
    while first and not bits & first:
        first >>= 1
        rank += 1
    return rank


def place_and_sign(bits: Any, width: Any) -> tuple[Any, Any]:
    """Return the counter of an item with these hash bits in a row of CountSketch, and its sign."""
    return (bits >> 1) % width, 1 - 2 * ((bits & 1) == 0)


def estimate_of_least(size: int, beyond: float) -> float:
    """Return the estimate (k - 1) / v of the k least hash values; `beyond` is one more than the largest of them."""
    return (size - 1) * 2.0**64 / beyond


def estimate_of(registers: int, total: float, empty: int) -> float:
    """Return the estimate of HyperLogLog.

    Parameters
    ----------
    registers
        Their number.
    total
        The sum of 2^-rank over all of them; an empty one has rank 0.
    empty
        The number of empty ones.

    Source
    ------
    Ertl 2017, Algorithm 6, the improved raw estimate; with hashes of 64 bits the correction for full registers is
    below 2^-40 and left out.
    """
    if empty == registers:
        return 0.0
    return registers**2 / (2 * log(2)) / (total - empty + registers * small_range(empty / registers))


def small_range(share: float) -> float:
    """Return the weight of empty registers over m, for a share x of them: x + sum over k of x^(2^k) 2^(k - 1).

    Source
    ------
    Ertl 2017, equation for sigma in Algorithm 6.

    Examples
    --------
    >>> small_range(0.0), round(small_range(0.5), 6)
    (0.0, 0.890747)
    """
    power, factor, total = share, 1.0, share
    while True:
        power *= power
        before = total
        total += power * factor
        factor += factor
        if total == before:
            return total


known_estimate = lru_cache(maxsize=4096)(estimate_of)
