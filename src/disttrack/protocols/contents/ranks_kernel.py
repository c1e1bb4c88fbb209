"""Trackers of ranks as arrays: blocks and nodes of sites, in the order of events of `RankSite` and `RankServer`.

A site has its items in one run of a pool: those of the nodes, the oldest one first and each in order, and then those of
its block. The server's summary of a node is every s-th item of it, so that the node is all that is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.protocols.base import Message
from disttrack.protocols.coins import batch_after, draw_words, least_low, low_of, number_of
from disttrack.protocols.contents.kernel import (
    NAME,
    OWN_ITEM,
    SCALE,
    TOTALS,
    ItemForm,
    add,
    lacks_coins,
    move_item,
)
from disttrack.protocols.kernel import COINS, COINS_AT, OWN, STEP

ITEMS, ITEM_WORDS, SUMMARIES, SUMMARY_WORDS, POOL, UP_TO, BATCH, LEFT, BEGUN, ENDED = range(OWN_ITEM, OWN_ITEM + 10)
"""Messages of two kinds and the words beyond one of each, the end of the pool; of the batch of numbers the largest
number, the size, how many are left, and where its words begin and end among those at hand."""
HELD, BLOCK, NODES, FIRST, ROOM, STEP_SIZE, CHOSEN, SENT_ITEM, SIZES = range(OWN + 3, OWN + 12)
"""Of a site: the items that it keeps, those of its block, its nodes, where its run of the pool begins and its room; the
size of the block, the place of the item that stands for it, and that item; from there on the sizes of the nodes."""
MOST_NODES: Final = 32
"""Each is twice as large as the next one: 2^31 items at a site would fill so many, and do not fit into memory."""
STEPS: Final = SIZES + MOST_NODES
"""From there on, the steps of the nodes' summaries."""
FIRSTS: Final = STEPS + MOST_NODES
"""From there on, the places of their first items."""
LEAST_ROOM: Final = 8
SHORT: Final = 8
"""Items that are put in order one by one."""
MOST_PAIRS: Final = 2**14
"""Pairs of words that are drawn at once."""


def merged(sizes: Any, size: Any) -> Any:
    """Return the number of nodes, the last ones of a site, that a new one of this size is merged with."""
    kept = len(sizes)
    while kept and sizes[kept - 1] < 2 * size:
        kept -= 1
        size += sizes[kept]
    return len(sizes) - kept


def middle_of(size: Any) -> Any:
    """Return the place of the middle one of this many items."""
    return (size + 1) // 2


def report_blocks(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site of `RankDeterministic` have an item, and the server hear of it; return the messages."""
    scale = whole[SCALE]
    if scale == 1:
        return report_item(whole, items, item)
    keep(whole, sites, cells, site, item)
    if sites[site, BLOCK] < scale:
        return 0
    sort_block(sites, items, cells, site)
    end_block(whole, sites, items, cells, site, middle_of(scale))
    send_summary(whole, sites, site)
    return 1


def report_chosen(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site of `RankRandomized` have an item, and the server hear of it; return the messages."""
    scale, sent = whole[SCALE], 0
    if scale == 1:
        return report_item(whole, items, item)
    keep(whole, sites, cells, site, item)
    size = sites[site, BLOCK]
    if size == 1:
        sites[site, STEP_SIZE], sites[site, CHOSEN] = scale, next_number(whole, real)
    step = sites[site, STEP_SIZE]
    if size == sites[site, CHOSEN]:
        sites[site, SENT_ITEM] = item
        move_item(whole, items, item, step, whole[STEP])
        whole[ITEMS] += 1
        whole[ITEM_WORDS] += step != scale
        sent = 1
    if size == step:
        chosen, nodes, first = sites[site, SENT_ITEM], sites[site, NODES], next_number(whole, real)
        move_item(whole, items, chosen, -step, whole[STEP])
        begun = sort_block(sites, items, cells, site)
        if merged(sites[site, SIZES : SIZES + nodes], size):
            end_block(whole, sites, items, cells, site, first)
            send_summary(whole, sites, site)
            return sent + 1
        first = 1  # the place of the item that stands for the block
        while cells[0, begun + first - 1] != chosen:
            first += 1
        end_block(whole, sites, items, cells, site, first)
    return sent


def lacks_words(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Return whether words must be drawn before a turn, as `lacks_coins`.

    A block that begins or ends takes a number, for which a batch is begun if it has another size, as `Coins.up_to`.
    """
    block, wanted = sites[site, BLOCK], whole[SCALE]
    if wanted == 1:
        return False
    if block:
        wanted = sites[site, STEP_SIZE]
        if block + 1 < wanted:
            return False
    if whole[UP_TO] == wanted and whole[LEFT]:
        return False
    batch, begun = batch_after(whole[BATCH]), whole[ENDED]
    ended = take_batch(real[COINS_AT:][: whole[COINS]], begun, batch, wanted)
    if ended < 0:
        return True
    whole[UP_TO], whole[BATCH], whole[LEFT], whole[BEGUN], whole[ENDED] = wanted, batch, batch, begun, ended
    return False


def take_batch(words: Any, begun: Any, batch: Any, size: Any) -> Any:
    """Put the words of a batch of numbers one after the other; return where they ended, or -1 if there are too few."""
    ended, taken, least = begun, 0, least_low(size)
    while taken < batch:
        more = batch - taken
        if ended + more > len(words):
            return -1
        for word in words[ended : ended + more]:
            taken += low_of(int(word), size) >= least
        ended += more
    if ended > begun + batch:  # some are left out, one in 2^32 / size at most
        free = begun
        for place in range(begun, ended):
            words[free] = words[place]
            free += low_of(int(words[place]), size) >= least
    return ended


def next_number(whole: Any, real: Any) -> Any:
    """Return the next number of a batch, the last one first; the caller has made sure that there is one."""
    whole[LEFT] -= 1
    return number_of(int(real[COINS_AT + whole[BEGUN] + whole[LEFT]]), whole[UP_TO])


def report_item(whole: Any, items: Any, item: Any) -> Any:
    """Let a site send an item, as all of them do while the scale is 1."""
    add(whole, items, item, 1)
    whole[ITEMS] += 1
    return 1


def keep(whole: Any, sites: Any, pool: Any, site: Any, item: Any) -> Any:
    """Keep an item at the end of a block; a run that is full moves to the end of the pool."""
    held = sites[site, HELD]
    if held == sites[site, ROOM]:
        first, new = sites[site, FIRST], whole[POOL]
        for place in range(held):
            pool[0, new + place] = pool[0, first + place]
        sites[site, FIRST], sites[site, ROOM] = new, max(LEAST_ROOM, 2 * held)
        whole[POOL] += sites[site, ROOM]
    pool[0, sites[site, FIRST] + held] = item
    sites[site, HELD] = held + 1
    sites[site, BLOCK] += 1


def end_block(whole: Any, sites: Any, items: Any, pool: Any, site: Any, first: Any) -> Any:
    """Make a node of a block that is in order, merged with others; its summary begins with the `first` item."""
    step, nodes = sites[site, BLOCK], sites[site, NODES]
    kept = nodes - merged(sites[site, SIZES : SIZES + nodes], step)
    end = sites[site, FIRST] + sites[site, HELD]
    old = begun = end - step
    for node in range(nodes - 1, kept - 1, -1):
        old -= sites[site, SIZES + node]
        count(whole, sites, items, pool, site, node, old, -1)
    for node in range(nodes - 1, kept - 1, -1):
        middle, begun = begun, begun - sites[site, SIZES + node]
        merge(items, pool, begun, middle, end)
    sites[site, SIZES + kept], sites[site, STEPS + kept], sites[site, FIRSTS + kept] = end - begun, step, first
    sites[site, NODES], sites[site, BLOCK] = kept + 1, 0
    count(whole, sites, items, pool, site, kept, begun, 1)


def count(whole: Any, sites: Any, items: Any, pool: Any, site: Any, node: Any, begun: Any, sign: Any) -> Any:
    """Add the summary of a node, which begins here in the pool, to the estimates, or take it from them."""
    step, first = sites[site, STEPS + node], sites[site, FIRSTS + node]
    for place in range(begun + first - 1, begun + sites[site, SIZES + node], step):
        move_item(whole, items, pool[0, place], sign * step, whole[STEP])


def send_summary(whole: Any, sites: Any, site: Any) -> Any:
    """Count the message with the summary of a site's last node."""
    node = sites[site, NODES] - 1
    whole[SUMMARIES] += 1
    whole[SUMMARY_WORDS] += (sites[site, SIZES + node] - sites[site, FIRSTS + node]) // sites[site, STEPS + node]


def sort_block(sites: Any, items: Any, pool: Any, site: Any) -> Any:
    """Put a block in the order of the names, and return where it begins in the pool."""
    end = sites[site, FIRST] + sites[site, HELD]
    begun, width = end - sites[site, BLOCK], SHORT
    for first in range(begun, end, SHORT):
        put_in_order(items, pool, first, min(first + SHORT, end))
    while width < end - begun:
        for first in range(begun, end - width, 2 * width):
            merge(items, pool, first, first + width, min(first + 2 * width, end))
        width *= 2
    return begun


def put_in_order(items: Any, pool: Any, begun: Any, end: Any) -> Any:
    """Put a short run of the pool in order, item by item."""
    for place in range(begun + 1, end):
        item, free = pool[0, place], place
        while free > begun and items[NAME, pool[0, free - 1]] > items[NAME, item]:
            pool[0, free] = pool[0, free - 1]
            free -= 1
        pool[0, free] = item


def merge(items: Any, pool: Any, begun: Any, middle: Any, end: Any) -> Any:
    """Merge two neighbouring runs of the pool, each in order."""
    for place in range(middle, end):
        pool[1, place - middle] = pool[0, place]
    left, right = middle - 1, end - middle - 1
    for place in range(end - 1, begun - 1, -1):
        if right < 0:
            return
        if left >= begun and items[NAME, pool[0, left]] > items[NAME, pool[1, right]]:
            pool[0, place] = pool[0, left]
            left -= 1
        else:
            pool[0, place] = pool[1, right]
            right -= 1


class RankForm(ItemForm):
    """All sites and the server; see `ItemForm`. Its coins are words, of which numbers are made."""

    further = MappingProxyType({"item": ITEM_WORDS, "summary": SUMMARY_WORDS})
    named: ClassVar[bool] = True

    def __init__(
        self, tracker: Any, k: int, server: Any, report: Callable[..., Any], rng: np.random.Generator | None = None
    ) -> None:
        super().__init__(tracker, k, server, report)
        self._rng, self.lacks = rng, lacks_words if rng else lacks_coins
        self._by_site = False
        self.messages = (Message("item", 0), ITEMS), (Message("summary", 0), SUMMARIES), (Message("total", 0), TOTALS)
        self.sites = np.pad(self.sites, ((0, 0), (0, FIRSTS + MOST_NODES - self.sites.shape[1])))
        self.make_numbers(ENDED + 1)

    def begin(self, items: int) -> None:
        # runs that double have at most four times their items in all
        self.cells = np.empty((2, 4 * items + 2 * LEAST_ROOM * self.k), dtype=np.int64)

    def toss(self) -> None:
        """Do nothing: numbers are drawn as blocks begin and end."""

    def refill(self, wanted: int = 0) -> None:
        assert self._rng is not None
        real, whole = self.real, self.whole
        rest = real[COINS_AT:][whole[ENDED] : whole[COINS]]
        drawn = draw_words(self._rng, min(len(real), MOST_PAIRS))  # twice as many each time
        self.real = np.concatenate((real[:COINS_AT], rest, drawn))
        whole[COINS], whole[[UP_TO, ENDED]] = len(rest) + len(drawn), 0
