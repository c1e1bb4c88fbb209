"""Frequencies by sketch switching: copies of the randomised tracker, each shown once, to all items together.

As arrays the copies have numbers of their own from the first coin on: of a cell its last columns, of an item its last
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, log1p, sqrt
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.rules import gap_of, gap_scale, redrawn
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import Guarantee, Message
from disttrack.protocols.coins import Coins, StraightCoins, gaps_of
from disttrack.protocols.contents import kernel as contents
from disttrack.protocols.contents.base import Feed, ItemServer, ItemSite, ItemTracker, Name
from disttrack.protocols.contents.frequencies import FrequencyRandomized
from disttrack.protocols.contents.kernel import ItemForm, add, cell_of, estimated, key_of, list_cell
from disttrack.protocols.kernel import Compiled, next_coin
from disttrack.protocols.sampling.copies import Largest
from disttrack.protocols.sampling.randomized import LARGEST_COUNT

ITEMS, COUNTS, COUNT_WORDS, NUMBER, FIRST, ACTIVE, LISTED, SUMS = range(contents.OWN_ITEM, contents.OWN_ITEM + 8)
"""Messages of two kinds and the words of the second beyond one each; the number of copies, the first one of the sites
and the one in use; the items that have been reported, and the first of their rows for the copies."""
FAR = slot.OWN_REAL + 2
"""The part of the total by which the copy in use is off when it is shown."""
DUES = slot.OWN + 3
"""First place of the counts at which a site reports, one for each copy."""
OF_COPIES = contents.LAST + 1
"""First place of the counts of a cell that were reported last, one for each copy."""


def report_switching(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site of `FrequencySwitching` report an item, and the server hear it; return the reports that it shows."""
    cell, scale = cell_of(whole, cells, key_of(sites, site, item)), whole[contents.SCALE]
    cells[cell, contents.COPIES] += 1
    if scale == 1:
        note_cell(whole, items, cells, cell, item)
        add(whole, items, item, 1)
        whole[ITEMS] += 1
        return 1
    count, held = sites[site, slot.COUNT], cells[cell, contents.COPIES]
    if count < sites[site, contents.DUE]:
        return 0
    note_cell(whole, items, cells, cell, item)
    least = count + 2**60
    for copy in range(whole[FIRST], whole[NUMBER]):
        if sites[site, DUES + copy] == count:
            last = cells[cell, OF_COPIES + copy]
            cells[cell, OF_COPIES + copy] = held
            items[whole[SUMS] + copy, item] += estimated(held, scale) - estimated(last, scale)
            sites[site, DUES + copy] = count + gap_of(next_coin(whole, real), real[contents.GAP])
            whole[COUNT_WORDS] += 1
        least = min(least, sites[site, DUES + copy])
    sites[site, contents.DUE] = least
    whole[COUNTS] += 1
    whole[slot.MESSAGES] += 1
    sites[site, slot.SENT] += 1
    active = items[whole[SUMS] + whole[ACTIVE], item]
    if is_far(active, items[contents.ESTIMATE, item], real[FAR], whole[contents.TOTAL]):
        show_all(whole, items)
    return 0  # no estimate of this item alone


def note_cell(whole: Any, items: Any, cells: Any, cell: Any, item: Any) -> Any:
    """Note the order in which cells and items are reported first."""
    if not cells[cell, contents.LAST]:
        cells[cell, contents.LAST] = 1
        list_cell(whole, cells, cell)
    if not items[contents.MARK, item]:
        items[contents.MARK, item] = 1
        items[contents.ORDER, whole[LISTED]] = item
        whole[LISTED] += 1


def is_far(sums: Any, estimate: Any, part: Any, total: Any) -> Any:
    """Return whether an estimate of the copy in use is so far off the one that is shown that all are shown."""
    return abs(sums - estimate) > part * total


def show_all(whole: Any, items: Any) -> Any:
    """Show the copy in use, and take the next one."""
    row, listed = whole[SUMS] + whole[ACTIVE], whole[LISTED]
    for place in range(listed):
        item = items[contents.ORDER, place]
        items[contents.LACK, item] -= items[row, item] - items[contents.ESTIMATE, item]
        items[contents.ESTIMATE, item], items[contents.HAS, item] = items[row, item], 1
        items[contents.MOVES, place] = item
    whole[contents.MOVED] = whole[contents.ADDED] = listed
    whole[ACTIVE] = min(whole[ACTIVE] + 1, whole[NUMBER] - 1)


class SwitchingItemsForm(ItemForm):
    """All sites and the server; see `ItemForm`.

    Parameters
    ----------
    coins, server_rng
        The coins of the sites, and the generator of the server.
    """

    further = MappingProxyType({"count": COUNT_WORDS})

    def __init__(
        self, tracker: Any, k: int, server: Any, coins: StraightCoins, server_rng: np.random.Generator
    ) -> None:
        super().__init__(tracker, k, server, report_switching)
        copies = server.copies
        self.coins, self._server_rng, self._rows = coins, server_rng, 0  # type: ignore[assignment]
        kinds = {"item": ITEMS, "count": COUNTS, "total": contents.TOTALS}
        self.messages = tuple((Message(kind, 0), place) for kind, place in kinds.items())
        self.make_numbers(SUMS + 1)
        self.whole[NUMBER] = copies
        self.real = np.append(self.real, np.zeros(k * copies + StraightCoins.LARGEST))
        self.real[FAR] = tracker.far
        self.sites = np.pad(self.sites, ((0, 0), (0, copies)))
        self.cells = np.zeros((1, OF_COPIES), dtype=np.int64)
        self._by_site = True

    def make_room(self, known: int, steps: int, rows: int, compiled: Compiled) -> None:
        self._rows = rows
        if self.server.rounds:
            rows += int(self.whole[NUMBER])
        super().make_room(known, steps, rows, compiled)

    def serve(self, ledger: object, compiled: Compiled) -> None:
        self.server.then = lambda before: self._redraw(before, compiled)
        super().serve(ledger, compiled)

    def _redraw(self, before: int, compiled: Compiled) -> int:
        """Let the server redraw all counts with the present scale, and look at them; return the copy in use then."""
        whole, copies, scale = self.whole, int(self.whole[NUMBER]), self.server.scale
        if before == 1:
            self.cells = np.insert(self.cells, [OF_COPIES] * copies, self.cells[:, contents.COPIES, None], axis=1)
            self.items, whole[SUMS] = np.pad(self.items, ((0, copies), (0, 0))), self._rows
        cells, sums = self.cells, self.items[whole[SUMS] : whole[SUMS] + copies]
        sums[:] = 0
        reported = cells[contents.listed_at(whole, 0) :, contents.COPIES]
        for cell in reported[: whole[contents.LASTS]].tolist():
            coins, last = self._server_rng.standard_exponential((2, copies)), cells[cell, OF_COPIES:][:copies]
            kept = gaps_of(coins[0], gap_scale(before / scale)) == 1
            last[:] = np.where(kept, last, np.maximum(0, last - gaps_of(coins[1], gap_scale(1 / scale))))
            item = (contents.key_at(cells, cell, whole[contents.SPREADS]) - 1) // self.k
            sums[:, item] += np.where(last, last + scale - 1, 0)
        listed = self.items[contents.ORDER, : whole[LISTED]]
        active, total = sums[whole[ACTIVE], listed], self.server.total
        if is_far(active, self.items[contents.ESTIMATE, listed], float(self.real[FAR]), total).any():
            compiled(show_all)(whole, self.items)
        return int(whole[ACTIVE])

    def toss(self) -> None:
        whole, sites, first = self.whole, self.sites, self.server.active
        whole[FIRST], whole[slot.TOSSES] = first, whole[NUMBER]
        self.real[contents.GAP] = gap_scale(1 / self.server.scale)
        coins = self.take_coins(self.k * (int(whole[NUMBER]) - first)).reshape(self.k, -1)
        dues = sites[:, DUES + first : DUES + whole[NUMBER]]
        dues[:] = sites[:, slot.COUNT, None] + gaps_of(coins, float(self.real[contents.GAP]))
        sites[:, contents.DUE] = dues.min(axis=1)


PART: Final = 6
"""The copies' accuracy is alpha over this: the words go like 1 / (x (1 - 3 x)) for an accuracy of x alpha."""
MOST_CELLS: Final = 2**24
"""Copies of all sites up to which there is a compiled form, which keeps them in one table."""
GROWTH: Final = 0.05
"""Growth of a site's total from one report to the next."""


@dataclass(frozen=True)
class FrequencySwitching(ItemTracker):
    """The estimates are those of one copy at one step, until the copy in use is off them by 5/6 alpha T for some item.

    Then they become those of that copy, which is never used again, and the next copy takes over. T is the total that
    the sites have reported, T <= N <= 1.05 T. Every copy is a `frequency-randomized` of accuracy alpha / 6, and right
    throughout its turn with probability 1 - delta / copies: until its turn ends, the stream does not depend on it.

    A change at N items takes 5/6 alpha T - 2 alpha N / 6 >= 0.46 alpha N copies of one item since the last change. So N
    has grown by 1 / (1 - 0.46 alpha), whichever item it is. While a copy's coin has a bias above 1 / (2 copies), sites
    report every item instead, for less words, and the estimates are exact. A message is one word for the item and one
    for each copy, its number and the count, as in `sketch-switching`.

    Parameters
    ----------
    delta
        Probability that any estimate ever has a larger error, in (0, 1).
    domain
        Number of different items at most.
    largest
        Planned number of items, which fixes the number of copies. With more items the last copy stays in use, and
        nothing is guaranteed any more.
    strength
        The c of the copies instead; nothing is then guaranteed about delta.

    Source
    ------
    Ben-Eliezer, Jayaram, Woodruff, Yogev 2020 (arXiv 2003.14265), the technique for one number; constants derived.
    """

    delta: Share = 0.05
    domain: Whole = 1000
    largest: Largest = LARGEST_COUNT
    strength: Positive | None = None

    kind: ClassVar[str] = "frequency-switching"
    guarantee: ClassVar[Guarantee] = "adaptive"
    reveals: ClassVar[str] = "each change concerns a copy that is never used again"

    def copies(self, k: int) -> int:
        """Return the number of copies."""
        return _copies(self, k)[0]

    @property
    def far(self) -> float:
        """The part of the total by which the copy in use must be off to be shown."""
        return (1 - 1 / PART) * self.alpha

    def scale(self, known: int, k: int) -> int:
        copies, copy = _copies(self, k)
        scale = copy.scale(known, k)
        return scale if scale >= 2 * copies else 1

    def growth(self, k: int) -> float:
        return GROWTH

    def item_words(self, scale: float, k: int) -> float:
        return 1.0 if scale <= 1 else 2 * self.copies(k) / scale

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return _Site(self, k, feed, coins)

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        return _Server(self, k, coins)

    def item_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator
    ) -> SwitchingItemsForm | None:
        if k * self.copies(k) > MOST_CELLS:
            return None
        server = _Announcer(self, k, Coins(server_rng))
        return SwitchingItemsForm(self, k, server, StraightCoins(site_rng), server_rng)


@lru_cache(maxsize=256)
def _copies(tracker: FrequencySwitching, k: int) -> tuple[int, FrequencyRandomized]:
    """Return the least number of copies that suffices from the first coin up to the planned number of items, and one.

    With more copies the first coin is tossed later, so that there are fewer changes.
    """
    accuracy = tracker.alpha / PART
    step = -log1p(2 * accuracy - (tracker.alpha - accuracy) / (1 + GROWTH))
    copies = 0
    while True:
        copies += 1
        copy = FrequencyRandomized(accuracy, tracker.delta / copies, tracker.domain, tracker.strength)
        begin = 2 * copies * copy.needed(k) * sqrt(k) / accuracy
        if copies > log(max(1.0, tracker.largest / begin)) / step:
            return copies, copy


class _Site(ItemSite):
    __slots__ = ("_coins", "_due", "_first", "_next")

    tracker: FrequencySwitching

    def __init__(self, tracker: FrequencySwitching, k: int, feed: Feed, coins: Coins) -> None:
        super().__init__(tracker, k, feed)
        self._coins, self._first, self._next = coins, 0, 1
        self._due: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        """The counts at which the coins of the copies from the first one in use succeed."""

    def due(self) -> int:
        return self._next

    def report(self, item: Name) -> Sequence[Message]:
        if self.count < self._next:
            return ()
        if self.scale == 1:
            self._next = self.count + 1
            return (Message("item", item),)
        which = np.flatnonzero(self._due == self.count)
        self._toss(which)
        return (Message("count", (item, self.held(item), self._first + which), 1 + len(which)),)

    def rescale(self, scale: Any) -> None:
        self.scale, self._first = scale
        self._due = np.empty(self.tracker.copies(self.k) - self._first, dtype=np.int64)
        self._toss(np.arange(len(self._due)))

    def _toss(self, which: NDArray[np.intp]) -> None:
        self._due[which] = self.count + self._coins.gap(gap_scale(1 / self.scale), len(which))
        self._next = int(self._due.min())


class _Server(ItemServer):
    __slots__ = ("_coins", "active", "copies", "last", "sums")

    tracker: FrequencySwitching

    def __init__(self, tracker: FrequencySwitching, k: int, coins: Coins) -> None:
        super().__init__(tracker, k)
        self._coins, self.copies, self.active = coins, tracker.copies(k), 0
        self.last: dict[tuple[int, Name], Any] = {}
        """The count of an item at a site that each copy has last sent; one number for all while every item is sent."""
        self.sums: dict[Name, NDArray[np.int64]] = {}
        """The estimate of an item by each copy."""

    def learn(self, sender: int, report: Any) -> int:
        if self.scale == 1:
            self.last[sender, report] = self.last.get((sender, report), 0) + 1
            self.add(report, 1)
            return 1
        item, held, which = report
        last = self.last.setdefault((sender, item), np.zeros(self.copies, dtype=np.int64))
        sums = self.sums.setdefault(item, np.zeros(self.copies, dtype=np.int64))
        sums[which] += np.where(last[which], held - last[which], held + self.scale - 1)
        last[which] = held
        self.look([item])
        return 1

    def announcement(self) -> Message:
        return Message("scale", (self.scale, self.active), 2)

    def rescale(self, scale: int) -> None:
        before = self.scale
        super().rescale(scale)
        self.sums = {item: np.zeros(self.copies, dtype=np.int64) for item in self.estimates | self.sums}
        for (site, item), held in self.last.items():
            last = redrawn(np.full(self.copies, held) if before == 1 else held, before, scale, self._coins)
            self.last[site, item] = last
            self.sums[item] += np.where(last, last + scale - 1, 0)
        self.look(list(self.sums))

    def look(self, items: Iterable[Name]) -> None:
        """Show the copy in use, and take the next one, if one of these estimates has moved far enough."""
        active, shown, far = self.active, self.estimates, self.tracker.far
        if not any(is_far(int(self.sums[item][active]), shown.get(item, 0), far, self.total) for item in items):
            return
        self.estimates.update((item, int(sums[self.active])) for item, sums in self.sums.items())
        self.moved.extend(self.sums)
        self.active = min(self.active + 1, self.copies - 1)


class _Announcer(_Server):
    """The server of the compiled form: its copies are in arrays, and `then` brings them to a new scale."""

    __slots__ = ("then",)

    then: Callable[[int], int]

    def rescale(self, scale: int) -> None:
        before, self.scale = self.scale, scale
        self.active = self.then(before)
