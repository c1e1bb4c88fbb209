"""Copies of the randomised tracker of items as arrays, in the order of events of `FrequencySwitching`.

The copies have numbers of their own from the first coin on: of a cell its last columns, of an item its last rows.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from disttrack.mechanisms.rules import gap_of, gap_scale
from disttrack.protocols import kernel as slot
from disttrack.protocols.coins import StraightCoins, gaps_of
from disttrack.protocols.contents import kernel as contents
from disttrack.protocols.contents.kernel import ItemForm, add, cell_of, estimated, key_of, list_cell
from disttrack.protocols.kernel import Compiled, next_coin
from disttrack.protocols.sites import Message

ITEMS, COUNTS, COUNT_WORDS, NUMBER, FIRST, ACTIVE, LISTED, SUMS = range(contents.OWN_ITEM, contents.OWN_ITEM + 8)
"""Messages of two kinds and the words of the second beyond one each; the number of copies, the first one of the sites
and the one in use; the items that have been reported, and the first of their rows for the copies."""
FAR = slot.OWN_REAL + 2
"""The part of the total by which the copy in use is off when it is shown."""
DUES = slot.OWN + 3
"""First place of the counts at which a site reports, one for each copy."""
OF_COPIES = contents.AT + 1
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
        self.real = np.append(self.real, np.zeros(k * copies))
        self.real[FAR] = tracker.far
        self.sites = np.pad(self.sites, ((0, 0), (0, copies)))
        self.cells = np.zeros((16, OF_COPIES), dtype=np.int64)
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
            self.cells = np.pad(self.cells, ((0, 0), (0, copies)))
            self.cells[:, OF_COPIES:] = self.cells[:, contents.COPIES, None]
            self.items, whole[SUMS] = np.pad(self.items, ((0, copies), (0, 0))), self._rows
        cells, sums = self.cells, self.items[whole[SUMS] : whole[SUMS] + copies]
        sums[:] = 0
        for cell in cells[: whole[contents.LASTS], contents.AT].tolist():
            coins, last = self._server_rng.standard_exponential((2, copies)), cells[cell, OF_COPIES:]
            kept = gaps_of(coins[0], gap_scale(before / scale)) == 1
            last[:] = np.where(kept, last, np.maximum(0, last - gaps_of(coins[1], gap_scale(1 / scale))))
            sums[:, (cells[cell, contents.KEY] - 1) // self.k] += np.where(last, last + scale - 1, 0)
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
