"""The parts of a protocol: messages, sites and a server.

A site acts only on an item or on a message, the server only on a message
(Xiong, Zhu, Huang 2023, section 1). Each returns the messages that it sends; the simulator
carries, counts and delays them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from disttrack.mechanisms.shortcuts import Shortcut, Shortcuts

EVERYONE: Final = -1
"""Receiver of a broadcast: every site, at the cost of k messages."""

FOREVER: Final = 2**62
"""An infinite silence: no further item makes the site send a message."""


class Exactly(NamedTuple):
    """A fractional output, to be judged exactly: numerator / denominator."""

    numerator: int
    denominator: int

    def __float__(self) -> float:
        return self.numerator / self.denominator


Number = int | float | Exactly


class Message(NamedTuple):
    """A message between a site and the server.

    Attributes
    ----------
    kind
        Short name under which the ledger counts it.
    value
        The value that it carries; None makes it a signal of one bit.
    words
        Cost in words. Every message is at least one; an integer below N is one.
    """

    kind: str
    value: Any = None
    words: int = 1


class Site(Shortcuts, ABC):
    """One site. It receives its own items and the server's messages, nothing else."""

    __slots__ = ()

    @abstractmethod
    def silence(self) -> int:
        """Return how many further items it can receive without sending a message; `FOREVER` if any number.

        The item after these may make it send one. Calling it changes nothing and draws nothing.
        """

    @abstractmethod
    def take(self, items: int) -> Sequence[Message]:
        """Receive `items` items, 1 <= items <= silence() + 1, and return what it sends to the server."""

    def hear(self, message: Message) -> Sequence[Message]:
        """Receive a message of the server and return what it sends back; by default nothing."""
        return ()

    @property
    def tossed_ahead(self) -> tuple[str, ...]:
        """Names of the attributes that hold coins of items yet to come, drawn ahead to save time.

        In the algorithm these coins are tossed with their item, so an adversary that sees the state does not see them.
        """
        return ()

    shortcuts: ClassVar = {"silence": Shortcut(lambda site: 0)}  # it may speak at any item
    descriptions = frozenset({"tossed_ahead"})


class Server(ABC):
    """The server. Its `output` is the answer at every step: an estimate of the number of items, or of each item."""

    __slots__ = ()

    rounds: int | None = None
    """Rounds begun so far; of a server that does not count them each broadcast begins one."""

    extra: Mapping[str, Any] = MappingProxyType({})
    """Further facts by name, which the game's outcome has too."""

    output: Number
    """The present estimate, in items; in games of items with content, a mapping of items that changes in place."""

    @abstractmethod
    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        """Receive a message from site `sender`; return pairs (receiver, message).

        The receiver is a site's number or `EVERYONE`.
        """

    def readmit(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        """Take the count of a site that has returned without its state; return pairs as `hear` does.

        Called only if `Protocol.readmission` is `report`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how a site is re-admitted")


class SumOfReports(Server):
    """The sum of the counts that the sites have reported last; it sends nothing.

    Parameters
    ----------
    reported
        Items of each site before the game.
    """

    __slots__ = ("output", "reported")

    def __init__(self, reported: Sequence[int]) -> None:
        self.reported = list(reported)
        self.output: int = sum(reported)

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return self.readmit(sender, message.value)

    def readmit(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        self.output += items - self.reported[sender]
        self.reported[sender] = items
        return ()
