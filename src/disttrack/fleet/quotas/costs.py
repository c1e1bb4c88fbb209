"""The costs of the requests of a site, and how many of them a budget covers, in closed form."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from typing import Final

import numpy as np
import numpy.typing as npt

from disttrack.fleet.quotas.amounts import upto
from disttrack.protocols.base import FOREVER

MOST: Final = 2**62


class Costs:
    """The costs of the requests of a site: a list that is gone through again and again.

    Parameters
    ----------
    cycle
        Whole numbers of at least 1.
    first
        The place in the list of the site's first request.

    Examples
    --------
    >>> costs = Costs([1, 5], first=1)
    >>> costs.total(0, 3), costs.fitting(0, 10), costs.too_dear(0, 3)
    (11, 2, 1)
    """

    def __init__(self, cycle: Sequence[int], first: int = 0) -> None:
        first %= len(cycle)
        self.cycle: Sequence[int] = [*cycle[first:], *cycle[:first]] if first else cycle
        sums = chain((0,), accumulate(self.cycle))
        self._sums: Sequence[int] = array("q", sums) if isinstance(cycle, array) else list(sums)
        self.most, self._least = max(cycle), min(cycle)

    def upto(self, requests: int) -> int:
        """Return the cost of a site's first requests, up to this number."""
        return int(upto(self._sums, requests))

    def total(self, before: int, requests: int) -> int:
        """Return the cost of as many requests after those before."""
        return self.upto(before + requests) - self.upto(before)

    def fitting(self, before: int, budget: int) -> int:
        """Return how many of the next requests a budget covers, one after the other."""
        if budget < self._least:
            return 0
        if len(self.cycle) == 1:
            return budget // self.most
        laps, rest = divmod(self.upto(before) + budget, self._sums[-1])
        return laps * len(self.cycle) + bisect_right(self._sums, rest) - 1 - before

    def too_dear(self, before: int, budget: int) -> int:
        """Return how many of the next requests cost more than a budget, before the first that does not."""
        if budget < self._least:
            return FOREVER
        ahead = (self.cycle[(before + place) % len(self.cycle)] for place in range(len(self.cycle)))
        return next(place for place, cost in enumerate(ahead) if cost <= budget)


class CycleCosts:
    """The costs that all sites go through again and again.

    Sites begin at places spread evenly, so that they do not have the dear ones together.

    Attributes
    ----------
    cycle
        The costs, in order.
    dearest, cheapest
        The largest and the smallest cost.
    prices
        The number of different costs.
    mean
        The mean cost.

    Examples
    --------
    >>> costs = CycleCosts([1, 5])
    >>> costs.dearest, costs.prices, costs.mean, costs.first(1, k=2), costs.of(1, k=2).cycle
    (5, 2, 3.0, 1, [5, 1])
    """

    def __init__(self, cycle: Sequence[int]) -> None:
        self.cycle = cycle
        self.dearest, self.cheapest, self.prices = max(cycle), min(cycle), len(set(cycle))
        self.mean = sum(cycle) / len(cycle)

    def first(self, site: int, k: int) -> int:
        """Return the place of a site's first cost."""
        return site * len(self.cycle) // k

    def of(self, site: int, k: int) -> Costs:
        """Return the costs of a site."""
        return Costs(self.cycle, self.first(site, k))


@lru_cache(typed=True)
def cycle_costs(costs: int | str | tuple[int, ...]) -> CycleCosts:
    """Return the costs that are given: whole numbers with spaces between, or in a tuple."""
    return CycleCosts([int(cost) for cost in (costs if isinstance(costs, tuple) else str(costs).split())])


class RowCosts:
    """The costs of the rows of a trace, those of each site in their order.

    After its last row a site begins again, as any site does with its costs: no request has such a cost, but a site may
    ask for more by the cost of its next one.

    Parameters
    ----------
    labels, costs
        The site and the cost of each row.
    k
        Number of sites.

    Attributes
    ----------
    cycle
        The costs of the first site, and the first of them again; then those of the next one, and so on.

    Raises
    ------
    ValueError
        Their sum does not fit into 62 bits.

    Examples
    --------
    >>> costs = RowCosts(np.array([1, 0, 1]), np.array([5, 3, 4]), 2)
    >>> costs.cycle.tolist(), costs.first(1), costs.of(1).cycle, costs.dearest
    ([3, 3, 5, 4, 5], 2, array('q', [5, 4, 5]), 5)
    """

    def __init__(self, labels: npt.NDArray[np.int64], costs: npt.NDArray[np.int64], k: int) -> None:
        numbers = np.bincount(labels, minlength=k)
        self._firsts = np.concatenate(([0], np.cumsum(numbers + 1)))
        self.dearest, self.cheapest, self._rows = int(costs.max()), int(costs.min()), len(costs)
        about = float(costs.sum(dtype=float))  # which does not overflow
        self.total = int(about if about > MOST else costs.sum())
        if self.total > MOST:
            raise ValueError(f"costs of the trace must add up to at most 2^62; got about {self.total:.3g}")
        order = np.argsort(labels, kind="stable")
        self.cycle = np.empty(len(costs) + len(numbers), np.int64)
        self.cycle[np.arange(len(costs)) + labels[order]] = costs[order]
        # without a row of its own, a site is never charged: any cost will do
        fed = numbers > 0
        self.cycle[self._firsts[1:] - 1] = np.where(fed, self.cycle[self._firsts[:-1]], self.cheapest)

    @cached_property
    def prices(self) -> int:
        """The number of different costs."""
        return len(np.unique(self.cycle))

    def first(self, site: int, k: int = 0) -> int:
        """Return the place of a site's first cost."""
        return int(self._firsts[site])

    def of(self, site: int, k: int = 0) -> Costs:
        """Return the costs of a site."""
        return Costs(array("q", self.cycle[self._firsts[site] : self._firsts[site + 1]].tobytes()))

    @property
    def mean(self) -> float:
        """The mean cost of a row."""
        return self.total / self._rows

    def __repr__(self) -> str:
        return "of the trace"
