"""Ranks by random summaries: a site sends one item of each block at random, and summaries that start at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, log1p, log2, sqrt
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Positive, Share
from disttrack.protocols.base import Guarantee, Message
from disttrack.protocols.coins import Coins, words_make_numbers
from disttrack.protocols.contents.base import LONGEST, Feed, ItemServer, ItemSite
from disttrack.protocols.contents.ranks import RankServer, RankSite, RankTracker
from disttrack.protocols.contents.ranks_kernel import RankForm, report_chosen

SLACK: Final = 0.01
"""The part of alpha by which ranks differ from one item of the union bound to the next, and from one checkpoint."""


@lru_cache(maxsize=256)
def blocks_for(alpha: float, delta: float, strength: float | None, k: int) -> float:
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
        return blocks_for(self.alpha, self.delta, self.strength, k)

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return _Site(self, k, feed, coins)

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        return _Server(self, k)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> RankForm | None:
        if not words_make_numbers():
            return None
        return RankForm(self, k, self.server(k, server_rng), report_chosen, site_rng)


class _Site(RankSite):
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


class _Server(RankServer):
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
