"""Quota protocols by the clock: sites tell each `every` steps what they have admitted, the server or each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, gcd, inf, isfinite, log2
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.fleet.quotas.away import Alone
from disttrack.fleet.quotas.base import Quota, Shaped
from disttrack.fleet.quotas.charges import ChargingSite
from disttrack.fleet.quotas.forms import QuotaForm, gossip_form, total_form
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.mechanisms.checks import Whole
from disttrack.protocols.base import Guarantee, Message


class PeriodicSite(ChargingSite):
    """Knows the total of the last answer.

    In another shape than `window`, a correction names the report with its charge, and the total is lower once the
    server has answered it: only the server knows what has come back.
    """

    __slots__ = ("_corrections", "_lower", "_number", "flying")

    silence = QuotaSite.silence  # stated again: what it notes is no message

    def __init__(self, *parts: Any) -> None:
        self._number = 0
        """Number of its last report; it survives, as the clock does, so that no answer is taken for that of another."""
        super().__init__(*parts)

    def _begin(self) -> None:
        super()._begin()
        self._corrections: dict[int, int] = {}
        """What earlier reports charged beyond costs, by their numbers, since the last report."""
        self._lower = self.window
        """The slot in which the total of the last answer leaves enough for the dearest request."""

    def _reject(self, requests: int) -> None:
        if self.rule.charge == "asked" and self.present:
            price = requests * self.rule.reserve or self.costs.total(self.offered, requests)
            self.left -= price
            self.held += price
        super()._reject(requests)

    @property
    def key(self) -> int:
        return self._number + 1

    def correct(self, key: int, refund: int) -> None:
        if key > self._number or refund <= 0:
            self.left += refund
            self.held -= refund
        elif key > 0:
            self._corrections[key] = self._corrections.get(key, 0) + refund

    def open(self) -> Sequence[Message]:
        self.left = self.rule.pool
        self.flying: dict[int, int] = {}
        """Reports of this window that are not answered yet, by their numbers."""
        return ()

    def flush(self) -> Sequence[Message]:
        cost, self.held = self.held, 0
        self._number += 1
        self.flying[self._number] = cost
        corrections, self._corrections = tuple(self._corrections.items()), {}
        return (Message("report", (self.window, cost, self._number, corrections), 1 + len(corrections)),)

    def last_words(self) -> Sequence[Message]:
        return self.flush()

    def first_words(self) -> Sequence[Message]:
        self.flying.clear()
        return self.flush()

    def heard(self, message: Message) -> Sequence[Message]:
        _, total, number, turns = message.value
        if self.flying.pop(number, None) is not None:  # else it was asked before it left, or is a copy
            if self.rule.shape != "window":  # no window ends, with which a lost report is forgotten
                self.flying = {one: cost for one, cost in self.flying.items() if one > number}
            self.left = self.rule.pool - total - self.held - sum(self.flying.values())
            self._lower = self.window + turns
        return ()

    def turns_until(self, price: int) -> int:
        """Return when the total is low enough, of which it hears by its next flush."""
        if self.rule.shape == "window":
            return super().turns_until(price)
        return max(0, self._lower - self.window) if price >= self.rule.price else 0


class TotalServer(QuotaServer):
    """Answers each report with the total; in another shape than `window`, a report counts once."""

    __slots__ = ("_reported",)

    def __init__(self, rule: Any, k: int) -> None:
        super().__init__(rule, k)
        self._reported: dict[tuple[int, int], int] = {}
        """Of the sites and numbers of the last reports, the slots in which they came; none with the shape `window`."""

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        window, _, number, _ = message.value
        if self.is_past(window):
            return ()
        self.count(sender, message)
        total = self.spent_in(window)
        lacking = 0 if self.meter is None else total + self.rule.price - self.rule.pool
        turns = self.meter.turns_until(lacking) if self.meter is not None and lacking > 0 else 0
        return ((sender, Message("total", (window, total, number, turns))),)

    def count(self, sender: int, message: Message) -> None:
        """Count what a site reports, and its corrections."""
        window, cost, number, corrections = message.value
        if self.meter is None:
            self.spend(window, cost)
        elif (sender, number) not in self._reported:
            for earlier, refund in corrections:
                if (slot := self._reported.get((sender, earlier))) is not None:
                    self.meter.correct(slot, refund)
            self._reported[sender, number] = self.window
            self.meter.add(cost)

    def turn(self) -> Sequence[tuple[int, Message]]:
        messages = super().turn()
        while self._reported and next(iter(self._reported.values())) + self.rule.rest <= self.window:
            del self._reported[next(iter(self._reported))]
        return messages


class FlushingSite(PeriodicSite):
    """Reports all that it has admitted in a window or a life, and is cut off if its last reports are unanswered.

    These are `PeriodicQuota.unanswered` in number. The next report that arrives says what those before it said.
    """

    __slots__ = ("_alone", "_cut", "_first", "_told")

    silence = QuotaSite.silence  # stated again: what it is lent comes by the clock

    def __init__(self, rule: Any, number: int, k: int, answers: Answers) -> None:
        self._cut, self._alone = False, Alone(rule, number, k)
        super().__init__(rule, number, k, answers)

    def open(self) -> Sequence[Message]:
        super().open()
        self._start()
        return self._begin_alone()

    def _start(self) -> None:
        self._first, self._told = self._number, 0
        """The last report before the window or life, and what was reported since."""

    def slot(self) -> Sequence[Message]:
        super().slot()
        self._alone.give_back(self.left)
        return self._begin_alone()

    def _begin_alone(self) -> Sequence[Message]:
        self._alone.turn(self.window)
        if self._cut:
            self.left = self._alone.lend()
        return ()

    def flush(self) -> Sequence[Message]:
        if len(self.flying) >= self.rule.unanswered and not self._cut:
            self._cut = True
            self.left = self._alone.lend()
        cost, self.held = self.held, 0
        self._number += 1
        self._told += cost
        self.flying[self._number] = cost
        return (Message("report", (self.window, self._told, self._number, self._first)),)

    def first_words(self) -> Sequence[Message]:
        self._cut, self._alone = False, Alone(self.rule, self.number, self.k)
        self._alone.forget(self.window)
        self._start()
        return super().first_words()

    def heard(self, message: Message) -> Sequence[Message]:
        number = message.value[2]
        if number not in self.flying:
            return ()
        later = {one: cost for one, cost in self.flying.items() if one > number}
        if self._cut and len(later) >= self.rule.unanswered:  # it says too little of the time since
            self.flying = later
            return ()
        if self._cut:
            self._cut = False
            self._alone.give_back(self.left)
        self.flying = {number: 0, **later}
        return super().heard(message)


class ToldServer(TotalServer):
    """Counts what the last report of each site says beyond the one before it."""

    __slots__ = ("_told",)

    def __init__(self, rule: Any, k: int) -> None:
        super().__init__(rule, k)
        self._told: dict[int, tuple[int, int, int]] = {}
        """Of each site, the last report before its window or life, its last one, and what that says."""

    def count(self, sender: int, message: Message) -> None:
        window, told, number, first = message.value
        begun, last, known = self._told.get(sender, (first, 0, 0))
        if number > last:
            self._told[sender] = first, number, told
            self.spend(window, told - (known if first == begun else 0))

    def turn(self) -> Sequence[tuple[int, Message]]:
        if self.meter is None:
            self._told.clear()
        return super().turn()


WIDEST: Final = 1024
"""Most sites of which each keeps a count of each in arrays."""


@dataclass(frozen=True)
class PeriodicQuota(Shaped):
    """Every `every` steps a site reports what it has admitted since, and the server answers with the total.

    It admits while that total and its own admissions since are below the limit. Flushes are spread evenly over the
    sites. With a timeout, reports are of all that it has admitted in a window or a life. The bound is the same in each
    shape: fleet/docs/quota-guarantees.md.

    Parameters
    ----------
    every
        Steps from one flush of a site to the next, s.

    Source
    ------
    the usual practice of counters in a central store.
    """

    every: Whole = 100  # type: ignore[misc]

    kind: ClassVar[str] = "periodic"
    one_sum: ClassVar[bool] = True
    guarantee: ClassVar[Guarantee] = "always"

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return (FlushingSite if self.timeout else PeriodicSite)(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return (ToldServer if self.timeout else TotalServer)(self, k)

    @property
    def unanswered(self) -> int:
        """The flushes in a row whose reports have no answer when a site is cut off."""
        return -(-self.timeout // self.every) + 1

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False, varies: float = 0) -> float:
        """Return two flushes and a round trip but for the last request, unless it is alone, and a flush for each death.

        If a report may have no answer in time, it is what each site admits until it is cut off, and all shares.
        """
        if self.timeout and up + down > self.timeout:
            if away or self.away == "open":
                return inf
            return self.beyond(k * (self.unanswered + 1) * self.every) + self.for_alone(k)
        lost = self.dearest * deaths * (self.every - 1)
        if k == 1 and isfinite(up + down):
            return lost
        return self.beyond(2 * self.every + up + down + max(1, varies) - 1) + lost

    @property
    def forgets(self) -> bool:
        return self.clock == "store"

    @property
    def counts_anew(self) -> bool:
        return self.clock == "client"

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        """Return one unless corrections name reports."""
        return None if self.reserve and self.shape != "window" else total_form(self, k)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return two messages per flush, and a word for each report and settling whose charges are corrected."""
        corrected = self.reserve and self.shape != "window"
        corrections = k * (items / self.every + items / self.settle + 2) if corrected else 0.0
        return 2.0 * k * (items / self.every + 1) + corrections


@dataclass(frozen=True)
class Gossip(Quota):
    """Sites pass on what they know of each site's admissions, each `every` steps to one other, through the server.

    In its n-th flush site i sends a vector of k counts to site i + 2^(n mod ceil(log2 k)). The server only relays: a
    link between the sites would cost half the words.

    Parameters
    ----------
    every
        Steps from one flush of a site to the next, s.

    Source
    ------
    counters that are merged by their maxima (Shapiro, Preguiça, Baquero, Zawirski 2011), on a hypercube.
    """

    every: Whole = 100  # type: ignore[misc]

    kind: ClassVar[str] = "gossip"
    one_sum: ClassVar[bool] = True
    guarantee: ClassVar[Guarantee] = "always"

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return GossipSite(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return Relay(self, k)

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False, varies: float = 0) -> float:
        """Return the time in which all hear of an admission, if no site is away."""
        if away or not isfinite(up + down):
            return inf
        return self.beyond(self.spread(k, int(up + down)) + 1) if k > 1 else 0

    @property
    def forgets(self) -> bool:
        return True

    def spread(self, k: int, trip: int) -> int:
        """Return the steps in which all of k sites hear of an admission, if a message takes a trip of this length.

        A site that hears in round n sends in round n + hop at the latest, and a hop at this rhythm comes to each of the
        distances, if it waits a round whenever it has been through all distances that it comes to.
        """
        distances, every = ceil(log2(k)), self.every
        hop = max(1, -(-(trip + every - 1) // every))
        rounds = (distances - 1) * hop + gcd(distances, hop) - 1
        return 2 * (every - 1) + rounds * every + trip

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        return None if k > WIDEST else gossip_form(k, ceil(log2(k)))

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return two messages of k words per flush."""
        return 2.0 * k * k * (items / self.every + 1)


class GossipSite(QuotaSite):
    """Knows a count for each site; its own grows with its admissions."""

    __slots__ = ("_counts", "_flushes")

    def __init__(self, *parts: Any) -> None:
        self._flushes = 0
        super().__init__(*parts)

    def open(self) -> Sequence[Message]:
        self.left = self.rule.limit
        self._counts = [0] * self.k
        return ()

    def _own(self) -> None:
        self._counts[self.number] += self.held
        self.held = 0

    def flush(self) -> Sequence[Message]:
        self._own()
        if self.k == 1:
            return ()
        hop = 2 ** (self._flushes % ceil(log2(self.k)))
        self._flushes += 1
        to = (self.number + hop) % self.k
        return (Message("gossip", (self.window, to, tuple(self._counts)), words=self.k),)

    def first_words(self) -> Sequence[Message]:
        self._counts = [0] * self.k
        return ()

    def heard(self, message: Message) -> Sequence[Message]:
        self._own()
        self._counts = list(map(max, self._counts, message.value[2]))
        self.left = self.rule.limit - sum(self._counts)
        return ()


class Relay(QuotaServer):
    """Passes vectors on."""

    __slots__ = ()

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return ((message.value[1], message),)
