"""The messages in transit: chains of messages, each as old as the item that caused it."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple


class Origin(NamedTuple):
    """The origin of a chain of messages.

    Attributes
    ----------
    step
        The step in which its first message was sent.
    before
        Items, including `start`, at the end of the step before: the number known before this chain.
    """

    step: int
    before: int


class Voyages:
    """The messages in transit, by chain.

    A message caused by an item begins a chain. A site's reply belongs to the chain of the message that it answers, and
    a message of the server to the oldest open chain: the server may ask for information that is still in transit on
    another chain, and ignore it when it arrives. A chain is open while a message of it is in transit; a lost message
    is not.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[Origin, int] = OrderedDict()
        """Number of messages in transit of each open chain, the oldest first; chains of one step are one chain."""

    def begin(self, origin: Origin) -> None:
        """Record that a message of this chain is in transit."""
        self._open[origin] = self._open.get(origin, 0) + 1

    def end(self, origin: Origin) -> None:
        """Record that a message of this chain has arrived, after all its effects were sent, or was lost."""
        self._open[origin] -= 1
        if not self._open[origin]:
            del self._open[origin]

    @property
    def oldest(self) -> Origin | None:
        """Origin of the oldest open chain; None if nothing is in transit."""
        return next(iter(self._open), None)
