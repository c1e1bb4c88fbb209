"""Sites and a server of reports for several limits at once: each limit has its own reports, sizes and stop.

A site admits a request if it may by each limit, and counts it in each. So for each limit the others are part of the
load, and what is proven of it alone holds. Messages have the place of their limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.protocols.base import Message


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
