"""The arithmetic of quotas: parts, leases and sizes, for the sites and servers and for their compiled forms.

Plain functions of whole numbers, and of lists of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

LARGEST: Final = 2**62
"""The largest limit: costs are noted, and travel, in 64 bits."""


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


def weighed(previous: Any, left: Any, slots: Any) -> Any:
    """Return what a window that is over counts while this many slots of the next one are left, rounded up.

    Examples
    --------
    >>> weighed(10, 4, 4), weighed(10, 1, 4)
    (10, 3)
    """
    return -(-previous * left // slots)


def carried_over(most: int, dearest: int, steps: int, counted: int, varies: int = 0) -> int:
    """Return the largest cost of steps in a row that counters of windows with weights do not count.

    Of the steps, f are in a window that is over, and the others but one lower its weight.

    Parameters
    ----------
    most
        What may be admitted in one window.
    counted
        The steps of a window of the counters.
    varies
        By how much fewer steps requests may be admitted in than they came in.

    Examples
    --------
    >>> carried_over(most=10, dearest=1, steps=30, counted=30)
    6
    """
    middle = (steps - 1 - varies) // 2
    ends = (most // dearest - varies, -(-most // dearest) - varies, middle, middle + 1)
    before = [min(max(1, end), max(1, steps - 1)) for end in ends]
    return max(min(most, dearest * (end + varies)) * max(0, steps - end - 1) // counted for end in before)


@lru_cache
def slot_of(window: int, slots: int) -> int:
    """Return the steps of a slot if a window has at least this many; a divisor of the window, if four times may do.

    Examples
    --------
    >>> slot_of(3_000, 64), slot_of(97, 16), slot_of(10, 64)
    (40, 6, 1)
    """
    equal = (window // number for number in range(slots, min(4 * slots, window + 1)) if window % number == 0)
    return next(equal, max(1, window // slots))


def filled_in(tokens: Any, period: Any, limit: Any, unit: Any, down: Any) -> Any:
    """Return the units that a slot adds to a bucket that holds `tokens`; with `down`, only whole tokens of `unit` each.

    Examples
    --------
    >>> filled_in(5, 3, 7, unit=50, down=False), filled_in(5, 3, 7, unit=50, down=True)
    (105, 100)
    """
    filled = tokens * period * limit
    return filled // unit * unit if down else filled


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


def level_of(asked: Any, limit: Any) -> Any:
    """Return the most that any site gets of a limit by max-min fairness, as what is shared by how many sites.

    Each site gets what it asked up to that level, and all of these add up to the limit. No site shares anything if each
    gets what it asked.

    Examples
    --------
    >>> level_of([1, 9, 9], 10), level_of([5, 5, 5], 10), level_of([4, 4], 10)
    ((9, 2), (10, 3), (2, 0))
    """
    sites, met, served, spent = len(asked), -1, 0, 0
    while met != served and served < sites:
        met, level = served, (limit - spent) // (sites - served)
        served = spent = 0
        for cost in asked:
            if cost <= level:
                served, spent = served + 1, spent + cost
    return limit - spent, sites - served


def fair_share(asked: Any, rest: Any, sharing: Any) -> Any:
    """Return what a site gets by the level of `level_of`, as a float.

    Examples
    --------
    >>> fair_share(1, 9, 2), fair_share(9, 9, 2), fair_share(9, 2, 0)
    (1.0, 4.5, 9.0)
    """
    return min(float(asked), float(rest) / sharing) if sharing else float(asked)


def even_share(limit: int, k: int, site: int) -> int:
    """Return the share of a site if the limit is split evenly, in whole units."""
    return limit // k + (site < limit % k)


def first_flush(site: Any, k: Any, every: Any) -> Any:
    """Return the step of the first flush of a site: flushes are spread evenly."""
    return max(1, (site + 1) * every // k)


def late_by(skew: Any, site: Any, k: Any) -> Any:
    """Return the steps by which the clock of a site is late, if that of the last one is late by `skew`.

    Examples
    --------
    >>> [late_by(50, site, k=3) for site in range(3)]
    [0, 25, 50]
    """
    return skew * site // max(1, k - 1)


def for_alone(away: str, limit: int, k: int, most: int) -> int:
    """Return the cost that k sites may admit without the server, in even shares; everything is `most` each.

    Examples
    --------
    >>> [for_alone(away, 10, k=4, most=99) for away in ("closed", "open", "share")]
    [0, 396, 10]
    """
    return {"closed": 0, "open": k * most, "share": limit}[away]
