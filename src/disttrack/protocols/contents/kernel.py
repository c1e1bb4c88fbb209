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
from disttrack.protocols.base import FOREVER
from disttrack.protocols.coins import OrderedCoins
from disttrack.protocols.kernel import COUNT, OWN, OWN_REAL, OWN_WHOLE, SENT, TOSSES, Compiled, KernelForm, next_coin
from disttrack.protocols.sites import Message

SCALE, ROUNDS, TOTAL, DUE_TOTAL, REPORTS, TOTALS, ADDED = range(OWN_WHOLE, OWN_WHOLE + 7)
"""Of the server: attributes of these names, the total at which it announces the scale, messages of the two kinds, and
items that have an estimate."""
GAP, GROWTH = range(OWN_REAL, OWN_REAL + 2)
"""The mean of the exponential numbers of the present coins, and the growth of totals."""
NEXT_TOTAL, TOTAL_SENT, DUE = range(OWN, OWN + 3)
"""Of a site: the count at which it reports its total, the total that the server knows, the count of its next coin."""
TRUTH, ESTIMATE, ORDER, HAS = range(4)
"""Of an item: its copies, its estimate, the item that was the n-th to have one, and whether it has one."""
UNREPORTED: Final = 0
"""Of an item at a site: copies that have not been reported."""
MOST_CELLS: Final = 2**25
"""Pairs of an item and a site that are kept at most."""


def grown(count: Any, growth: float) -> Any:
    """Return the least count that is more than `count`, and at least 1 + growth times it up to rounding down."""
    return count + floor(count * growth) + 1


def times_due(unreported: Any, scale: Any) -> Any:
    """Return how often a site reports an item of which it holds copies that it has not reported."""
    return unreported // scale


def report_copies(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site of `FrequencyDeterministic` report an item, and the server hear it; return the reports."""
    cell, scale = item * len(sites) + site, whole[SCALE]
    cells[cell, UNREPORTED] += 1
    times = times_due(cells[cell, UNREPORTED], scale)
    cells[cell, UNREPORTED] -= times * scale
    add(whole, items, item, times * scale)
    return times


def report_coin(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site of `FrequencySample` report an item, and the server hear it; return the reports."""
    count, scale = sites[site, COUNT], whole[SCALE]
    if count < sites[site, DUE]:
        return 0
    sites[site, DUE] = count + (gap_of(next_coin(whole, real), real[GAP]) if scale > 1 else 1)
    add(whole, items, item, scale)
    return 1


def add(whole: Any, items: Any, item: Any, copies: Any) -> Any:
    """Add copies to the estimate of an item."""
    items[item, ESTIMATE] += copies
    if copies and not items[item, HAS]:
        items[item, HAS] = 1
        items[whole[ADDED], ORDER] = item
        whole[ADDED] += 1


def turn(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Give a site an item, as `ItemSite.receive` and `ItemServer.hear`.

    Returns the number of its messages, and whether the server is to announce the scale.
    """
    sites[site, COUNT] += 1
    reports = report(whole, real, sites, items, cells, site, item)
    sent, due = reports, False
    if reports and not whole[ROUNDS]:  # every item is reported
        sites[site, TOTAL_SENT] += reports
        whole[TOTAL] += reports
        due = whole[TOTAL] >= whole[DUE_TOTAL]
    whole[REPORTS] += reports
    count = sites[site, COUNT]
    if count >= sites[site, NEXT_TOTAL]:
        sites[site, NEXT_TOTAL] = grown(count, real[GROWTH])
        whole[TOTAL] += count - sites[site, TOTAL_SENT]
        sites[site, TOTAL_SENT] = count
        whole[TOTALS] += 1
        sent += 1
        due = whole[TOTAL] >= whole[DUE_TOTAL]
    sites[site, SENT] += sent
    return sent, due


def report(whole: Any, real: Any, sites: Any, items: Any, cells: Any, site: Any, item: Any) -> Any:
    """Let a site report an item. Stands for `ItemForm.report`."""
    raise NotImplementedError


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

    Attributes
    ----------
    by_site
        Whether it keeps copies of each item at each site.
    """

    server: Any
    messages: ClassVar[tuple[tuple[Message, int], ...]] = (
        (Message("item", 0), REPORTS),
        (Message("total", 0), TOTALS),
    )

    def __init__(
        self,
        tracker: Any,
        k: int,
        server: Any,
        report: Callable[..., Any],
        coins: OrderedCoins | None = None,
    ) -> None:
        super().__init__(k, coins, k if coins else 0)
        self.tracker, self.server, self.report = tracker, server, report
        self.by_site = coins is None
        self.whole[TOSSES] = 1 if coins else 0
        self.whole[SCALE], self.whole[DUE_TOTAL] = server.scale, server.due_total()
        self.real[GROWTH] = tracker.growth(k)
        self.sites[:, NEXT_TOTAL], self.sites[:, DUE] = FOREVER, 1

    def serve(self, ledger: object, compiled: Compiled) -> None:
        """Let the server announce the scale, and all sites hear it."""
        whole, sites, server = self.whole, self.sites, self.server
        server.total = int(whole[TOTAL])
        for _, message in server.announced():
            self.broadcast(ledger, message)
        whole[ROUNDS], whole[SCALE], whole[DUE_TOTAL] = server.rounds, server.scale, server.due_total()
        for site in np.flatnonzero(sites[:, NEXT_TOTAL] == FOREVER).tolist():
            sites[site, NEXT_TOTAL] = grown(int(sites[site, COUNT]), float(self.real[GROWTH]))
        if self.coins and server.scale > 1:
            self.real[GAP] = gap_scale(1 / server.scale)
            gaps = [gap_of(coin, float(self.real[GAP])) for coin in self.take_coins(self.k).tolist()]
            sites[:, DUE] = sites[:, COUNT] + gaps
        elif self.coins:
            sites[:, DUE] = sites[:, COUNT] + 1

    def tell(self, items: Any, names: Sequence[int | str]) -> None:
        """Write the estimates into the server."""
        added = items[: self.whole[ADDED], ORDER]
        named = [names[number] for number in added.tolist()]
        self.server.estimates.update(zip(named, items[added, ESTIMATE].tolist(), strict=True))
