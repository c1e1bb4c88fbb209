"""The steps at which requests came and were admitted, and exact measures over all intervals of steps."""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.recorded import Trace
from disttrack.adversaries.schedules import NEVER
from disttrack.fleet.change import Try
from disttrack.fleet.quotas.amounts import weighed
from disttrack.fleet.quotas.base import Quota
from disttrack.fleet.quotas.costs import Costs
from disttrack.fleet.quotas.sites import QuotaSite
from disttrack.simulator.game.consultation import Consultation

MOST: Final = 2**22
"""Requests that are noted, unless each is a row of a log; beyond this number nothing is."""
KEPT: Final = 2**16
"""Notes that are kept until they are added up."""

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


class Sums(NamedTuple):
    """Measures of the requests of a game.

    Attributes
    ----------
    offered, admitted
        The cost that was offered, of a limit that is no window, and admitted.
    largest, beyond
        The largest cost admitted in any interval, and beyond what the limit allows in it.
    possible
        The cost that one counter would admit of what was offered.
    """

    offered: int
    admitted: int
    largest: int
    beyond: Fraction
    possible: int


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
    most
        Requests that are noted.

    Attributes
    ----------
    offered, admitted
        Steps and costs of the requests that are not added up yet, of a short game all of them.
    waited, admissions
        Steps from the first try to the admission, of all admissions noted, and the number of these.
    """

    def __init__(self, rule: Quota, turns: Consultation, clock: Callable[[], int], most: int) -> None:
        self._turns, self._clock, self.most = turns, clock, most
        self._rule, self._cycle = rule, np.asarray(rule.cycle)
        self._offers = rule.shape != "window"
        self._first: dict[int, tuple[int, int]] = {}
        """Of each site, the beginning of the plan in force at its last requests, and its requests before."""
        self.offered, self.admitted = (array("q"), array("q")), (array("q"), array("q"))
        self._possible, self._largest = Possible(rule), Beyond(rule)
        self._added = Added(self._possible), Added(self._largest)
        """Of the requests that were offered, and of those that were admitted."""
        self.waited = self.admissions = 0
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
        elif self._noted(pages) + requests <= self.most:
            places = np.arange(requests)
            pages[0].frombytes((begun + self._turns.plan.nth(site.number, first + places)).astype(np.int64).tobytes())
            first = self._rule.listed.first(site.number, site.k)
            costs = self._cycle[(first + site.offered + places) % len(self._cycle)]
            pages[1].frombytes(costs.astype(np.int64).tobytes())

    def takes(self, notes: Sequence[Note], site: Noted) -> None:
        """Note what a site in a process of its own has noted, under the plan in force."""
        for name, offered, *values in notes:
            getattr(self, name)(site._replace(offered=offered), *values)

    def _append(self, pages: Pages, step: int, cost: int) -> None:
        if self._noted(pages) < self.most:
            pages[0].append(step)
            pages[1].append(cost)

    def _noted(self, pages: Pages) -> int:
        """Return how many requests are noted."""
        return self._added[pages is self.admitted].number + len(pages[0])

    def add_up(self) -> None:
        """Add up the notes if there are many; no request of an earlier step will be noted."""
        for pages, added in zip((self.offered, self.admitted), self._added, strict=True):
            if len(pages[0]) >= KEPT:
                added.take(*in_order(pages))
                del pages[0][:], pages[1][:]

    @cached_property
    def sums(self) -> Sums:
        """The measures of all requests noted, when the game is over."""
        for pages, added in zip((self.offered, self.admitted), self._added, strict=True):
            added.take(*in_order(pages))
        offered, admitted = (added.cost for added in self._added)
        return Sums(offered, admitted, self._largest.most, self._largest.beyond, self._possible.admitted)


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


def most_noted(adversary: Adversary) -> int:
    """Return how many requests of a load are noted: all rows of a log, each of which is read anyway."""
    whole = isinstance(adversary, Trace) and adversary.count is None and adversary.wide is None
    return NEVER if whole else MOST


def in_order(pages: Pages) -> tuple[Integers, Integers]:
    """Return the steps of pages in order, and their costs."""
    steps, costs = (np.frombuffer(page, np.int64) if page else np.zeros(0, np.int64) for page in pages)
    order = np.argsort(steps, kind="stable")
    return steps[order], costs[order]


class Added:
    """Requests that a measure has taken.

    Attributes
    ----------
    measure
        What takes them, part by part, in order.
    number, cost
        Of the requests.
    last
        The step of the last of them.
    """

    def __init__(self, measure: Possible | Beyond) -> None:
        self.measure, self.number, self.cost, self.last = measure, 0, 0, 0

    def take(self, steps: Integers, costs: Integers) -> None:
        """Take the next requests."""
        if not len(steps):
            return
        if steps[0] < self.last:  # the measures would be too small
            raise AssertionError(f"a request of step {steps[0]} was noted after one of step {self.last} was added up")
        self.number, self.last = self.number + len(steps), int(steps[-1])
        self.cost += int(np.sum(_exact(costs, np.sum(costs, dtype=float))))
        self.measure.take(steps, costs)


class Largest:
    """The largest cost in any interval of this many steps; it keeps the requests of the last interval.

    Attributes
    ----------
    most
        The largest so far.
    """

    def __init__(self, window: int) -> None:
        self.most, self._window = 0, window
        self._steps = self._costs = np.zeros(0, np.int64)

    def take(self, steps: Integers, costs: Integers) -> None:
        """Take the next requests."""
        if not len(steps):
            return
        steps, costs = np.concatenate((self._steps, steps)), np.concatenate((self._costs, costs))
        sums = np.r_[0, np.cumsum(_exact(costs, np.sum(costs, dtype=float)))]
        before = np.searchsorted(steps, steps - self._window, side="right")
        self.most = max(self.most, int(np.max(sums[1:] - sums[before])))
        self._steps, self._costs = steps[before[-1] :].copy(), costs[before[-1] :].copy()


class Beyond(Largest):
    """The same, and the largest cost in any interval beyond what a protocol's limit allows in it, if it is no window.

    Of a bucket, A being the cost admitted by a step, it is the largest A(e) - A(s - 1) - (e - s + 1) T / W, without b.
    """

    def __init__(self, protocol: Quota) -> None:
        super().__init__(protocol.window)
        self._rule, self._total = protocol, 0
        self._over: list[int] = []
        """The largest of a bucket so far, in units of 1 / W; empty without a request."""
        self._least: list[int] = []
        """The least A(s - 1) - (s - 1) T / W so far, in these units."""

    @property
    def beyond(self) -> Fraction:
        """The largest beyond the limit so far."""
        if not self._over:
            return Fraction(self.most - self._rule.limit)
        return Fraction(self._over[0], self._rule.window) - self._rule.depth

    def take(self, steps: Integers, costs: Integers) -> None:
        super().take(steps, costs)
        if self._rule.shape != "bucket" or not len(steps):
            return
        window, limit, begin = self._rule.window, self._rule.limit, int(steps[0])
        sums = np.cumsum(_exact(costs, np.sum(costs, dtype=float) * window)) * window
        filled = _exact(steps - begin, float(steps[-1]) * limit) * limit
        least = np.minimum.accumulate(np.r_[0, sums[:-1]] - filled + limit)
        above = self._total - begin * limit
        over = [int(np.max(sums - filled - least)), *(above + int(np.max(sums - filled)) - one for one in self._least)]
        self._over = [max([*over, *self._over])]
        self._least = [min([above + int(least[-1]), *self._least])]
        self._total += int(sums[-1])


def largest(steps: Integers, costs: Integers, window: int) -> int:
    """Return the largest cost in any interval of this many steps.

    Examples
    --------
    >>> largest(np.array([1, 4, 6]), np.array([2, 3, 4]), 5), largest(np.array([1, 4, 6]), np.array([2, 3, 4]), 6)
    (7, 9)
    """
    found = Largest(window)
    found.take(steps, costs)
    return found.most


def beyond(steps: Integers, costs: Integers, protocol: Quota) -> Fraction:
    """Return the largest cost in any interval beyond what a protocol's limit allows in it, if it is no window."""
    found = Beyond(protocol)
    found.take(steps, costs)
    return found.beyond


def _exact(numbers: Integers, most: float) -> npt.NDArray[Any]:
    """Return the numbers, as Python's if what is computed of them, at most this, may not fit into 64 bits."""
    return numbers if most < 2**60 else numbers.astype(object)


class Possible:
    """The cost that one counter would admit of requests, which hears of each at once, by shapes other than windows.

    It admits each request that the limit allows, in their order.

    Attributes
    ----------
    admitted
        That cost so far.
    """

    def __init__(self, protocol: Quota) -> None:
        self.admitted = 0
        rules = {"sliding": _sliding, "weighted": _weighted}
        self._admits = rules.get(protocol.shape, _bucket)(protocol)

    def take(self, steps: Integers, costs: Integers) -> None:
        """Take the next requests."""
        requests = zip(steps.tolist(), costs.tolist(), strict=True)
        self.admitted += sum(cost for step, cost in requests if self._admits(step, cost))


def _sliding(protocol: Quota) -> Callable[[int, int], bool]:
    """Return what admits a request, by those admitted in the last window."""
    recent: deque[tuple[int, int]] = deque()
    spent = 0

    def admits(step: int, cost: int) -> bool:
        nonlocal spent
        while recent and recent[0][0] <= step - protocol.window:
            spent -= recent.popleft()[1]
        if spent + cost > protocol.limit:
            return False
        recent.append((step, cost))
        spent += cost
        return True

    return admits


def _bucket(protocol: Quota) -> Callable[[int, int], bool]:
    """Return what admits a request, by what it would have to wait for in the bucket, in units of 1 / W."""
    spent = last = 0
    limit, window, most = protocol.limit, protocol.window, protocol.depth * protocol.window

    def admits(step: int, cost: int) -> bool:
        nonlocal spent, last
        spent, last = max(0, spent - (step - last) * limit), step
        if spent + cost * window > most:
            return False
        spent += cost * window
        return True

    return admits


def _weighted(protocol: Quota) -> Callable[[int, int], bool]:
    """Return what admits a request, by the counts of two windows, the one before weighed anew in each step."""
    number = current = previous = 0

    def admits(step: int, cost: int) -> bool:
        nonlocal number, current, previous
        now, within = divmod(step - 1, protocol.window)
        if now > number:
            previous, current, number = current if now == number + 1 else 0, 0, now
        if current + weighed(previous, protocol.window - within, protocol.window) + cost > protocol.limit:
            return False
        current += cost
        return True

    return admits
