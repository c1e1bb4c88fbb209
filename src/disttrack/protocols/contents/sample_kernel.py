"""The uniform sample as arrays, in the order of events of `ItemSample`'s sites and server."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from disttrack.protocols.coins import OrderedCoins
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
from disttrack.protocols.sites import Message

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
