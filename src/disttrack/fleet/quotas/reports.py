"""Quota protocols whose sites report when they have admitted a certain cost, and are stopped at the limits.

With several limits, a site admits a request if it may by each, and counts it in each. So for each limit the others are
part of the load, and what is proven of it alone holds. Messages have the place of their limit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from disttrack.fleet.quotas.amounts import shrunk
from disttrack.fleet.quotas.base import Quota, fraction_of
from disttrack.fleet.quotas.forms import QuotaForm, report_form
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.mechanisms.checks import FromZero, Whole
from disttrack.protocols.base import EVERYONE, Guarantee, Message


@dataclass(frozen=True)
class Reports(Quota):
    """Each site reports what it has admitted once that costs the present size or more; at the limit all are stopped."""

    one_sum: ClassVar[bool] = True
    guarantee: ClassVar[Guarantee] = "always"

    @property
    def forgets(self) -> bool:
        return True

    @abstractmethod
    def report_size(self, k: int, spent: int) -> int:
        """Return the cost of a report if the server knows that this is spent."""

    @abstractmethod
    def smallest(self, k: int) -> int:
        """Return the cost of the smallest reports."""

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return ReportSite(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return StopServer(self, k)

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False, varies: float = 0) -> float:
        """Return what is unreported when the limit is reached, and what comes in while messages are on their way.

        A site that dies takes less than a report of the largest size with it.
        """
        unreported = k * (self.smallest(k) - 1) + deaths * (self.report_size(k, 0) - 1)
        return unreported + self.dearest * (up + down + 1) - 1


@dataclass(frozen=True)
class BatchQuota(Reports):
    """Each site reports what it has admitted once that costs `size` or more; at the limit the server stops all.

    Parameters
    ----------
    size
        Cost of a report, b.

    Source
    ------
    the usual practice; the bound is derived in fleet/docs/quota-guarantees.md.
    """

    size: Whole = 10

    kind: ClassVar[str] = "batch-quota"
    formerly: ClassVar[str] = "batch"

    def report_size(self, k: int, spent: int) -> int:
        return self.size

    def smallest(self, k: int) -> int:
        return self.size

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        return report_form([self], k)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the reports of a window and its stop, for all windows."""
        return (self.worst(k) / self.size + k) * (items / self.window + 1)


@dataclass(frozen=True)
class CountdownQuota(Reports):
    """Batches that shrink with the rest of the limit: floor(rest / 2k) at first, and again after k such reports.

    Parameters
    ----------
    epsilon
        Share of the limit that may be overshot: reports do not shrink below floor(epsilon limit / k). With 0 they
        shrink to single requests, and nothing is overshot while messages take no time and cost 1.
    limits
        Further limits that are kept too, such as `250/3000`, per steps, with spaces between, or for a log with a step
        `250/day`; their windows are several times the window. Each has its own reports, and a request counts in all.

    Source
    ------
    the threshold protocol of Cormode, Muthukrishnan, Yi 2011, in each window anew; proved in
    fleet/docs/quota-guarantees.md.
    """

    epsilon: FromZero = 0.0
    limits: str | tuple[str, ...] = ""  # type: ignore[misc]

    kind: ClassVar[str] = "countdown-quota"
    guarantee: ClassVar[Guarantee] = "always"
    formerly: ClassVar[str] = "countdown"

    def most(self, site: int, k: int) -> int:
        return min(one.limit for one in self.singles)

    def smallest(self, k: int) -> int:
        return max(1, fraction_of(self.limit, self.epsilon, k))

    def report_size(self, k: int, spent: int) -> int:
        return int(shrunk(self.limit - spent, 2 * k, self.smallest(k)))

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        return report_form(self.singles, k, 2 * k)

    def rounds(self, k: int) -> int:
        """Return the largest number of sizes in a window: the binary logarithm of the first over the last, and one."""
        ratio = -(-self.limit // (2 * k * self.smallest(k)))
        return (ratio - 1).bit_length() + 1

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False, varies: float = 0) -> float:
        """Return what `Reports` says, or a round trip for each size if that is more."""
        sizes = self.dearest * ((up + down) * self.rounds(k) + 1) - 1
        return max(super().slack(k, up, down, deaths, away), sizes + deaths * (self.report_size(k, 0) - 1))

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return k reports and k announcements per size, the last reports and the stop, for all windows and limits."""
        if self.limits:
            return sum(one.cost_bound(k, items, start) for one in self.singles)
        last = 4 * k if self.smallest(k) == 1 else 2 * k
        return (2.0 * k * self.rounds(k) + last + k) * (items / self.window + 1)


class Part:
    """What a site knows of one limit.

    Attributes
    ----------
    rule, windows
        The quota with this limit alone, and how many windows of the first limit its window has.
    left, held
        Cost that the site may still admit by it, and that it has admitted since its last report.
    size
        Cost of a report.
    """

    __slots__ = ("held", "left", "rule", "size", "windows")

    def __init__(self, rule: Any, windows: int) -> None:
        self.rule, self.windows = rule, windows
        self.left = self.held = self.size = 0


class ReportSite(QuotaSite):
    """Admits until it is stopped by a limit, and reports by each."""

    __slots__ = ("_joining", "_parts")

    silence = QuotaSite.silence  # stated again: what a window leaves of a longer limit comes by the clock

    def __init__(self, rule: Any, *parts: Any) -> None:
        self._joining = False
        """Whether it has not heard what is spent. If its clock is late, the stop of the next window may have passed."""
        self._parts = [Part(one, one.window // rule.window) for one in rule.singles]
        super().__init__(rule, *parts)

    def _begin(self) -> None:
        super()._begin()
        for part in self._parts:
            if not self.present or self.window % part.windows == 0:
                part.left = part.held = 0

    def open(self) -> Sequence[Message]:
        if self._joining and self.rule.late(self.number, self.k):
            return self.first_words()
        for part in self._parts:
            if self.window % part.windows == 0:
                part.left, part.size = part.rule.limit, part.rule.report_size(self.k, 0)
        self.left = min(part.left for part in self._parts)
        return ()

    def silent(self) -> int:
        return self.covers(min(part.size - part.held for part in self._parts) - self.held - 1)

    def charged(self) -> Sequence[Message]:
        self._count_in()
        return [self._report(place) for place, part in enumerate(self._parts) if part.held >= part.size]

    def _count_in(self) -> None:
        """Count by each limit what was admitted, or given back, since the last time."""
        cost, self.held = self.held, 0
        for part in self._parts:
            part.left -= cost
            part.held += cost

    def _report(self, place: int) -> Message:
        cost, self._parts[place].held = self._parts[place].held, 0
        return Message("report", (self.window, cost, place))

    def last_words(self) -> Sequence[Message]:
        self._count_in()
        return [self._report(place) for place, part in enumerate(self._parts) if part.held]

    def first_words(self) -> Sequence[Message]:
        self._joining = True
        return [Message("join", (self.window, 0, place)) for place in range(len(self._parts))]

    def hear(self, message: Message) -> Sequence[Message]:
        begun, _, place = message.value
        windows = self._parts[place].windows
        if begun == self.window // windows * windows:
            return self.heard(message) if self.present else ()
        return super().hear(message)  # of a window that is over, or has not begun

    def heard(self, message: Message) -> Sequence[Message]:
        _, value, place = message.value
        part = self._parts[place]
        messages: Sequence[Message] = ()
        self._count_in()
        if message.kind == "stop":
            part.left = 0
        elif message.kind == "size":
            part.size = value
            messages = self.charged()
        else:
            part.left, part.size = value
            self._joining = False
        self.left = min(part.left for part in self._parts)
        return messages


@dataclass
class Sum:
    """What the server knows of one window of a limit.

    Attributes
    ----------
    size, due
        The present size of reports, and what is spent when that is over.
    spent, stopped
        What is spent, and whether all sites are stopped.
    """

    size: int
    due: int
    spent: int = 0
    stopped: bool = False


class StopServer(QuotaServer):
    """Sums the reports; announces the next size after k of the present one, and the stop at the limit."""

    __slots__ = ("_limits", "_sums")

    def __init__(self, rule: Any, k: int) -> None:
        super().__init__(rule, k)
        self._limits = [(one, one.window // rule.window) for one in rule.singles]
        """The quota with each limit alone, and how many windows of the first limit its window has."""
        self._sums: dict[tuple[int, int], Sum] = {}
        """Of each limit, by its place, and each of its windows, by the first window that this has."""

    def spent_in(self, window: int) -> int:
        return self._sums[0, window].spent if (0, window) in self._sums else 0

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        window, cost, place = message.value
        rule, windows = self._limits[place]
        begun, k = window // windows * windows, self.k
        if begun + windows <= self.window:
            return ()
        first = rule.report_size(k, 0)
        one = self._sums.setdefault((place, begun), Sum(first, k * first))
        one.spent += cost
        if message.kind == "join":
            left = 0 if one.stopped else rule.limit - one.spent
            return ((sender, Message("state", (begun, (left, one.size), place))),)
        if one.stopped:
            return ()
        if one.spent >= rule.limit:
            one.stopped = True
            return ((EVERYONE, Message("stop", (begun, None, place))),)
        if one.spent < one.due or one.size == rule.smallest(k):
            return ()
        one.size = rule.report_size(k, one.spent)
        one.due = one.spent + k * one.size
        return ((EVERYONE, Message("size", (begun, one.size, place))),)

    def turn(self) -> Sequence[tuple[int, Message]]:
        messages = super().turn()
        over = [(place, begun) for place, begun in self._sums if begun + self._limits[place][1] <= self.window]
        for key in over:
            del self._sums[key]
        return messages
