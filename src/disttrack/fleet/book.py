"""The steps at which requests came and were admitted, and exact measures over all intervals of steps."""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from disttrack.fleet.change import Try
from disttrack.fleet.quotas.amounts import weighed
from disttrack.fleet.quotas.base import Quota
from disttrack.fleet.quotas.costs import Costs
from disttrack.fleet.quotas.sites import QuotaSite
from disttrack.simulator.game.consultation import Consultation

MOST: Final = 2**22
"""Requests that are noted; beyond this number nothing is."""

Integers = npt.NDArray[np.int64]
Pages = tuple["array[int]", "array[int]"]
"""Steps and costs."""
Note = tuple[Any, ...]
"""A method of the book, the requests that had come to the site, and what the method is given beside the site."""


class Noted(NamedTuple):
    """What is noted of a site: its number, that of all sites, its requests so far, and their costs."""

    number: int
    k: int
    offered: int
    costs: Costs


Counted = QuotaSite | Noted
"""A site, or what is noted of one in a process of its own."""


class Book:
    """Notes steps and costs.

    Parameters
    ----------
    rule
        The protocol; offers are noted if no window of it begins anew.
    turns
        The adversary's plans, of which the one in force says when a site's items came.
    clock
        Returns the present step.
    """

    def __init__(self, rule: Quota, turns: Consultation, clock: Callable[[], int]) -> None:
        self._turns, self._clock = turns, clock
        self._rule, self._cycle = rule, np.asarray(rule.cycle)
        self._offers = rule.shape != "window"
        self._first: dict[int, tuple[int, int]] = {}
        """Of each site, the beginning of the plan in force at its last requests, and its requests before."""
        self.offered, self.admitted = (array("q"), array("q")), (array("q"), array("q"))
        """Steps and costs."""
        self.waited = self.admissions = 0
        """Steps from the first try to the admission, of all admissions noted, and the number of these."""
        self._waiting: defaultdict[int, deque[int]] = defaultdict(deque)
        """Of each site, the first steps of the requests that wait for an answer."""

    def comes(self, site: Counted, requests: int) -> None:
        """Note that requests come to a site; it has counted those before."""
        begun = self._turns.begun
        if self._first.get(site.number, (-1, 0))[0] != begun:
            self._first[site.number] = begun, site.offered
        if self._offers:
            self._write(self.offered, site, requests)

    def admits(self, site: Counted, requests: int) -> None:
        """Note that a site admits the next ones of the requests that have come."""
        self._write(self.admitted, site, requests)
        self.admissions += requests
        plan = self._turns.plan
        self.waited += self._turns.begun + 1 - plan.since if isinstance(plan, Try) else 0

    def waits(self, site: Counted) -> None:
        """Note that the next of the requests that have come waits for an answer."""
        begun, before = self._first[site.number]
        plan = self._turns.plan
        first = plan.since if isinstance(plan, Try) else begun + plan.nth(site.number, site.offered - before + 1)
        self._waiting[site.number].append(int(first))

    def answers(self, site: Counted, admitted: bool, cost: int) -> None:
        """Note the answer to the request of a site that has waited longest."""
        since = self._waiting[site.number].popleft()
        if admitted:
            now = self._clock()
            self._append(self.admitted, now, cost)
            self.waited, self.admissions = self.waited + now - since, self.admissions + 1

    def _write(self, pages: Pages, site: Counted, requests: int) -> None:
        begun, before = self._first[site.number]
        first = site.offered - before + 1
        if requests == 1:
            step = begun + self._turns.plan.nth(site.number, first)
            self._append(pages, step, site.costs.total(site.offered, 1))
        elif len(pages[0]) + requests <= MOST:
            places = np.arange(requests)
            pages[0].frombytes((begun + self._turns.plan.nth(site.number, first + places)).astype(np.int64).tobytes())
            first = self._rule.listed.first(site.number, site.k)
            costs = self._cycle[(first + site.offered + places) % len(self._cycle)]
            pages[1].frombytes(costs.astype(np.int64).tobytes())

    def takes(self, notes: Sequence[Note], site: Noted) -> None:
        """Note what a site in a process of its own has noted, under the plan in force."""
        for name, offered, *values in notes:
            getattr(self, name)(site._replace(offered=offered), *values)

    @staticmethod
    def _append(pages: Pages, step: int, cost: int) -> None:
        if len(pages[0]) < MOST:
            pages[0].append(step)
            pages[1].append(cost)


class Notes:
    """The book of a site in a process of its own, which knows no steps: what `Book.takes` notes."""

    def __init__(self) -> None:
        self._kept: list[Note] = []

    def comes(self, site: Counted, requests: int) -> None:
        """Note that requests come to a site."""
        self._kept.append(("comes", site.offered, requests))

    def admits(self, site: Counted, requests: int) -> None:
        """Note that it admits the next ones of them."""
        self._kept.append(("admits", site.offered, requests))

    def waits(self, site: Counted) -> None:
        """Note that the next one waits for an answer."""
        self._kept.append(("waits", site.offered))

    def answers(self, site: Counted, admitted: bool, cost: int) -> None:
        """Note the answer to the one that has waited longest."""
        self._kept.append(("answers", site.offered, admitted, cost))

    def handed_over(self) -> list[Note]:
        """Return the notes since the last time."""
        kept, self._kept = self._kept, []
        return kept


def is_noted(protocol: Quota, requests: int) -> bool:
    """Return whether a game with this number of requests is measured by the shape of its limit."""
    return protocol.shape == "window" or requests <= MOST


def in_order(pages: Pages) -> tuple[Integers, Integers]:
    """Return the steps of pages in order, and their costs."""
    steps, costs = (np.frombuffer(page, np.int64) if page else np.zeros(0, np.int64) for page in pages)
    order = np.argsort(steps, kind="stable")
    return steps[order], costs[order]


def largest(steps: Integers, costs: Integers, window: int) -> int:
    """Return the largest cost in any interval of this many steps.

    Examples
    --------
    >>> largest(np.array([1, 4, 6]), np.array([2, 3, 4]), 5), largest(np.array([1, 4, 6]), np.array([2, 3, 4]), 6)
    (7, 9)
    """
    sums = np.r_[0, np.cumsum(_exact(costs, np.sum(costs, dtype=float)))]
    return int(np.max(sums[1:] - sums[np.searchsorted(steps, steps - window, side="right")], initial=0))


def beyond(steps: Integers, costs: Integers, protocol: Quota) -> Fraction:
    """Return the largest cost in any interval beyond what a protocol's limit allows in it, if it is no window.

    Of a bucket, A being the cost admitted by a step, it is the largest A(e) - A(s - 1) - (e - s + 1) T / W, without b.
    """
    if protocol.rolls or not len(steps):
        return Fraction(largest(steps, costs, protocol.window) - protocol.limit)
    window, limit = protocol.window, protocol.limit
    sums = np.cumsum(_exact(costs, np.sum(costs, dtype=float) * window)) * window
    filled = _exact(steps, float(steps[-1]) * limit) * limit
    before = np.minimum.accumulate(np.r_[0, sums[:-1]] - filled + limit)
    return Fraction(int(np.max(sums - filled - before)), window) - protocol.depth


def _exact(numbers: Integers, most: float) -> npt.NDArray[Any]:
    """Return the numbers, as Python's if what is computed of them, at most this, may not fit into 64 bits."""
    return numbers if most < 2**60 else numbers.astype(object)


def possible(steps: Integers, costs: Integers, protocol: Quota) -> int:
    """Return the cost that one counter would admit of these requests which hears of each at once.

    It admits each request that the limit allows, in their order.
    """
    admitted, spent, window, limit = 0, 0, protocol.window, protocol.limit
    if protocol.shape == "sliding":
        recent: deque[tuple[int, int]] = deque()
        for step, cost in zip(steps.tolist(), costs.tolist(), strict=True):
            while recent and recent[0][0] <= step - window:
                spent -= recent.popleft()[1]
            if spent + cost <= limit:
                recent.append((step, cost))
                spent, admitted = spent + cost, admitted + cost
        return admitted
    if protocol.shape == "weighted":
        return _possible_weighted(steps, costs, protocol)
    last = 0
    for step, cost in zip(steps.tolist(), costs.tolist(), strict=True):  # in units of 1 / W
        spent, last = max(0, spent - (step - last) * limit), step
        if spent + cost * window <= protocol.depth * window:
            spent, admitted = spent + cost * window, admitted + cost
    return admitted


def _possible_weighted(steps: Integers, costs: Integers, protocol: Quota) -> int:
    """Return it by the counts of two windows, the one before weighed anew in each step."""
    admitted = number = current = previous = 0
    for step, cost in zip(steps.tolist(), costs.tolist(), strict=True):
        now, within = divmod(step - 1, protocol.window)
        if now > number:
            previous, current, number = current if now == number + 1 else 0, 0, now
        if current + weighed(previous, protocol.window - within, protocol.window) + cost <= protocol.limit:
            current, admitted = current + cost, admitted + cost
    return admitted
