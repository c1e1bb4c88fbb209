"""Ranks by summaries: what the deterministic and the randomised tracker share.

A site divides its items into blocks, in the order of their arrival, and merges blocks into nodes, each at least twice
as large as the next newer one. The summary of a node is every s-th of its items in order, and each of them counts as s
items: a rank within a node is known up to s. The server has the summaries of all nodes, so that the sums of its
estimates are ranks.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from itertools import chain
from math import log2, sqrt
from typing import Any, ClassVar

from disttrack.protocols.base import Message
from disttrack.protocols.contents.base import Feed, ItemServer, ItemSite, ItemTracker, Name
from disttrack.protocols.contents.ranks_kernel import merged


class RankTracker(ItemTracker):
    """A tracker of ranks by summaries; subclasses define the number of blocks."""

    plays: ClassVar[tuple[str, ...]] = ("item-rank",)

    @abstractmethod
    def blocks(self, k: int) -> float:
        """Return the number of blocks, were all items in blocks of the present size: N / s."""

    def levels(self, k: int) -> float:
        """Return in how many summaries an item is, one after the other: words for each block."""
        return 1 + log2(1 + self.blocks(k) / k)

    def scale(self, known: int, k: int) -> int:
        scale = int(known / self.blocks(k))
        return scale if scale > self.levels(k) else 1  # else every item costs less

    def growth(self, k: int) -> float:
        # summaries cost (1 + growth) blocks * levels per e-fold of the items, totals and announcements 2 k / growth
        return min(1.0, sqrt(2 * k / (self.blocks(k) * self.levels(k))))

    def item_words(self, scale: float, k: int) -> float:
        return 1.0 if scale <= 1 else self.levels(k) / scale


class RankSite(ItemSite):
    """A site that keeps its items in nodes; subclasses define what it sends as its block grows."""

    __slots__ = ("block", "nodes")

    def __init__(self, tracker: RankTracker, k: int, feed: Feed) -> None:
        super().__init__(tracker, k, feed)
        self.block: list[object] = []
        """The items of the present block."""
        self.nodes: list[list[Any]] = []
        """The items of the nodes in order, the oldest node first."""

    def due(self) -> int:
        return self.count + 1  # it must see every item

    def report(self, item: Name) -> Sequence[Message]:
        if self.scale == 1:
            return (Message("item", (item,)),)
        self.block.append(item)
        return self.extend()

    @abstractmethod
    def extend(self) -> Sequence[Message]:
        """Return what it sends, now that the block has an item more."""

    def close(self, first: int) -> tuple[int, ...]:
        """End the block, merge it, and return the summary: an item per item of the block, from the `first` one on."""
        kept, step = len(self.nodes) - merged([len(node) for node in self.nodes], len(self.block)), len(self.block)
        self.nodes[kept:] = [sorted(chain(self.block, *self.nodes[kept:]))]
        self.block = []
        return tuple(self.nodes[-1][first - 1 :: step])


class RankServer(ItemServer):
    """The server, which merges nodes by the same rule as the sites."""

    __slots__ = ("nodes",)

    def __init__(self, tracker: RankTracker, k: int) -> None:
        super().__init__(tracker, k)
        self.nodes: list[list[tuple[int, int, Sequence[Name]]]] = [[] for _ in range(k)]
        """The size, the step and the summary of each node of each site, the oldest one first."""

    def learn(self, sender: int, report: Any) -> int:
        if self.scale == 1:
            self.add_each(report, 1)
        else:
            self.merge(sender, self.scale, report)
        return 1

    def merge(self, sender: int, step: int, summary: Sequence[Name]) -> None:
        """Take the summary of a block of `step` items and of the nodes that it is merged with, in place of theirs."""
        nodes = self.nodes[sender]
        kept = len(nodes) - merged([size for size, _, _ in nodes], step)
        for _, each, items in nodes[kept:]:
            self.add_each(items, -each)
        nodes[kept:] = [(step + sum(size for size, _, _ in nodes[kept:]), step, summary)]
        self.add_each(summary, step)

    def add_each(self, items: Iterable[Name], copies: int) -> None:
        """Add copies of each of these items."""
        for item in items:
            self.add(item, copies)
