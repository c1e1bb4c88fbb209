"""Frequencies by coins and counts: a site sends an item's exact count with each coin that succeeds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log, log1p, sqrt
from typing import ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.roots import root
from disttrack.mechanisms.rules import redrawn
from disttrack.protocols.base import Guarantee, Message
from disttrack.protocols.coins import Coins, OrderedCoins
from disttrack.protocols.contents.base import LONGEST, Feed, ItemServer, ItemSite, ItemTracker, Name
from disttrack.protocols.contents.frequency_sample import CoinSite
from disttrack.protocols.contents.kernel import ItemForm, estimated, report_count

SLACK: Final = 0.1
"""The part of alpha by which the items grow from one checkpoint of the union bound to the next."""


@lru_cache(maxsize=256)
def strength_for(failure: float, k: int) -> float:
    """Return the least c with which k sites err by c sqrt(k) / p with probability at most `failure`.

    The error of a site, times p, is at worst an exponential variable less its mean, and at most 1 the other way.
    Chernoff's bound on the sum of k of them: exp(-k (x - ln(1 + x))) for c = x sqrt(k).
    """
    needed = log(1 / failure) / k
    return sqrt(k) * root(lambda x: x - log1p(x) - needed, 0.0, 2 * needed + 4)


@dataclass(frozen=True)
class FrequencyRandomized(ItemTracker):
    """With probability p = c sqrt(k) / (alpha N) an item makes its site send the item's count there.

    A site's last report on an item plus 1/p - 1, and 0 without a report, is an unbiased estimate of its copies at the
    site, with a variance of at most 1/p^2. When p falls, the server thins the reports by coins of its own, which leaves
    them as if p had been small from the start.

    Parameters
    ----------
    delta
        Probability that any estimate ever has a larger error, in (0, 1), on a stream that does not react.
    domain
        Number of different items at most.
    strength
        c itself instead; nothing is then guaranteed about delta.

    Source
    ------
    Huang, Yi, Zhang 2012 (arXiv 1108.3413), sections 2 and 3.
    Sites count every item, and the server thins: they bound the sites' memory, at the price of a second coin.
    """

    delta: Share = 0.05
    domain: Whole = 1000
    strength: Positive | None = None

    kind: ClassVar[str] = "frequency-randomized"
    guarantee: ClassVar[Guarantee] = "oblivious"
    weighs: ClassVar[bool] = True
    report_words: ClassVar[int] = 2
    reveals: ClassVar[str] = "a change shows that the site's count of the item was just sent"

    def needed(self, k: int) -> float:
        """Return c, with which errors stay below alpha N.

        Between two checkpoints, and two changes of p, estimates and counts only grow, so that an error exceeds those at
        the ends by the growth of the items at most.
        """
        if self.strength is not None:
            return self.strength
        step = SLACK * self.alpha
        checkpoints = ceil(log(LONGEST) / log1p(step)) + 2 * LONGEST.bit_length()
        return strength_for(self.delta / (2 * self.domain * checkpoints), k) / (1 - 2 * SLACK)

    def scale(self, known: int, k: int) -> int:
        inverse = int(self.alpha * known / (self.needed(k) * sqrt(k)))
        return 1 << max(0, inverse.bit_length() - 1)

    def growth(self, k: int) -> float:
        return 0.5

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return _Site(self, k, feed, coins)

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        return _Server(self, k, coins)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> ItemForm:
        server = self.server(k, server_rng)
        return ItemForm(self, k, server, report_count, OrderedCoins(site_rng), OrderedCoins(server_rng))


class _Site(CoinSite):
    __slots__ = ()

    def reported(self, item: Name, further: int) -> Message:
        # the count at the last coin that succeeds: copies after it are not known to the server
        last = min(further, int(self._coins.rng.geometric(1 / self.scale)) - 1) if further else 0
        return Message("count", (item, self.held(item) - last), 2)

    silence, due = CoinSite.silence, CoinSite.due


class _Server(ItemServer):
    __slots__ = ("_coins", "last")

    def __init__(self, tracker: ItemTracker, k: int, coins: Coins) -> None:
        super().__init__(tracker, k)
        self._coins = coins
        self.last: dict[tuple[int, Name], int] = {}
        """The last count of an item reported by a site."""

    def learn(self, sender: int, report: tuple[Name, int]) -> int:
        item, count = report
        added: int = estimated(count, self.scale) - estimated(self.last.get((sender, item), 0), self.scale)
        self.last[sender, item] = count
        self.add(item, added)
        return added

    def rescale(self, scale: int) -> None:
        before = self.scale
        super().rescale(scale)
        for (site, item), count in list(self.last.items()):
            anew = redrawn(count, before, scale, self._coins)
            self.add(item, estimated(anew, scale) - estimated(count, before))
            if anew:
                self.last[site, item] = anew
            else:
                del self.last[site, item]
