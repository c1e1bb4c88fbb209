"""Ranks by summaries: the deterministic and the randomised tracker, and what they share.

A site divides its items into blocks, in the order of their arrival, and merges blocks into nodes, each at least twice
as large as the next newer one. The summary of a node is every s-th of its items in order, and each of them counts as s
items: a rank within a node is known up to s. The server has the summaries of all nodes, so that the sums of its
estimates are ranks.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import log, log1p, log2, sqrt
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Positive, Share
from disttrack.protocols.base import Guarantee, Message
from disttrack.protocols.coins import Coins, words_make_numbers
from disttrack.protocols.contents.base import LONGEST, Feed, ItemServer, ItemSite, ItemTracker, Name
from disttrack.protocols.contents.ranks_kernel import RankForm, merged, middle_of, report_blocks, report_chosen


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


@lru_cache(maxsize=256)
def fewest_blocks(alpha: float, k: int) -> float:
    """Return the least number of blocks with which ranks stay within alpha N, up to a billionth part above it."""
    blocks = 40 * k / alpha**2
    for _ in range(100):  # from above: the right side grows more slowly
        blocks = k * (1.5 + log2(1 + 2 * blocks / k) / 2) / alpha
    return blocks * (1 + 1e-9)


@dataclass(frozen=True)
class RankDeterministic(RankTracker):
    """Every s items a site ends a block, and sends the summary of the node that this has been merged into.

    The summary starts with the middle one of the first s items, so that a rank within a node is off by at most s / 2.
    The nodes of n items at a site err by at most s / 2 times log2(1 + 2 n / s) + 1, and s - 1 items are in no block. By
    the concavity of the logarithm all sites err by at most k s (1.5 + log2(1 + 2 N / (k s)) / 2) <= alpha N.

    Source
    ------
    Yi, Zhang 2009 (arXiv 0812.0209), the words of section 4: k / alpha log^2(1 / alpha) per e-fold of the items.
    Their tree is one of intervals, which the server rebuilds; here each site has a tree over time, as in Huang, Yi,
    Zhang 2012 (arXiv 1108.3413), section 4, without coins. Sites keep their items.
    """

    kind: ClassVar[str] = "rank-deterministic"
    guarantee: ClassVar[Guarantee] = "always"
    reveals: ClassVar[str] = "everything: a change shows that a site has ended a block"

    def blocks(self, k: int) -> float:
        return fewest_blocks(self.alpha, k)

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return _BlockSite(self, k, feed)

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        return RankServer(self, k)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> RankForm:
        return RankForm(self, k, self.server(k, server_rng), report_blocks)


class _BlockSite(RankSite):
    __slots__ = ()

    def extend(self) -> Sequence[Message]:
        if len(self.block) < self.scale:
            return ()
        summary = self.close(middle_of(self.scale))
        return (Message("summary", summary, len(summary)),)


SLACK: Final = 0.01
"""The part of alpha by which ranks differ from one item of the union bound to the next, and from one checkpoint."""


@lru_cache(maxsize=256)
def fewest_random_blocks(alpha: float, delta: float, strength: float | None, k: int) -> float:
    """Return the least number of blocks with which ranks stay within alpha N, up to a billionth part above it.

    Hoeffding's inequality: the error is a sum of independent variables, each with two values that differ by the step of
    its summary, and exceeds x with probability at most 2 exp(-2 x^2 / V), V being the sum of the squares of the steps.
    """
    step = SLACK * alpha
    ends, checkpoints = 2 * (1 / step + 2), 1 / step + 2 * log(LONGEST) / log1p(step)
    blocks = 1e6 * k / alpha**2
    for _ in range(100):  # from above: the right side grows more slowly
        moments = 2 * (checkpoints + 8 * (blocks + k) * log(LONGEST))
        needed = log(2 * ends * moments / delta) if strength is None else strength
        squares = k * (4 / 3 + log2(1 + 2 * blocks / k))
        blocks = sqrt(squares * needed / 2) / ((1 - 3 * SLACK) * alpha)
    return max(1.0, blocks * (1 + 1e-9))


@dataclass(frozen=True)
class RankRandomized(RankTracker):
    """One item of each block of s, each equally likely, is sent as it comes, and counts as s.

    That is an unbiased estimate of ranks in the block, complete or not. When blocks are merged, the summary of their
    node begins with one of its first s items, each equally likely: unbiased too, and its error has two values that
    differ by s. A site has nodes as for `rank-deterministic`.

    Parameters
    ----------
    delta
        Probability that any rank ever has a larger error, in (0, 1), on a stream that does not react.
    strength
        The exponent of Hoeffding's inequality instead; nothing is then guaranteed about delta.

    Source
    ------
    Huang, Yi, Zhang 2012 (arXiv 1108.3413), section 4.
    Summaries are exact ones with a random start, and one item of a block stands for it from the start. Sites keep their
    items, and nodes have no largest size.
    """

    delta: Share = 0.05
    strength: Positive | None = None

    kind: ClassVar[str] = "rank-randomized"
    guarantee: ClassVar[Guarantee] = "oblivious"
    reveals: ClassVar[str] = "a change shows that the item of a block has just been sent: the rest adds nothing"

    def blocks(self, k: int) -> float:
        return fewest_random_blocks(self.alpha, self.delta, self.strength, k)

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return _RandomSite(self, k, feed, coins)

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        return _RandomServer(self, k)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> RankForm | None:
        if not words_make_numbers():
            return None
        return RankForm(self, k, self.server(k, server_rng), report_chosen, site_rng)


class _RandomSite(RankSite):
    __slots__ = ("_coins", "place", "step")

    def __init__(self, tracker: RankTracker, k: int, feed: Feed, coins: Coins) -> None:
        super().__init__(tracker, k, feed)
        self._coins = coins
        self.step = self.place = 1
        """The size of the present block, and the place of the item that stands for it."""

    def extend(self) -> Sequence[Message]:
        size, sent = len(self.block), list[Message]()
        if size == 1:
            self.step, self.place = self.scale, self._coins.up_to(self.scale)
        if size == self.place:  # the server knows the step unless the scale has changed since the block began
            sent.append(Message("item", [self.step, self.block[-1]], 1 + (self.step != self.scale)))
        if size == self.step:
            nodes = len(self.nodes)
            summary = self.close(self._coins.up_to(self.step))
            if len(self.nodes) <= nodes:
                sent.append(Message("summary", summary, len(summary)))
        return sent


class _RandomServer(RankServer):
    __slots__ = ()

    def learn(self, sender: int, report: Any) -> int:
        nodes = self.nodes[sender]
        if isinstance(report, list):
            step, item = report
            nodes.append((step, step, (item,)))
            self.add(item, step)
        elif self.scale == 1:
            self.add_each(report, 1)
        elif nodes:  # the block has ended, and its item with it; without any, the item was lost on its way
            _, step, items = nodes.pop()
            self.add_each(items, -step)
            self.merge(sender, step, report)
        return 1
