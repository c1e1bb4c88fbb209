"""What is on its way: chains of messages, each as old as the item that set it off."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple


class Origin(NamedTuple):
    """Where a chain of messages began.

    Attributes
    ----------
    step
        The step in which its first message was sent.
    before
        Items, with those of `start`, at the end of the step before: what was known before this chain.
    """

    step: int
    before: int


class Voyages:
    """The messages on their way, by the chain that each belongs to.

    A message that an item sets off begins a chain. What a site answers belongs to the chain of what it has heard, and
    what the server sends to the oldest chain that is open then: it may ask for what is late on another one, and pay no
    heed to that when it comes. A chain is open while a message of it is on its way; one that was lost is so no more.
    """

    __slots__ = ("_heap", "_open")

    def __init__(self) -> None:
        self._open: dict[Origin, int] = {}
        """How many messages of each open chain are on their way; all that begin in a step are one."""
        self._heap: list[Origin] = []

    def begin(self, origin: Origin) -> None:
        """Note that a message of this chain is on its way."""
        number = self._open.get(origin)
        if number is None:
            heappush(self._heap, origin)
        self._open[origin] = (number or 0) + 1

    def end(self, origin: Origin) -> None:
        """Note that a message of this chain has arrived, with all that it set off sent, or was lost."""
        left = self._open[origin] - 1
        if left:
            self._open[origin] = left
        else:
            del self._open[origin]

    @property
    def oldest(self) -> Origin | None:
        """Where the oldest open chain began; None if nothing is on its way."""
        heap = self._heap
        while heap and heap[0] not in self._open:
            heappop(heap)
        return heap[0] if heap else None
