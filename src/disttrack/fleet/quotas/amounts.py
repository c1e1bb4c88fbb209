"""The arithmetic of quotas: parts, leases and sizes, for the sites and servers and for their compiled forms.

Plain functions of whole numbers, and of lists of them.
"""

from __future__ import annotations

from typing import Any


def part_of(cost: Any, numerator: Any, denominator: Any, parts: Any) -> Any:
    """Return a fraction of a cost over some parts, rounded down.

    Examples
    --------
    >>> part_of(100, 29, 100, 1), part_of(10, 1, 2, 3)
    (29, 1)
    """
    return cost * numerator // (denominator * parts)


def granted_of(left: Any, numerator: Any, denominator: Any, sites: Any, price: Any) -> Any:
    """Return this fraction of what is left over the sites that ask, at least the price; 0 if that is too much.

    Examples
    --------
    >>> granted_of(100, 1, 2, 5, price=3), granted_of(100, 0, 1, 5, price=3), granted_of(2, 1, 2, 5, price=3)
    (10, 3, 0)
    """
    return min(left, max(price, part_of(left, numerator, denominator, sites))) if price <= left else 0


def shrunk(rest: Any, parts: Any, smallest: Any) -> Any:
    """Return the size of reports while a rest of the limit is not spent.

    Examples
    --------
    >>> shrunk(100, 8, 3), shrunk(20, 8, 3)
    (12, 3)
    """
    return max(smallest, rest // parts)


def drained(part: Any, spent: Any, filled: Any, unit: Any) -> Any:
    """Return by how much less a bucket is spent after it was filled, and the part of a token that has come beside.

    A token is a number of units, as is the part; a bucket that is full saves no part.

    Examples
    --------
    >>> drained(1, 9, filled=7, unit=4), drained(1, 2, filled=7, unit=4)
    ((2, 0), (2, 0))
    """
    tokens = (part + filled) // unit
    return (tokens, (part + filled) % unit) if tokens < spent else (spent, 0)


def refund_of(requests: Any, reserve: Any, cost: Any) -> Any:
    """Return what requests took on arrival beyond their cost."""
    return requests * reserve - cost


def upto(sums: Any, requests: Any) -> Any:
    """Return the cost of the first requests, up to this number; the sums are those of the costs that come in turn.

    Examples
    --------
    >>> upto([0, 1, 6], 5)
    13
    """
    turn = len(sums) - 1
    return requests // turn * sums[turn] + sums[requests % turn]


def even_share(limit: int, k: int, site: int) -> int:
    """Return the share of a site if the limit is split evenly, in whole units."""
    return limit // k + (site < limit % k)


def first_flush(site: Any, k: Any, every: Any) -> Any:
    """Return the step of the first flush of a site: flushes are spread evenly."""
    return max(1, (site + 1) * every // k)
