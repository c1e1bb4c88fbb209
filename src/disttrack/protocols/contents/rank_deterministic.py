"""Ranks, deterministically: a site sends the summary of a node with every block of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2
from typing import ClassVar

import numpy as np

from disttrack.protocols.base import Guarantee, Message
from disttrack.protocols.coins import Coins
from disttrack.protocols.contents.base import Feed, ItemServer, ItemSite
from disttrack.protocols.contents.ranks import RankServer, RankSite, RankTracker
from disttrack.protocols.contents.ranks_kernel import RankForm, middle_of, report_blocks


@lru_cache(maxsize=256)
def blocks_for(alpha: float, k: int) -> float:
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
        return blocks_for(self.alpha, k)

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return _Site(self, k, feed)

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        return RankServer(self, k)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> RankForm:
        return RankForm(self, k, self.server(k, server_rng), report_blocks)


class _Site(RankSite):
    __slots__ = ()

    def extend(self) -> Sequence[Message]:
        if len(self.block) < self.scale:
            return ()
        summary = self.close(middle_of(self.scale))
        return (Message("summary", summary, len(summary)),)
