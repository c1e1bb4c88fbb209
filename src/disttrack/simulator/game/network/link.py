"""A reliable link over wires that lose, copy and reorder: numbers, acknowledgements, retransmission.

The two halves do not depend on clocks and wires, which belong to `simulator.game.network.mail`. Every packet has a
number, counted from 0 on each link and in each direction, and each arrival is acknowledged by its number. A packet that
is not acknowledged in time is sent again, each time after a longer pause. The receiver buffers packets that come too
early and drops duplicates, so that it delivers each payload once and in order, unless every transmission is
lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from sys import float_info
from typing import Any, Generic, TypeVar

from disttrack.simulator.game.network.faults import steps

Payload = TypeVar("Payload")


@dataclass(frozen=True)
class Link:
    """Parameters of reliable links.

    Parameters
    ----------
    timeout
        Steps after which a packet is first sent again; None: twice the mean round-trip time, plus two.
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
                steps(f"link: {name}", value, 1)
        factor: Any = self.backoff
        if isinstance(factor, bool) or not isinstance(factor, int | float) or not 1 <= factor <= float_info.max:
            raise ValueError(f"link: backoff must be a finite number of at least 1; got {factor!r}")

    def pause(self, tries: int, first: int) -> int:
        """Return the steps to wait for an acknowledgement after `tries` tries; `first` is the timeout if none is set.

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
    """The sender's half: numbers its packets, and keeps each until it is acknowledged."""

    __slots__ = ("_next", "unacknowledged")

    def __init__(self) -> None:
        self._next = 0
        self.unacknowledged: dict[int, Payload] = {}

    def send(self, payload: Payload) -> int:
        """Take a payload to send; return its number."""
        number = self._next
        self._next += 1
        self.unacknowledged[number] = payload
        return number

    def acknowledged(self, number: int) -> None:
        """Take an acknowledgement; a repeated one has no effect."""
        self.unacknowledged.pop(number, None)


class Incoming(Generic[Payload]):
    """The receiver's half: puts packets in order, and drops duplicates."""

    __slots__ = ("_early", "_next")

    def __init__(self) -> None:
        self._next = 0
        self._early: dict[int, Payload] = {}

    def receive(self, number: int, payload: Payload) -> list[Payload]:
        """Take a packet; return the payloads that can be delivered now, in order."""
        if number >= self._next:
            self._early[number] = payload
        ready = []
        while self._next in self._early:
            ready.append(self._early.pop(self._next))
            self._next += 1
        return ready

    @property
    def waiting(self) -> list[Payload]:
        """The payloads that came too early."""
        return list(self._early.values())
