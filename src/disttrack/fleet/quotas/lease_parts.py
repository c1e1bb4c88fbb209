"""The site and the server of quotas by permits; which permits there are, and why, is in `leases`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from disttrack.fleet.quotas.amounts import LARGEST
from disttrack.fleet.quotas.base import fraction_of
from disttrack.fleet.quotas.sites import QuotaServer, QuotaSite
from disttrack.protocols.base import FOREVER, Message


class LeaseSite(QuotaSite):
    """Asks when it has too little left; after a refusal, for the rest of the window, only about cheaper requests."""

    __slots__ = ("_barred", "_mark", "_number", "_open", "_refused", "_unused")

    silence = QuotaSite.silence  # stated again: a refund comes by the clock

    def __init__(self, *parts: Any) -> None:
        self._number = 0
        """Number of its last question or return; it survives, as the clock does, so that no number comes twice."""
        super().__init__(*parts)

    def _begin(self) -> None:
        self._unused = self.left if self.rule.limits and self.window else 0
        super()._begin()

    def open(self) -> Sequence[Message]:
        self.left = self.rule.upfront_of(self.k)
        self._mark = self._mark_of(self.left)
        self._start()
        if not self._unused:
            return ()
        self._number += 1
        return (Message("return", (self.window - 1, self._unused, self._number)),)

    def slot(self) -> Sequence[Message]:
        self._refused = 0
        if self.window % self.rule.rest == 0:  # their answers may be lost
            self._open.clear()
            while self.waiting:
                self.answered(False)
        return ()

    def turns_until(self, price: int) -> int:
        least, slot = self._barred
        return max(0, slot - self.window) if price >= least else 0

    def _refund(self, number: int, refund: int) -> None:
        super()._refund(number, refund)
        self._keep_nothing()

    def gives_back(self, number: int) -> bool:
        return super().gives_back(number) and (self.rule.shape == "window" or self.left < 0)

    def _keep_nothing(self) -> None:
        if self.rule.shape != "window":  # the server has counted what is left, and may forget it before this is used
            self.left = min(0, self.left)

    def _start(self) -> None:
        self._refused = 0
        """Price of the cheapest request that the server has refused in this window; 0 for none."""
        self._barred = 0, 0
        """Price of the last request that it has refused, and the window or slot in which it may grant that."""
        self._open: dict[int, int] = {}
        """Numbers and prices of the questions of this window that are not answered yet."""

    def _mark_of(self, lease: int) -> int:
        return fraction_of(lease, self.rule.low)

    def silent(self) -> int:
        return FOREVER if self._refused or self._open else self.covers(self.left - self._mark)

    def charged(self) -> Sequence[Message]:
        if self._refused or self._open or self.left >= self._mark:
            return ()
        return self.ask(self._price())

    def _price(self) -> int:
        """Return what the next request takes."""
        return int(self.rule.reserve or self.costs.total(self.offered, 1))

    def asks(self) -> bool:
        return (not self._refused or self._price() < self._refused) and (self.rule.each or not self._open)

    def reach(self) -> int:
        return max(self.left, self._refused - 1)

    def ask(self, price: int) -> Sequence[Message]:
        self._number += 1
        self._open[self._number] = price
        return (Message("ask", (self.window, price, self._number)),)

    def last_words(self) -> Sequence[Message]:
        self._number += 1
        return (Message("return", (self.window, self.left, self._number)),) if self.left else ()

    def first_words(self) -> Sequence[Message]:
        self._mark = 0
        self._start()
        return ()

    def heard(self, message: Message) -> Sequence[Message]:
        _, lease, number, turns = message.value
        if number not in self._open:
            return ()  # a lease counts once, however often its message comes
        price = self._open.pop(number)
        if not lease:
            cheapest = min(price, self._refused or price)
            self._refused = 0 if self.rule.charge == "asked" else cheapest  # then it asks about each, which costs
            self._barred = cheapest, self.window + turns
        elif price >= self._refused:
            self._refused = 0
        self.left += lease
        self._mark = self._mark_of(lease)
        if self.waiting:
            price = self.rule.reserve or self.waiting[0]
            fits = bool(lease) and price <= self.left
            self.left -= price if fits else 0
            self.answered(fits)
        self._keep_nothing()
        return ()


@dataclass
class Longer:
    """What the server knows of a further limit: the windows that its window has, the present one, and what is spent."""

    limit: int
    windows: int
    window: int = 0
    spent: int = 0


class LeaseServer(QuotaServer):
    """Grants what is left of the limit."""

    __slots__ = ("_asked", "_longer", "_returned")

    def __init__(self, rule: object, k: int) -> None:
        super().__init__(rule, k)
        self._asked: dict[int, set[int]] = {}
        """The sites that have asked in each window."""
        self._returned: set[tuple[int, int]] = set()
        """Site and number of each return: it counts once, however often its message comes."""
        self._longer = [Longer(limit, windows) for limit, windows in self.rule.times]

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        window, value, number = message.value
        if message.kind == "return":
            if (sender, number) not in self._returned:
                self._returned.add((sender, number))
                self._take_back(window, value)
            return ()
        if self.is_past(window):
            return ()
        left = min(self.left_in(window), *(longer.limit - longer.spent for longer in self._longer), LARGEST)
        asked = self._asked.setdefault(window, set())
        lease = self.rule.granted(len(asked) if sender in asked else self.k, left, value)
        asked.add(sender)
        turns = 0 if lease or not value else 1 if self.meter is None else self.meter.turns_until(value - left)
        self.spend(window, value if self.rule.charge == "asked" and not lease else lease)
        for longer in self._longer:
            longer.spent += lease
        return ((sender, Message("grant", (window, lease, number, turns))),)

    def left_in(self, window: int) -> int:
        """Return what is left of the limit of a window."""
        return int(self.rule.pool - self.k * self.rule.upfront_of(self.k) - self.spent_in(window))

    def _take_back(self, window: int, value: int) -> None:
        """Count what a site has not used of a window less in each window that is not over."""
        if not self.is_past(window):
            self.spend(window, -value)
        for longer in self._longer:
            if window // longer.windows == longer.window:
                longer.spent -= value

    def turn(self) -> Sequence[tuple[int, Message]]:
        self._asked = {window: sites for window, sites in self._asked.items() if window > self.window}
        messages = super().turn()
        for longer in self._longer:
            if (window := self.window // longer.windows) != longer.window:  # windows may have been missed
                longer.window, longer.spent = window, 0
        return messages
