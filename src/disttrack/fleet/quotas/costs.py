"""The costs of the requests of a site, and how many of them a budget covers, in closed form."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from disttrack.fleet.quotas.amounts import upto
from disttrack.protocols.sites import FOREVER


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
        self.cycle = [*cycle[first:], *cycle[:first]]
        self._sums = [0, *accumulate(self.cycle)]
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
