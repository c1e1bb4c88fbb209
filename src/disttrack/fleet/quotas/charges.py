"""Sites that charge a limit of another shape than `window`, and correct each charge where it was made.

A request takes its reserve on arrival, and its cost is known later. By then part of what it took may have come back,
with time: so a correction names its charge, and is worth no more than what that still takes from the limit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from disttrack.fleet.quotas.sites import QuotaSite
from disttrack.protocols.base import Message


class Charges:
    """The admissions of a site in groups that were charged together, so that a correction finds its charge."""

    __slots__ = ("_forgotten", "_groups")

    def __init__(self) -> None:
        self._groups: deque[list[int]] = deque()
        """Slot, key of the charge, the last admission in it, and what these took beyond their costs."""
        self._forgotten = 0
        """The last admission that is in none."""

    def note(self, slot: int, key: int, admission: int, excess: int, settled: int) -> None:
        """Note that the admissions up to this one are in a charge; no group is partly before a settling."""
        last = self._groups[-1] if self._groups else None
        if last is None or last[1] != key or last[2] <= settled:
            self._groups.append([slot, key, admission, excess])
        else:
            last[2:] = admission, last[3] + excess

    def settled(self, admission: int) -> Iterator[tuple[int, int]]:
        """Forget the groups up to this admission; yield the key of each, and what it took beyond its costs."""
        while self._groups and self._groups[0][2] <= admission:
            _, key, self._forgotten, excess = self._groups.popleft()
            yield key, excess

    def key_of(self, admission: int) -> int:
        """Return the key of the charge with this admission, -1 if it was forgotten."""
        if admission <= self._forgotten:
            return -1
        return next(key for _, key, last, _ in self._groups if last >= admission)

    def forget(self, slot: int) -> None:
        """Forget the groups up to this slot that a settling does not correct."""
        while self._groups and self._groups[0][0] <= slot and not self._groups[0][3]:
            self._forgotten = self._groups.popleft()[2]


class ChargingSite(QuotaSite):
    """A site that notes what it charges, unless the shape is `window`: then a correction belongs to the window."""

    __slots__ = ("_charges",)

    def _begin(self) -> None:
        super()._begin()
        self._charges = Charges()

    @property
    def key(self) -> int:
        """The key of a charge that is made now."""
        return self.window

    def correct(self, key: int, refund: int) -> None:
        """Give back what a charge took beyond its cost; take what is missing if that is negative."""
        raise NotImplementedError

    def pays(self, price: int, cost: int) -> None:
        """Note the price of the last admission, or of several, and their cost."""
        if self.rule.shape != "window":
            self._charges.note(self.window, self.key, self.admitted, price - cost, self._known[0])

    def slot(self) -> Sequence[Message]:
        self._charges.forget(self.window - self.rule.rest)
        return ()

    def _admit(self, requests: int) -> None:
        cost = self.costs.total(self.offered, requests)
        super()._admit(requests)
        self.pays(requests * self.rule.reserve or cost, cost)

    def _settle(self, requests: int, cost: int) -> None:
        if self.rule.shape == "window":
            super()._settle(requests, cost)
        for key, excess in self._charges.settled(requests):
            self.correct(key, excess)

    def _refund(self, number: int, refund: int) -> None:
        if self.rule.shape == "window":
            super()._refund(number, refund)
        else:
            self.correct(self._charges.key_of(number), refund)
