"""Sites that cannot reach the server: they refuse, admit everything, or admit their shares.

A site of `central` that has asked looks once per `timeout` whether a question from before its last look is unanswered.
Then it is cut off: it answers by itself, also the requests that wait, and asks once per look whether the server is
there. Any answer ends that. A site of `periodic` is cut off if its last reports, those of a `timeout`, are unanswered.
What a site may admit by itself is given to it once in a window, or in another shape in any steps, however often it is
cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from disttrack.fleet.quotas.amounts import even_share
from disttrack.fleet.quotas.lease_parts import LeaseSite
from disttrack.fleet.quotas.meter import meter_of
from disttrack.fleet.quotas.sites import Answers, QuotaSite
from disttrack.protocols.base import Message


class Alone:
    """What a site may admit by itself: its share in each window, or by a meter of its own in any steps.

    Attributes
    ----------
    rest
        What it may still admit, and was not lent.
    lent
        What it was lent.
    """

    __slots__ = ("_meter", "_share", "lent", "rest")

    def __init__(self, rule: Any, number: int, k: int) -> None:
        self._share = even_share(rule.for_alone(k), k, number)
        self._meter = meter_of(rule) if rule.away == "share" else None
        self.rest = self.lent = 0

    def turn(self, slot: int) -> None:
        """Begin a window or a slot, with nothing lent."""
        self.rest, self.lent = self._share, 0
        if self._meter is not None:
            self._meter.turn(slot)
            self.rest = max(0, self._share - self._meter.spent)

    def lend(self) -> int:
        """Lend all that it may still admit."""
        self.lent, self.rest = self.rest, 0
        return self.lent

    def give_back(self, left: int) -> int:
        """Take back what is left of what was lent, and return that."""
        unused = max(0, min(left, self.lent))
        if self._meter is not None:
            self._meter.add(self.lent - unused)
        self.rest, self.lent = self.rest + unused, 0
        return unused

    def forget(self, slot: int) -> None:
        """Begin a life, with nothing for a window or a span: what the one before has admitted is not known."""
        self.rest = self.lent = 0
        if self._meter is not None:
            self._meter.turn(slot)
            self._meter.add(self._share)


class CentralSite(LeaseSite):
    """Asks about each request, and answers by itself while it is cut off."""

    __slots__ = ("_alone", "_cut", "_given_up", "_looked")

    silence = QuotaSite.silence  # stated again: what it is lent comes by the clock

    def __init__(self, rule: Any, number: int, k: int, answers: Answers) -> None:
        self._cut, self._alone = False, Alone(rule, number, k)
        self._looked = self._given_up = 0
        """Its last question when it last looked, and when it was last cut off or came back."""
        super().__init__(rule, number, k, answers)

    def open(self) -> Sequence[Message]:
        super().open()
        return self._begin_alone()

    def slot(self) -> Sequence[Message]:
        super().slot()
        self._give_back()
        return self._begin_alone()

    def _begin_alone(self) -> Sequence[Message]:
        self._alone.turn(self.window)
        if self._cut:
            self.left += self._alone.lend()
        return ()

    def _give_back(self) -> None:
        """Return what was lent and is left; permits were used first."""
        self.left -= self._alone.give_back(self.left)

    def asks(self) -> bool:
        return not self._cut and super().asks()

    def flush(self) -> Sequence[Message]:
        """Look whether a question is unanswered; ask whether the server is there."""
        overdue = any(self._given_up < number <= self._looked for number in self._open)
        if overdue and not self._cut:
            self._cut = True
            self.left += self._alone.lend()
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
        self._cut, self._alone = False, Alone(self.rule, self.number, self.k)
        self._alone.forget(self.window)
        return super().first_words()
