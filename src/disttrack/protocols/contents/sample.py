"""A uniform sample over all sites: s of the items, without replacement, at every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappushpop
from math import ceil, inf, log
from typing import Any, ClassVar

import numpy as np

from disttrack.mechanisms.checks import Whole
from disttrack.protocols.base import EVERYONE, Guarantee, Message
from disttrack.protocols.coins import Coins, OrderedCoins
from disttrack.protocols.contents.base import Feed, ItemServer, ItemSite, ItemTracker, Name
from disttrack.protocols.contents.frequency_sample import CoinSite
from disttrack.protocols.contents.sample_kernel import SampleForm, is_full


@dataclass(frozen=True)
class ItemSample(ItemTracker):
    """Every item has a uniform key, and the sample is the s items with the smallest ones.

    Sites send the items with a key below a threshold that all know. The server divides it by r whenever the s-th
    smallest key is below that: log(N / s) / log r announcements, with r = max(2, k / s).

    Parameters
    ----------
    alpha
        Largest difference between the share of the sample up to any item and that of the stream, for the verdict.
    size
        The size s of the sample. The guarantee needs a large one: of the order of ln(N) / alpha^2 for a stream that
        does not react, 2 (ln R + ln(2 / delta)) / alpha^2 against an adversary, for items of R values and one N.

    Source
    ------
    Tirthapura, Woodruff 2011 (arXiv 1903.12065).
    The server draws the keys of the items that it is sent, so that they cost one word; also Cormode, Muthukrishnan, Yi,
    Zhang 2012.
    """

    size: Whole = 100

    kind: ClassVar[str] = "item-sample"
    guarantee: ClassVar[Guarantee] = "oblivious"
    plays: ClassVar[tuple[str, ...]] = ("item-sampling",)
    reveals: ClassVar[str] = "the sample, which shows whether the last item came into it"

    def scale(self, known: int, k: int) -> int:
        return 1

    def growth(self, k: int) -> float:
        return max(2.0, k / self.size) - 1

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return _Site(self, k, feed, coins)

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        return _Server(self, k, coins)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> SampleForm:
        return SampleForm(self, k, self.server(k, server_rng), OrderedCoins(site_rng), server_rng)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the words of about r s items for each threshold, and of k for its announcement."""
        ratio = 1 + self.growth(k)
        rounds = 2 + log(max(1.0, items / self.size)) / log(ratio)
        return min(float(items), 2 * ratio * self.size * rounds) + k * rounds


class _Site(CoinSite):
    __slots__ = ()

    def hear(self, message: Message) -> Sequence[Message]:
        self.rescale(message.value)
        return ()

    silence, due = CoinSite.silence, CoinSite.due


class _Server(ItemServer):
    __slots__ = ("_coins", "_keys", "_reports", "ratio")

    def __init__(self, tracker: ItemSample, k: int, coins: Coins) -> None:
        super().__init__(tracker, k)
        self._coins = coins
        self._keys: list[tuple[float, int, Any]] = [(-inf, 0, None)] * tracker.size
        """The largest key first: a heap of negated keys, the numbers of the reports, and the items."""
        self._reports = 0
        self.ratio = ceil(1 + tracker.growth(k))

    def learn(self, sender: int, report: Name) -> int:
        key = float(self._coins.rng.random()) / self.scale
        self._reports += 1
        *_, gone = heappushpop(self._keys, (-key, self._reports, report))
        for item, change in ((report, 1), (gone, -1)):
            if item is not None:
                self.add(item, change)
        return 1

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.learn(sender, message.value)
        return self.announced() if is_full(-self._keys[0][0], self.scale, self.ratio) else ()

    def announced(self) -> Sequence[tuple[int, Message]]:
        self.rounds += 1
        self.rescale(self.scale * self.ratio)
        return ((EVERYONE, self.announcement()),)
