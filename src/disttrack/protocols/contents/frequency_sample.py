"""Frequencies by a Bernoulli sample: memoryless coins, against which no adversary can plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.rules import gap_scale
from disttrack.protocols.base import Guarantee, Message
from disttrack.protocols.coins import Coins, OrderedCoins
from disttrack.protocols.contents.base import (
    LONGEST,
    Feed,
    ItemServer,
    ItemSite,
    ItemTracker,
    Name,
    SumOfItems,
    on_item,
)
from disttrack.protocols.contents.kernel import ItemForm, report_coin

STRETCH: Final = 1.05
"""The factor by which the items grow in a stretch of the union bound; 1.03 to 1.1 give nearly the same strength."""


@dataclass(frozen=True)
class FrequencySample(ItemTracker):
    """Every item is sent with the same probability p while the scale is 1/p, and adds 1/p to its estimate.

    An item of weight w has w coins, and is sent once, with the number of those that succeed. The error of an item is a
    martingale against any adversary, whatever it has seen, as no random state is kept. With p >= L / (alpha^2 N) at N
    items its variance is at most alpha^2 N^2 / (2 L), so that it exceeds alpha N within a stretch from N to G N with
    probability at most 2 exp(-L / (G^2 + 2 alpha G / 3)), by Freedman's inequality; L makes these sum to delta, over
    all items of the domain and all stretches (`docs/contents.md`). The same holds of the items up to any one, so that
    the sums of the estimates are ranks within alpha N, with the same delta.

    Parameters
    ----------
    delta
        Probability that any estimate ever has a larger error, in (0, 1).
    domain
        Number of different items at most.
    strength
        L itself instead; nothing is then guaranteed about delta.

    Source
    ------
    derived; as `martingale`, with a union bound over the items.
    """

    delta: Share = 0.05
    domain: Whole = 1000
    strength: Positive | None = None

    kind: ClassVar[str] = "frequency-sample"
    guarantee: ClassVar[Guarantee] = "adaptive"
    plays: ClassVar[tuple[str, ...]] = ("item-frequency", "item-rank")
    weighs: ClassVar[bool] = True
    reveals: ClassVar[str] = "each change shows that the last item was sampled, which does not help an adversary"

    @property
    def size(self) -> float:
        """The expected size of the sample, were all items sampled with the present p: L / alpha^2."""
        return self.needed() / self.alpha**2

    def needed(self) -> float:
        """Return L, the strength."""
        if self.strength is not None:
            return self.strength
        stretches = ceil(log(LONGEST) / log(STRETCH))
        return log(2 * self.domain * stretches / self.delta) * (STRETCH**2 + 2 * self.alpha * STRETCH / 3)

    def scale(self, known: int, k: int) -> int:
        return max(1, int(known / self.size))

    def growth(self, k: int) -> float:
        # the sample costs (1 + growth) size per e-fold of the items, totals and announcements 2 k / growth
        return min(1.0, max(0.05, sqrt(2 * k / self.size)))

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return CoinSite(self, k, feed, coins)

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        return SumOfItems(self, k)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> ItemForm:
        return ItemForm(self, k, self.server(k, server_rng), report_coin, OrderedCoins(site_rng))


class CoinSite(ItemSite):
    """A site that reports the items whose coin, of bias one over the scale, succeeds; a weight has as many coins."""

    __slots__ = ("_coins", "_due")

    def __init__(self, tracker: ItemTracker, k: int, feed: Feed, coins: Coins) -> None:
        super().__init__(tracker, k, feed)
        self._coins, self._due = coins, 1

    def due(self) -> int:
        return self._due

    def report(self, item: Name) -> Sequence[Message]:
        if self.count < self._due:
            return ()
        further = self.count - self._due
        self._toss()
        return (self.reported(item, further),)

    def reported(self, item: Name, further: int) -> Message:
        """Return the message on an item one of whose coins has succeeded, after which it has `further` ones."""
        return on_item(item, 1 + int(self._coins.rng.binomial(further, 1 / self.scale)) if further else 1)

    def rescale(self, scale: int) -> None:
        super().rescale(scale)
        self._toss()

    def _toss(self) -> None:
        self._due = self.count + (self._coins.gap(gap_scale(1 / self.scale)) if self.scale > 1 else 1)
