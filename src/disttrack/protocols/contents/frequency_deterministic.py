"""Frequencies, deterministically: a site reports an item after a fixed number of copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from disttrack.protocols.base import Guarantee, Message, ratio
from disttrack.protocols.coins import Coins
from disttrack.protocols.contents.base import Feed, ItemSite, ItemTracker, Name, SumOfItems, on_item
from disttrack.protocols.contents.kernel import ItemForm, report_copies, times_due


@dataclass(frozen=True)
class FrequencyDeterministic(ItemTracker):
    """A site reports an item whenever it holds D copies that it has not reported; the server adds D.

    An item with a weight may bring several times D at once, whose number is then a second word. D - 1 <= alpha N / k,
    so that an estimate never exceeds the truth, and lacks at most k (D - 1) <= alpha N copies.

    Source
    ------
    Yi, Zhang 2009 (arXiv 0812.0209), section 2.
    The server learns the number of items by reports of totals, instead of signals of equal size and polls.
    """

    kind: ClassVar[str] = "frequency-deterministic"
    guarantee: ClassVar[Guarantee] = "always"
    reveals: ClassVar[str] = "everything: an adversary that keeps count knows the site of each change"
    weighs: ClassVar[bool] = True
    per_item: ClassVar[bool] = True

    def scale(self, known: int, k: int) -> int:
        part, whole = ratio(self.alpha)
        return 1 + part * known // (whole * k)

    def growth(self, k: int) -> float:
        # reports cost (1 + growth) k / alpha per e-fold of the items, totals and announcements 2 k / growth
        return min(1.0, sqrt(2 * self.alpha))

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return _Site(self, k, feed)

    def server_by(self, k: int, coins: Coins) -> SumOfItems:
        return SumOfItems(self, k)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> ItemForm:
        return ItemForm(self, k, self.server(k, server_rng), report_copies)


class _Site(ItemSite):
    __slots__ = ("reported",)

    def __init__(self, tracker: ItemTracker, k: int, feed: Feed) -> None:
        super().__init__(tracker, k, feed)
        self.reported: dict[Name, int] = {}

    def due_of(self, item: Name) -> int:
        return self.reported.get(item, 0) + self.scale

    def report(self, item: Name) -> Sequence[Message]:
        times = times_due(self.held(item) - self.reported.get(item, 0), self.scale)
        if not times:
            return ()
        self.reported[item] = self.reported.get(item, 0) + times * self.scale
        return (on_item(item, times),)
