"""The messages in transit: chains of messages, each as old as the item that caused it."""

from __future__ import annotations

from heapq import heappop, heappush
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

    __slots__ = ("_heap", "_open")

    def __init__(self) -> None:
        self._open: dict[Origin, int] = {}
        """Number of messages in transit of each open chain; all chains that begin in one step are one."""
        self._heap: list[Origin] = []

    def begin(self, origin: Origin) -> None:
        """Record that a message of this chain is in transit."""
        number = self._open.get(origin)
        if number is None:
            heappush(self._heap, origin)
        self._open[origin] = (number or 0) + 1

    def end(self, origin: Origin) -> None:
        """Record that a message of this chain has arrived, after all its effects were sent, or was lost."""
        left = self._open[origin] - 1
        if left:
            self._open[origin] = left
        else:
            del self._open[origin]

    @property
    def oldest(self) -> Origin | None:
        """Origin of the oldest open chain; None if nothing is in transit."""
        heap = self._heap
        while heap and heap[0] not in self._open:
            heappop(heap)
        return heap[0] if heap else None
