"""Messages in order, each once, over connections that break: numbers, acknowledgements, and what to send again."""

from __future__ import annotations

from collections import deque

from disttrack.fleet.live.frames import NonsenseError
from disttrack.protocols.sites import Message


class Session:
    """One end of the messages between a site and the server; it outlives their connections.

    Attributes
    ----------
    sent, received
        Numbers of the last message of each direction, from 1; 0 before it.
    waiting
        Messages that the other end has not acknowledged, with their numbers.
    welcomes
        Number of connections so far: the end that knows the smaller one has an older journal, or a copy of it.
    confirmed
        At the server, whether the site has sent anything since the last of them, so that it knows of it.
    limit
        At the server, `sent` when the present process began; None once the site has been connected to it.
    """

    __slots__ = ("confirmed", "limit", "received", "sent", "waiting", "welcomes")

    def __init__(self, welcomes: int = 0) -> None:
        self.sent = self.received = 0
        self.waiting: deque[tuple[int, Message]] = deque()
        self.welcomes, self.confirmed = welcomes, False
        self.limit: int | None = None

    @property
    def done(self) -> int:
        """Number of the last message that the other end has acknowledged."""
        return self.sent - len(self.waiting)

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """What a site says of its end in its greeting."""
        return self.welcomes, self.received, self.sent, self.done

    def welcome(self, welcomes: int) -> None:
        """Note a connection, by the number that both ends have then."""
        self.welcomes, self.confirmed, self.limit = welcomes, False, None

    def send(self, message: Message) -> int:
        """Take a message to send; return its number."""
        self.sent += 1
        self.waiting.append((self.sent, message))
        return self.sent

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
