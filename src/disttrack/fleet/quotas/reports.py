"""Quota protocols whose sites report when they have admitted a certain cost, and are stopped at the limits.

With several limits, a site admits a request if it may by each, and counts it in each. So for each limit the others are
part of the load, and what is proven of it alone holds. Messages have the place of their limit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from disttrack.fleet.quotas.amounts import shrunk
from disttrack.fleet.quotas.base import Quota, fraction_of
from disttrack.fleet.quotas.forms import QuotaForm, report_form
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.mechanisms.checks import FromZero, Whole
from disttrack.protocols.base import EVERYONE, Guarantee, Message


def marked(place: int, messages: Iterable[Message]) -> list[Message]:
    """Return the messages with the place of their limit."""
    return [Message(one.kind, (place, one.value), one.words) for one in messages]


def without(message: Message) -> tuple[int, Message]:
    """Return the place of the limit of a message, and the message without it."""
    place, value = message.value
    return place, Message(message.kind, value, message.words)


class SeveralSite(QuotaSite):
    """Asks a site of each limit, which never sees a request, what is left by it, and has it report."""

    __slots__ = ("_parts", "_windows")

    silence = QuotaSite.silence  # stated again: what is left and may be silent is the least of all parts

    def __init__(self, rule: Any, number: int, k: int, answers: Answers) -> None:
        self._parts = [one.site(number, k, Answers(k)) for one in rule.singles]
        """Its part for each limit."""
        self._windows = [one.window // rule.window for one in rule.singles]
        super().__init__(rule, number, k, answers)

    def open(self) -> Sequence[Message]:
        self.left = min(part.left for part in self._parts)
        return ()

    def silent(self) -> int:
        return self.covers(min(part.size - part.held - 1 for part in self._parts))

    def _admit(self, requests: int) -> None:
        cost = self.costs.total(self.offered, requests)
        super()._admit(requests)
        for part in self._parts:
            part.left -= cost
            part.held += cost

    def charged(self) -> Sequence[Message]:
        return [one for place, part in enumerate(self._parts) for one in marked(place, part.charged())]

    def hear(self, message: Message) -> Sequence[Message]:
        place, own = without(message)
        replies = marked(place, self._parts[place].hear(own))
        if self.present:
            self.open()
        return replies

    def turn(self) -> Sequence[Message]:
        self.window += 1
        messages = [
            one
            for place, (part, windows) in enumerate(zip(self._parts, self._windows, strict=True))
            if self.window % windows == 0
            for one in marked(place, part.turn())
        ]
        self._begin()
        if self.present:
            self.open()
        return messages

    def leave(self, dies: bool) -> Sequence[Message]:
        messages = [one for place, part in enumerate(self._parts) for one in marked(place, part.leave(dies))]
        return [*messages, *super().leave(dies)]

    def join(self) -> Sequence[Message]:
        super().join()
        return [one for place, part in enumerate(self._parts) for one in marked(place, part.join())]


class SeveralServer(QuotaServer):
    """Has a server for each limit."""

    __slots__ = ("_parts", "_windows")

    def __init__(self, rule: Any, k: int, parts: Sequence[QuotaServer]) -> None:
        super().__init__(rule, k)
        self._parts = parts
        self._windows = [one.window // rule.window for one in rule.singles]

    @property
    def now_spent(self) -> int:
        return self._parts[0].now_spent

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        place, own = without(message)
        return [(to, marked(place, [one])[0]) for to, one in self._parts[place].hear(sender, own)]

    def turn(self) -> Sequence[tuple[int, Message]]:
        super().turn()
        return [
            (to, marked(place, [one])[0])
            for place, (part, windows) in enumerate(zip(self._parts, self._windows, strict=True))
            if self.window % windows == 0
            for to, one in part.turn()
        ]


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

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return (SeveralSite if self.limits else ReportSite)(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        if self.limits:
            return SeveralServer(self, k, [one.server(k, rng) for one in self.singles])
        return StopServer(self, k)

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


class ReportSite(QuotaSite):
    """Admits until it is stopped, and reports."""

    __slots__ = ("_joining", "size")

    def __init__(self, *parts: Any) -> None:
        self._joining = False
        """Whether it has not heard what is spent. If its clock is late, the stop of the next window may have passed."""
        super().__init__(*parts)

    def open(self) -> Sequence[Message]:
        if self._joining and self.rule.late(self.number, self.k):
            return self.first_words()
        self.left = self.rule.limit
        self.size: int = self.rule.report_size(self.k, 0)
        return ()

    def silent(self) -> int:
        return self.covers(self.size - self.held - 1)

    def charged(self) -> Sequence[Message]:
        return self._report() if self.held >= self.size else ()

    def _report(self) -> Sequence[Message]:
        cost, self.held = self.held, 0
        return (Message("report", (self.window, cost)),)

    def last_words(self) -> Sequence[Message]:
        return self._report() if self.held else ()

    def first_words(self) -> Sequence[Message]:
        self._joining = True
        return (Message("join", (self.window, 0)),)

    def heard(self, message: Message) -> Sequence[Message]:
        value = message.value[1]
        if message.kind == "stop":
            self.left = 0
        elif message.kind == "size":
            self.size = value
            return self.charged()
        else:
            self.left, self.size = value
            self._joining = False
        return ()


class StopServer(QuotaServer):
    """Sums the reports; announces the next size after k of the present one, and the stop at the limit."""

    __slots__ = ("_due", "_stopped")

    def __init__(self, rule: object, k: int) -> None:
        super().__init__(rule, k)
        self._due: dict[int, tuple[int, int]] = {}
        """Of each window, the present size, and what is spent when it is over."""
        self._stopped: set[int] = set()

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        window, cost = message.value
        if window < self.window:
            return ()
        rule, k, spent = self.rule, self.k, self.spend(window, cost)
        first = rule.report_size(k, 0)
        size, due = self._due.get(window, (first, k * first))
        if message.kind == "join":
            left = 0 if window in self._stopped else rule.limit - spent
            return ((sender, Message("state", (window, (left, size)))),)
        if window in self._stopped:
            return ()
        if spent >= rule.limit:
            self._stopped.add(window)
            return ((EVERYONE, Message("stop", (window, None))),)
        if spent < due or size == rule.smallest(k):
            return ()
        size = rule.report_size(k, spent)
        self._due[window] = size, spent + k * size
        return ((EVERYONE, Message("size", (window, size))),)

    def turn(self) -> Sequence[tuple[int, Message]]:
        self._due.pop(self.window, None)
        self._stopped.discard(self.window)
        return super().turn()
