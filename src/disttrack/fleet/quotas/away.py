"""A site of `central` that cannot reach the server: it refuses, admits everything, or admits its share.

A site that has asked looks once per `timeout` whether a question from before its last look is unanswered. Then it is
cut off: it answers by itself, also the requests that wait, and asks once per look whether the server is there. Any
answer ends that. What it may admit by itself in a window is given to it once, however often it is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from disttrack.fleet.quotas.amounts import even_share
from disttrack.fleet.quotas.base import Away
from disttrack.fleet.quotas.lease_parts import LeaseSite
from disttrack.fleet.quotas.sites import QuotaSite
from disttrack.protocols.sites import Message


def for_alone(away: Away, limit: int, k: int, most: int) -> int:
    """Return the cost that k sites may admit in a window without the server, in even shares; everything is `most` each.

    Examples
    --------
    >>> [for_alone(away, 10, k=4, most=99) for away in ("closed", "open", "share")]
    [0, 396, 10]
    """
    return {"closed": 0, "open": k * most, "share": limit}[away]


class Outage(NamedTuple):
    """What a window admits beyond the limit, and what it loses of that which one counter would admit."""

    overshoot: int
    loss: int


def outage(away: Away, limit: int, k: int, cut: int, offered: int) -> Outage:
    """Predict a window in all of which some of k sites are cut off, if an even load offers this cost in it.

    Parameters
    ----------
    cut
        The number of sites that are cut off: the last ones.

    Examples
    --------
    >>> [tuple(outage(away, 100, k=4, cut=1, offered=320)) for away in ("closed", "open", "share")]
    [(0, 0), (80, 0), (25, 0)]
    >>> [tuple(outage(away, 100, k=4, cut=4, offered=320)) for away in ("closed", "open", "share")]
    [(0, 100), (220, 0), (0, 0)]
    """
    each = offered // k
    admitted = min(limit, (k - cut) * each)
    alone = for_alone(away, limit, k, offered)
    admitted += sum(min(each, even_share(alone, k, site)) for site in range(k - cut, k))
    return Outage(max(0, admitted - limit), max(0, min(limit, offered) - admitted))


class CentralSite(LeaseSite):
    """Asks about each request, and answers by itself while it is cut off."""

    __slots__ = ("_alone", "_cut", "_given_up", "_lent", "_looked")

    silence = QuotaSite.silence  # stated again: what it is lent comes by the clock

    def __init__(self, *parts: Any) -> None:
        self._cut = False
        self._looked = self._given_up = 0
        """Its last question when it last looked, and when it was last cut off or came back."""
        super().__init__(*parts)

    def open(self) -> Sequence[Message]:
        super().open()
        self._alone = even_share(self.rule.for_alone(self.k), self.k, self.number)
        """What it may still admit by itself in this window, and was not lent."""
        self._lent = 0
        if self._cut:
            self._lend()
        return ()

    def _lend(self) -> None:
        self._lent, self._alone = self._alone, 0
        self.left += self._lent

    def _give_back(self) -> None:
        """Return what was lent and is left; permits were used first."""
        unused = max(0, min(self.left, self._lent))
        self.left -= unused
        self._alone += unused
        self._lent = 0

    def asks(self) -> bool:
        return not self._cut and super().asks()

    def flush(self) -> Sequence[Message]:
        """Look whether a question is unanswered; ask whether the server is there."""
        overdue = any(self._given_up < number <= self._looked for number in self._open)
        if overdue and not self._cut:
            self._cut = True
            self._lend()
            self._answer_waiting()
        self._looked = self._number
        if not self._cut:
            return ()
        self._given_up = self._number
        return self.ask(0)

    def _answer_waiting(self) -> None:
        while self.waiting:
            price = self.rule.reserve or self.waiting[0]
            fits = price <= self.left
            self.left -= price if fits else 0
            self.answered(fits)

    def heard(self, message: Message) -> Sequence[Message]:
        number = message.value[2]
        if self._cut and number in self._open:
            self._cut = False
            self._give_back()
            self._looked = self._given_up = self._number
        if self._open.get(number) == 0:  # it only asked whether the server is there
            del self._open[number]
            return ()
        return super().heard(message)

    def last_words(self) -> Sequence[Message]:
        self._give_back()
        return super().last_words()

    def first_words(self) -> Sequence[Message]:
        self._cut, self._alone, self._lent = False, 0, 0
        return super().first_words()
