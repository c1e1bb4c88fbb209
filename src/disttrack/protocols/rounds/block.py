"""Trackers in blocks: thresholds that all sites share, or random ones; without privacy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from disttrack.mechanisms.checks import Positive, Share
from disttrack.mechanisms.rules import BlockSizes
from disttrack.protocols.base import Guarantee, bound_by_doublings, ratio
from disttrack.protocols.coins import Coins
from disttrack.protocols.rounds.base import DoublingServer, RoundProtocol
from disttrack.protocols.rounds.sites import BlockRule, RoundServer, RuleOf, SignalRule


class Blocks(BlockRule):
    """A site signals once in each block of `size` items, at a place drawn uniformly.

    The place is one of 1 … size, so a finished block has sent exactly one signal, and a block at its e-th item has
    sent it with probability e / size.

    Parameters
    ----------
    size
        Items in a block.
    blocks
        Blocks that a site may use in a round; the item after the last of them makes it send END.

    Source
    ------
    Xiong, Zhu, Huang 2023, Algorithm 1, with the offsets counted from 1.
    """

    def __init__(self, size: int, coins: Coins, blocks: int | None = None) -> None:
        super().__init__(size, blocks)
        self.offset = partial(coins.up_to, size)


@dataclass(frozen=True)
class Block(RoundProtocol):
    """Blocks of D = floor(alpha M / (c sqrt k)) items with a random threshold in each: M + D * signals is unbiased.

    The standard deviation is at most alpha M / (2c). A round ends when the output reaches 2 M.

    Parameters
    ----------
    alpha
        Relative error aimed at, in (0, 1).
    confidence
        The c above: accuracy in standard deviations is 2c.

    Source
    ------
    Xiong, Zhu, Huang 2023, overview; constants derived.
    """

    alpha: Share
    confidence: Positive = 3.0

    kind: ClassVar[str] = "block"
    mark: ClassVar = ("#CC79A7", "v")
    faults: ClassVar = {"fixed-thresholds": "disttrack.protocols.faults:FixedThresholds"}
    guarantee: ClassVar[Guarantee] = "oblivious"
    reveals: ClassVar[str] = "each change shows that the site fed last has passed its threshold"
    kernel_form = RoundProtocol.round_form
    carries: ClassVar = "delays"

    def sizes(self, k: int) -> BlockSizes:
        """Return the block sizes with k sites, over the whole game."""
        return BlockSizes(self.alpha, self.confidence, k)

    def block_size(self, k: int, number: int, total: int) -> int:
        """Return the items in a block of a round by its number and first count; 0 if every item is forwarded."""
        return self.sizes(k).size(total)

    def rule_of(self, k: int, coins: Coins) -> RuleOf:
        def rule(number: int, total: int) -> SignalRule | None:
            size = self.block_size(k, number, total)
            return Blocks(size, coins) if size >= 1 else None

        return rule

    def server_by(self, rule_of: RuleOf, k: int, rng: np.random.Generator, total: int) -> RoundServer:
        return DoublingServer(rule_of, k, total)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return c sqrt k / alpha for the start, then 2c sqrt k / alpha + 3k per doubling (D is rounded down)."""
        sizes = self.sizes(k)
        return bound_by_doublings(items, start, sizes.first, 2 * sizes.early + 3 * k)


class LastOfBlock(BlockRule):
    """A site signals at the last item of each block."""

    drawn = False

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.offset = lambda: size


@dataclass(frozen=True)
class DeterministicRounds(RoundProtocol):
    """Each site signals every q = floor(alpha M / k) items of a round begun with M of them.

    The output M + q * signals lags by less than k q <= alpha M. A round ends when it reaches 2 M: a poll of
    3k messages. Until M >= k / alpha every item is forwarded.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).

    Source
    ------
    variant of Yi, Zhang 2009 with global increments; derived.
    Folklore.
    """

    alpha: Share

    kind: ClassVar[str] = "deterministic-rounds"
    mark: ClassVar = ("#777777", "P")
    guarantee: ClassVar[Guarantee] = "always"
    reveals: ClassVar[str] = "everything: an adversary that keeps count knows the site of each change"
    one_sided: ClassVar[bool] = True
    kernel_form = RoundProtocol.round_form
    carries: ClassVar = "delays"

    def rule_of(self, k: int, coins: Coins) -> RuleOf:
        part, whole = ratio(self.alpha)

        def rule(number: int, total: int) -> SignalRule | None:
            step = part * total // (whole * k)
            return LastOfBlock(step) if step >= 1 else None

        return rule

    def server_by(self, rule_of: RuleOf, k: int, rng: np.random.Generator, total: int) -> RoundServer:
        return DoublingServer(rule_of, k, total)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return k/alpha for the start, then 2k/alpha + 3k per doubling (q is rounded down by up to a half)."""
        part, whole = ratio(self.alpha)
        early = -(-whole * k // part)  # k/alpha rounded up: floating point may miss it by one
        return bound_by_doublings(items, start, early, 2 * k / self.alpha + 3 * k)
