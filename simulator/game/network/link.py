"""A reliable link over wires that lose, copy and reorder: numbers, acknowledgements, retransmission.

The two halves know nothing of clocks and wires, which `simulator.game.network.channels` has. Every packet bears its
number, counted from 0 on each link and in each direction, and each arrival is acknowledged by its number. A packet that
is not acknowledged in time is sent again, each time after a longer pause. The receiver keeps what comes too
early and throws away what it has had, so that it hands on each payload once and in order, as long as not everything is
lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Generic, TypeVar

from disttrack.protocols.base import whole

Payload = TypeVar("Payload")


@dataclass(frozen=True)
class Link:
    """Parameters of reliable links.

    Parameters
    ----------
    timeout
        Steps after which a packet is sent again for the first time; None: twice the mean way there and back, and two.
    backoff
        The factor by which each further pause is longer than the one before.
    longest
        The longest pause, in steps; None: 8 times the first one.
    """

    timeout: int | None = None
    backoff: float = 2.0
    longest: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("timeout", self.timeout), ("longest", self.longest)):
            if value is not None:
                whole(f"link: {name}", value, 1)
        factor: Any = self.backoff
        if isinstance(factor, bool) or not isinstance(factor, int | float) or not 1 <= factor < inf:
            raise ValueError(f"link: backoff must be a finite number of at least 1; got {factor!r}")

    def pause(self, tries: int, first: int) -> int:
        """Return the steps to wait for an acknowledgement after so many tries; `first` is the timeout if none is given.

        Examples
        --------
        >>> [Link(timeout=10, longest=50).pause(tries, 0) for tries in (1, 2, 3, 4, 5)]
        [10, 20, 40, 50, 50]
        """
        timeout = first if self.timeout is None else self.timeout
        longest = 8 * timeout if self.longest is None else max(self.longest, timeout)
        steps = timeout
        for _ in range(tries - 1):
            if steps >= longest or self.backoff == 1:
                break
            steps = int(min(longest, steps * self.backoff + 0.5))
        return steps


class Outgoing(Generic[Payload]):
    """The sender's half: numbers what it sends, and keeps it until it is acknowledged."""

    __slots__ = ("_next", "unacknowledged")

    def __init__(self) -> None:
        self._next = 0
        self.unacknowledged: dict[int, Payload] = {}

    def send(self, payload: Payload) -> int:
        """Take a payload to be sent; return its number."""
        number = self._next
        self._next += 1
        self.unacknowledged[number] = payload
        return number

    def acknowledged(self, number: int) -> None:
        """Take an acknowledgement; one that came before, or comes twice, is nothing new."""
        self.unacknowledged.pop(number, None)


class Incoming(Generic[Payload]):
    """The receiver's half: puts in order what has come, and drops what it has had."""

    __slots__ = ("_early", "_next")

    def __init__(self) -> None:
        self._next = 0
        self._early: dict[int, Payload] = {}

    def receive(self, number: int, payload: Payload) -> list[Payload]:
        """Take a packet; return the payloads that are to be handed on now, in order."""
        if number >= self._next:
            self._early[number] = payload
        ready = []
        while self._next in self._early:
            ready.append(self._early.pop(self._next))
            self._next += 1
        return ready

    @property
    def waiting(self) -> list[Payload]:
        """What has come too early."""
        return list(self._early.values())
