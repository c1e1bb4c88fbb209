"""A uniform sample over all sites: s of the items, without replacement, at every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappushpop
from math import ceil, inf, log
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Whole
from disttrack.protocols.base import EVERYONE, Guarantee, Message
from disttrack.protocols.coins import Coins, OrderedCoins
from disttrack.protocols.contents.base import Feed, ItemServer, ItemSite, ItemTracker, Name
from disttrack.protocols.contents.frequencies import CoinSite
from disttrack.protocols.contents.kernel import (
    DUE_TOTAL,
    OWN_ITEM,
    REPORTS,
    SCALE,
    ItemForm,
    add,
    lacks_coins,
    move_item,
    tossed,
)
from disttrack.protocols.kernel import STEP

KEYS_AT, KEY, NUMBER, RATIO = range(OWN_ITEM, OWN_ITEM + 4)
"""Where the random numbers of keys begin among the real ones, the next one, the reports by now, and the factor of the
scale."""
BATCH: Final = 1024
"""Random numbers that are drawn together, after those of which the largest keys are kept in the heap."""


def is_full(largest: Any, scale: Any, ratio: Any) -> Any:
    """Return whether the largest key of the sample is so small that the scale grows by this ratio."""
    return largest * scale * ratio <= 1


def report_sampled(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site report an item, and the server give it a key; return the reports.

    `cells` has the number of the report and the item, or -1, of each place of the heap, whose negated keys are the real
    numbers before those of the keys to come.
    """
    if not tossed(whole, real, sites, site):
        return 0
    size, at = len(cells), whole[KEYS_AT]
    heap, scale = real[at - size : at], whole[SCALE]
    key, gone = -(real[at + whole[KEY]] / scale), item
    whole[KEY] += 1
    whole[NUMBER] += 1
    if is_less(heap[0], cells[0, 0], key, whole[NUMBER]):
        gone = cells[0, 1]
        replace(heap, cells, key, whole[NUMBER], item)
    add(whole, items, item, 1)
    if gone >= 0:
        move_item(whole, items, gone, -1, whole[STEP])
    if is_full(-heap[0], scale, whole[RATIO]):
        whole[DUE_TOTAL] = 0
    return 1


def replace(heap: Any, cells: Any, key: Any, number: Any, item: Any) -> Any:
    """Put an entry into the heap in place of the least one; of equal keys, the earlier report is less."""
    place, size = 0, len(heap)
    while True:
        child = 2 * place + 1
        if child + 1 < size and is_less(heap[child + 1], cells[child + 1, 0], heap[child], cells[child, 0]):
            child += 1
        if child >= size or not is_less(heap[child], cells[child, 0], key, number):
            heap[place], cells[place, 0], cells[place, 1] = key, number, item
            return
        heap[place], cells[place, 0], cells[place, 1] = heap[child], cells[child, 0], cells[child, 1]
        place = child


def is_less(key: Any, number: Any, other: Any, other_number: Any) -> Any:
    """Return whether one entry of the heap is less than another one."""
    return key < other or (key == other and number < other_number)


def lacks_keys(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Return whether coins or keys must be drawn before a turn, as `lacks_coins`."""
    return lacks_coins(whole, real, sites, site) or whole[KEY] == BATCH


class SampleForm(ItemForm):
    """All sites and the server; see `ItemForm`.

    Parameters
    ----------
    keys
        The generator of the server.
    """

    lacks = staticmethod(lacks_keys)
    totals = False

    def __init__(self, tracker: Any, k: int, server: Any, coins: OrderedCoins, keys: np.random.Generator) -> None:
        super().__init__(tracker, k, server, report_sampled, coins)
        self.messages = ((Message("item", 0), REPORTS),)
        self._keys = keys
        self.make_numbers(RATIO + 1)
        self.real = np.concatenate((self.real, np.full(tracker.size, -np.inf), np.zeros(BATCH)))
        self.whole[KEYS_AT], self.whole[KEY], self.whole[RATIO] = len(self.real) - BATCH, BATCH, server.ratio
        self.cells = np.zeros((tracker.size, 2), dtype=np.int64)
        self.cells[:, 1] = -1

    def refill(self, wanted: int = 0) -> None:
        super().refill(wanted)
        if self.whole[KEY] == BATCH:
            self.whole[KEY], self.real[-BATCH:] = 0, self._keys.random(BATCH)


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
