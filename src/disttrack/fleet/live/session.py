"""Messages in order, each once, over connections that break: numbers, acknowledgements, and what to send again."""

from __future__ import annotations

from collections import deque
from typing import Final

from disttrack.fleet.live.frames import NonsenseError
from disttrack.protocols.sites import Message

REMEMBERED: Final = 100
"""Number of past tickets of a site by which an old journal, or a copy, is recognised."""


class Session:
    """One end of the messages between a site and the server; it outlives their connections.

    Attributes
    ----------
    sent, received
        Numbers of the last message of each direction, from 1; 0 before it.
    waiting
        Messages that the other end has not acknowledged, with their numbers.
    limit
        At the server, `sent` when the present process began; None once the site has been connected to it.
    dropped
        Whether messages were given up, so that the session cannot go on.
    """

    __slots__ = ("dropped", "limit", "received", "sent", "waiting")

    def __init__(self) -> None:
        self.sent = self.received = 0
        self.waiting: deque[tuple[int, Message]] = deque()
        self.limit: int | None = None
        self.dropped = False

    @property
    def done(self) -> int:
        """Number of the last message that the other end has acknowledged."""
        return self.sent - len(self.waiting)

    @property
    def numbers(self) -> tuple[int, int, int]:
        """What a site says of its end in its greeting."""
        return self.received, self.sent, self.done

    def send(self, message: Message) -> int:
        """Take a message to send; return its number."""
        self.sent += 1
        self.waiting.append((self.sent, message))
        return self.sent

    def drop(self) -> None:
        """Give up all messages that wait, and use one number more for what the other end will miss."""
        self.dropped = True
        self.sent += 1
        self.waiting.clear()

    def acknowledged(self, number: int) -> None:
        """Forget the messages up to this number."""
        if number > self.sent:
            raise NonsenseError(f"an acknowledgement of message {number}, where {self.sent} were sent")
        while self.waiting and self.waiting[0][0] <= number:
            self.waiting.popleft()

    def is_new(self, number: int) -> bool:
        """Take the number of a message that has come; return whether it is the next one, and no copy."""
        if number <= self.received:
            return False
        if number > self.received + 1:
            raise NonsenseError(f"message {number} after message {self.received}")
        self.received = number
        return True


class Tickets:
    """The tickets of a site at the server.

    Each connection has one, a number drawn for it, which the site keeps and shows in its next greeting.

    Attributes
    ----------
    current
        Those with which the session goes on: that of the last connection of which the site is known to know, and later
        ones, 0 for a site that has had none.
    """

    __slots__ = ("_past", "_void", "current")

    def __init__(self) -> None:
        self.current = [0]
        self._void: list[int] = []
        """Those of a session that was broken off: the site has one of them until it knows of the next session."""
        self._past: list[int] = []

    def offer(self, ticket: int) -> None:
        """Add the ticket of a connection that goes on with the session."""
        self.current.append(ticket)

    def begin(self, ticket: int) -> None:
        """Take the ticket of a connection that begins another session."""
        self._void += self.current
        self.current = [ticket]

    def confirm(self) -> None:
        """Note that the site knows of its present connection: it has no earlier ticket any more."""
        if len(self.current) > 1 or self._void:
            self._past = [*self._past, *self._void, *self.current[:-1]][-REMEMBERED:]
            self._void, self.current = [], self.current[-1:]

    def is_past(self, ticket: int) -> bool:
        """Return whether a site had this ticket, and has had another since."""
        return ticket in self._past
