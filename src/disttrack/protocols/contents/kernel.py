"""Trackers of items as plain arrays, in the order of events of `ItemSite` and `ItemServer`, for items without weights.

Compiled functions play the steps in which sites send messages that the server only counts; an announcement of the scale
is made by the server itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.rules import gap_of, gap_scale
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import FOREVER, Message
from disttrack.protocols.coins import OrderedCoins, gaps_of
from disttrack.protocols.kernel import OWN, OWN_REAL, OWN_WHOLE, Compiled, KernelForm, next_coin

(
    SCALE, ROUNDS, TOTAL, DUE_TOTAL, REPORTS, TOTALS, ADDED, CELLS, LASTS, MOVED, SPREADS, LAST_PLACE, OWN_ITEM,
) = range(OWN_WHOLE, OWN_WHOLE + 13)  # fmt: skip
"""Of the server: attributes of these names, the total at which it announces the scale, messages of the two kinds, items
that have an estimate, cells in use where keys share places, reports that were the first of a cell, items that an
announcement has moved, whether there are more keys than places for cells, the last of these places; then what the forms
of other trackers say."""
GAP, GROWTH = range(OWN_REAL, OWN_REAL + 2)
"""The mean of the exponential numbers of the present coins, and the growth of totals."""
NEXT_TOTAL, TOTAL_SENT, DUE = range(OWN, OWN + 3)
"""Of a site: the count at which it reports its total, the total that the server knows, the count of its next coin."""
LACK, ESTIMATE, HAS, ORDER, MOVES, MARK, NAME, OWN_ROW = range(8)
"""Rows of the items: copies less the estimate, the estimate, whether there is one, the item that was the n-th to have
one, the n-th item that has moved although another one came, the last announcement or step that moved it, the name where
forms put items in order; then what the problem says."""
COPIES, LAST, KEY = 0, 1, -1
"""Of a cell, an item at a site: the copies there (those that were not reported, where reports have one size), the count
that was reported last, if one is kept, and the two as a number from 1, if keys share places. After all cells come the
places of those that were reported, in the order of the first report."""
SMALL: Final = 2**31 - 1
"""The largest number of 32 bits."""
SPREAD: Final = 0x9E3779B97F4A7C15 - 2**64
"""2^64 over the golden ratio: products with it lie far apart."""


def grown(count: Any, growth: float) -> Any:
    """Return the least count that is more than `count`, and at least 1 + growth times it up to rounding down."""
    return count + floor(count * growth) + 1


def times_due(unreported: Any, scale: Any) -> Any:
    """Return how often a site reports an item of which it holds copies that it has not reported."""
    return unreported // scale


def estimated(last: Any, scale: Any) -> Any:
    """Return the estimate of an item at a site by the count that was reported last; 0 for none."""
    return last + scale - 1 if last else 0


def is_listed(estimate: Any, total: Any, share: Any) -> Any:
    """Return whether `HeavyHitters` lists an item with this estimate."""
    return estimate >= share * total


# ---------------------------------------------------------------------- cells


def key_of(sites: Any, site: Any, item: Any) -> Any:
    """Return the key of an item at a site."""
    return item * len(sites) + site + 1


def first_place_of(whole: Any, key: Any) -> Any:
    """Return the place where a key is looked for first.

    Where each key has a place of its own, that is the key: those of one item are neighbours, and so are items that came
    early, which are the frequent ones: they lie in the processor's cache.
    """
    return ((key * SPREAD) >> 20 if whole[SPREADS] else key) & whole[LAST_PLACE]


def look_ahead(whole: Any, sites: Any, cells: Any, fed: Any, named: Any) -> Any:
    """Read the cells of steps to come, so that the processor fetches them together; return what it reads, added up."""
    read = 0
    for step in range(len(fed)):
        read += cells[first_place_of(whole, key_of(sites, fed[step], named[step])), COPIES]
    return read


def cell_of(whole: Any, cells: Any, key: Any) -> Any:
    """Return the place of a key in the table of cells, which has room for it."""
    place = first_place_of(whole, key)
    while whole[SPREADS] and cells[place, KEY] != key:
        if not cells[place, KEY]:
            cells[place, KEY] = key
            whole[CELLS] += 1
            return place
        place = (place + 1) & whole[LAST_PLACE]
    return place


def key_at(cells: Any, place: Any, spread: Any) -> Any:
    """Return the key of a cell in a table whose keys share places, or in one where they have their own."""
    return int(cells[place, KEY] if spread else place)


def listed_at(whole: Any, number: Any) -> Any:
    """Return where the place of a cell is listed, by the number of cells that were reported before."""
    return whole[LAST_PLACE] + 1 + number


def move_cells(whole: Any, cells: Any, old: Any, last_place: Any, spread: Any) -> Any:
    """Move all cells with copies of a table, of which the last place is this one, into one that is empty.

    `spread` says whether its keys shared places.
    """
    whole[CELLS] = 0
    for row in range(last_place + 1):
        if old[row, COPIES]:
            place = cell_of(whole, cells, key_at(old, row, spread))
            for column in range(old.shape[1] - spread):
                cells[place, column] = old[row, column]
    for number in range(whole[LASTS]):
        key = key_at(old, old[last_place + 1 + number, COPIES], spread)
        cells[listed_at(whole, number), COPIES] = cell_of(whole, cells, key)


# ---------------------------------------------------------------------- reports


def report_copies(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site of `FrequencyDeterministic` report an item, and the server hear it; return the reports."""
    cell, scale = cell_of(whole, cells, key_of(sites, site, item)), whole[SCALE]
    held = cells[cell, COPIES] + 1
    if held < scale:
        cells[cell, COPIES] = held
        return 0
    times = times_due(held, scale)
    cells[cell, COPIES] = held - times * scale
    add(whole, items, item, times * scale)
    return times


def report_coin(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site of `FrequencySample` report an item, and the server hear it; return the reports."""
    if not tossed(whole, real, sites, site):
        return 0
    add(whole, items, item, whole[SCALE])
    return 1


def report_count(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site of `FrequencyRandomized` report an item, and the server hear it; return the reports."""
    cell, scale = cell_of(whole, cells, key_of(sites, site, item)), whole[SCALE]
    cells[cell, COPIES] += 1
    if not tossed(whole, real, sites, site):
        return 0
    held, last = cells[cell, COPIES], cells[cell, LAST]
    if not last:
        list_cell(whole, cells, cell)
    cells[cell, LAST] = held
    add(whole, items, item, estimated(held, scale) - estimated(last, scale))
    return 1


def list_cell(whole: Any, cells: Any, cell: Any) -> Any:
    """Enter a cell in the list of those that were reported."""
    cells[listed_at(whole, whole[LASTS]), COPIES] = cell
    whole[LASTS] += 1


def tossed(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Return whether the coin of a site's last item has succeeded, which then tosses the next ones: as `CoinSite`."""
    count = sites[site, slot.COUNT]
    if count < sites[site, DUE]:
        return False
    sites[site, DUE] = count + (gap_of(next_coin(whole, real), real[GAP]) if whole[SCALE] > 1 else 1)
    return True


def add(whole: Any, items: Any, item: Any, copies: Any) -> Any:
    """Add copies to the estimate of an item."""
    items[ESTIMATE, item] += copies
    items[LACK, item] -= copies
    if copies and not items[HAS, item]:
        items[HAS, item] = 1
        items[ORDER, whole[ADDED]] = item
        whole[ADDED] += 1


def move_item(whole: Any, items: Any, item: Any, copies: Any, when: Any) -> Any:
    """Add copies to the estimate of an item that is not the one that came; `when` is the same for moves at once."""
    add(whole, items, item, copies)
    if items[MARK, item] != when:
        items[MARK, item] = when
        items[MOVES, whole[MOVED]] = item
        whole[MOVED] += 1


def lacks_coins(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Return whether coins must be drawn before a site has its turn."""
    return whole[slot.COIN] + whole[slot.TOSSES] > whole[slot.COINS]


def turn(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Give a site an item, as `ItemSite.receive` and `ItemServer.hear`.

    Returns the number of its reports, that of its messages, and whether the server is to announce the scale.
    """
    items[LACK, item] += 1
    count = sites[site, slot.COUNT] + 1
    sites[site, slot.COUNT] = count
    reports = report(whole, real, sites, items, cells, site, item)
    sent = reports
    if reports and not whole[ROUNDS]:  # every item is reported
        sites[site, TOTAL_SENT] += reports
        whole[TOTAL] += reports
    if count >= sites[site, NEXT_TOTAL]:
        sites[site, NEXT_TOTAL] = grown(count, real[GROWTH])
        whole[TOTAL] += count - sites[site, TOTAL_SENT]
        sites[site, TOTAL_SENT] = count
        whole[TOTALS] += 1
        sent += 1
    if sent:
        whole[REPORTS] += reports
        sites[site, slot.SENT] += sent
    return reports, sent, sent > 0 and whole[TOTAL] >= whole[DUE_TOTAL]


def report(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site report an item. Stands for `ItemForm.report`."""
    raise NotImplementedError


def thin(whole: Any, real: Any, sites: Any, items: Any, cells: Any, coins: Any) -> Any:
    """Let the server of `FrequencyRandomized` thin its reports by coins, as `redrawn`; return the coins tossed.

    Parameters
    ----------
    coins
        The scale before, the means of the exponential numbers of the chance that a report survives, and of the others;
        then coins enough. They are tossed for the cells with a report in the order of the first one.
    """
    scale, before, used, lasts = whole[SCALE], int(coins[0]), 3, 0
    for number in range(whole[LASTS]):
        cell = cells[listed_at(whole, number), COPIES]
        last = cells[cell, LAST]
        anew, used = last, used + 1
        if gap_of(coins[used - 1], coins[1]) != 1:
            anew, used = max(0, last - gap_of(coins[used], coins[2])), used + 1
        cells[cell, LAST], cells[listed_at(whole, lasts), COPIES] = anew, cell
        lasts += anew > 0
        copies = estimated(anew, scale) - estimated(last, before)
        move_item(whole, items, (key_at(cells, cell, whole[SPREADS]) - 1) // len(sites), copies, whole[ROUNDS])
    whole[LASTS] = lasts
    return used - 3


class ItemForm(KernelForm):
    """All sites and the server.

    Parameters
    ----------
    tracker, k
        The rules, and the number of sites.
    server
        The tracker's own, which announces the scale.
    report
        The function that lets a site report an item.
    coins
        The coins of the sites, each of which has one at a time; None if they toss none.
    server_coins
        The coins by which the server thins counts; None if it has none.

    Attributes
    ----------
    items, cells
        A column for each item, and the table of the items at sites, without rows of its own where none are counted.
    lacks
        The function that says whether coins must be drawn before a turn.
    named
        Whether it takes numbers of 64 bits only, which it puts in order.
    totals
        Whether sites report their totals after the first announcement.
    """

    server: Any
    lacks: Callable[..., Any] = staticmethod(lacks_coins)
    named: ClassVar[bool] = False
    totals: ClassVar[bool] = True

    def __init__(
        self,
        tracker: Any,
        k: int,
        server: Any,
        report: Callable[..., Any],
        coins: OrderedCoins | None = None,
        server_coins: OrderedCoins | None = None,
    ) -> None:
        super().__init__(k, coins, k if coins else 0)
        self.tracker, self.server, self.report, self.server_coins = tracker, server, report, server_coins
        kind = Message("count", 0, 2) if server_coins else Message("item", 0)
        self.messages = (kind, REPORTS), (Message("total", 0), TOTALS)
        self.whole[slot.TOSSES] = 1 if coins else 0
        self.whole[SCALE], self.whole[DUE_TOTAL] = server.scale, server.due_total()
        self.real[GROWTH] = tracker.growth(k)
        self.sites[:, NEXT_TOTAL], self.sites[:, DUE] = FOREVER, 1
        self.items = np.zeros((OWN_ROW, 16), dtype=np.int64)
        self.cells = np.zeros((1, LAST + 1 if server_coins else COPIES + 1), dtype=np.int32)
        self._by_site = coins is None or server_coins is not None
        self._left = np.zeros(0)

    def of(self, tracker: Any, server: Any) -> ItemForm:
        """Return the form of a tracker that uses this one's sites, with its server."""
        return ItemForm(tracker, self.k, server, self.report, self.coins, self.server_coins)

    def make_numbers(self, wanted: int) -> None:
        """Make room for this many whole numbers, if there are fewer."""
        self.whole = np.append(self.whole, np.zeros(max(0, wanted - len(self.whole)), dtype=np.int64))

    def begin(self, items: int) -> None:
        """Make room for what grows with the items of the game."""
        self._widen(items)

    def make_room(self, known: int, steps: int, rows: int, compiled: Compiled) -> None:
        """Make room for this number of items, each with `rows` rows, and for the cells of as many further steps."""
        have = self.items.shape[1]
        if known > have or rows > len(self.items):
            wider = np.zeros((rows, max(known, 2 * have)), dtype=np.int64)
            wider[: len(self.items), :have] = self.items
            self.items = wider
        old, keys, spread, last = self.cells, known * self.k, int(self.whole[SPREADS]), int(self.whole[LAST_PLACE])
        if not self._by_site or keys <= last:
            return
        wanted = 2 * (int(self.whole[CELLS] if spread else np.count_nonzero(old[: last + 1, COPIES])) + steps)
        if wanted > last + 1 or not spread:
            size = 1 << max(wanted, last, 15).bit_length()
            spreads, columns = keys >= size, old.shape[1] - spread
            self.whole[[SPREADS, LAST_PLACE]] = spreads, size - 1
            self._widen(max(keys, size))
            old = self.cells
            self.cells = np.empty((2 * size if columns > LAST else size, columns + spreads), dtype=old.dtype)
            self.cells[:size] = 0  # what is listed after them takes no memory before it is written
            compiled(move_cells)(self.whole, self.cells, old, last, spread)

    def _widen(self, most: int) -> None:
        """Give the cells numbers of 64 bits if they may be this large; of 32 bits, more of them fit into the cache."""
        if self._by_site and most > SMALL:
            self.cells = self.cells.astype(np.int64)

    def serve(self, ledger: object, compiled: Compiled) -> None:
        """Let the server announce the scale, and all sites hear it."""
        whole, sites, server = self.whole, self.sites, self.server
        server.total, before = int(whole[TOTAL]), server.scale
        for _, message in server.announced():
            self.broadcast(ledger, message)
        whole[ROUNDS], whole[SCALE], whole[DUE_TOTAL] = server.rounds, server.scale, server.due_total()
        if self.server_coins:
            self._thin(before, compiled)
        if self.totals and len(waiting := np.flatnonzero(sites[:, NEXT_TOTAL] == FOREVER)):
            growth = float(self.real[GROWTH])
            sites[waiting, NEXT_TOTAL] = [grown(count, growth) for count in sites[waiting, slot.COUNT].tolist()]
        self.toss()

    def toss(self) -> None:
        """Let all sites toss their coins with the present scale, if they have some."""
        sites, scale = self.sites, self.server.scale
        if self.coins and scale > 1:
            self.real[GAP] = gap_scale(1 / scale)
            sites[:, DUE] = sites[:, slot.COUNT] + gaps_of(self.take_coins(self.k), float(self.real[GAP]))
        elif self.coins:
            sites[:, DUE] = sites[:, slot.COUNT] + 1

    def _thin(self, before: int, compiled: Compiled) -> None:
        """Let the server thin the counts by its coins."""
        scale = self.server.scale
        if (more := 2 * (int(self.whole[LASTS]) + 1) - len(self._left)) > 0:
            assert self.server_coins is not None
            self._left = np.concatenate((self._left, self.server_coins.draw(more)))
        coins = np.concatenate(([before, gap_scale(before / scale), gap_scale(1 / scale)], self._left))
        used = compiled(thin)(self.whole, self.real, self.sites, self.items, self.cells, coins)
        self._left = self._left[used:]

    def moved(self) -> Any:
        """Return the items that have moved in the present step, beside the one that came."""
        return self.items[MOVES, : self.whole[MOVED]]

    def tell(self, names: Sequence[int | str], changed: Sequence[int]) -> None:
        """Write into the server the estimates that are new, and those of the items that have changed."""
        items, estimates, added = self.items, self.server.estimates, int(self.whole[ADDED])
        if len(estimates) < added:
            new = items[ORDER, len(estimates) : added]
            named = new.tolist() if isinstance(names, range) else [names[item] for item in new.tolist()]
            estimates.update(zip(named, items[ESTIMATE, new].tolist(), strict=True))
        for item in changed:
            if items.item(HAS, item):
                estimates[names[item]] = items.item(ESTIMATE, item)
