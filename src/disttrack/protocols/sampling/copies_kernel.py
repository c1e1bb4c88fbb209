"""Copies of the sampling tracker as arrays, in the order of events of `CopiesSite` and `CopiesServer`."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from disttrack.mechanisms.rules import doubled, estimate, gap_of, gap_scale, next_double, sum_of_estimates
from disttrack.protocols.coins import StraightCoins, gaps_of
from disttrack.protocols.kernel import (
    COUNT,
    FURTHER,
    GO_ON,
    LARGEST,
    MESSAGES,
    NEXT,
    OUTPUT,
    OWN,
    OWN_REAL,
    OWN_WHOLE,
    SENT,
    SERVE,
    TOSSES,
    Compiled,
    KernelForm,
    next_coin,
)
from disttrack.protocols.sampling.kernel import ADJUST, DOUBLE, REPORT
from disttrack.protocols.sites import Message

(
    REPORTS, REPORT_WORDS, ADJUSTS, ADJUST_WORDS, DOUBLES, COPIES, FIRST, ACTIVE, EXACT, INVERSE, KNOWN, LOWER,
    ESTIMATES,
) = range(OWN_WHOLE, OWN_WHOLE + 13)  # fmt: skip
"""Messages of three kinds and their words beyond one each; the copies, the first one that sites continue and the one in
use; the estimate of all while p is 1, and the server's attributes of these names; from there on the estimates."""
SCALE, GROWTH = range(OWN_REAL, OWN_REAL + 2)
"""The mean of the exponential numbers of the present p, and the least growth of the output."""
BEFORE, DOUBLED, LASTS = range(OWN, OWN + 3)
"""Of a site: items before the game, count at its last doubling; from there on the items that the copies reported last,
and then the counts of their next reports."""


def has_grown(estimate: Any, growth: Any, output: Any) -> Any:
    """Return whether the estimate of the copy in use is to be shown."""
    return estimate > 0 and estimate >= growth * output


def switching_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site of `SketchSwitching` send its messages: `take` of the site, and `hear` of the server."""
    count, event = sites[site, COUNT], GO_ON
    least = count + 1
    if whole[INVERSE] == 1:
        whole[EXACT] += 1
        reports = 1
    else:
        reports, least = report_copies(whole, real, sites, site, count)
    if reports:
        whole[REPORTS] += 1
        whole[REPORT_WORDS] += reports - 1
        sent(whole, sites, site, reports)
        show(whole, real)
    if count >= doubled(sites[site, DOUBLED]):
        whole[LOWER] += count - sites[site, DOUBLED]
        sites[site, DOUBLED] = count
        whole[DOUBLES] += 1
        sent(whole, sites, site, 1)
        if whole[LOWER] >= doubled(whole[KNOWN]):
            event = SERVE
    sites[site, NEXT] = min(least, doubled(sites[site, DOUBLED]))
    return event


def report_copies(whole: Any, real: Any, sites: Any, site: Any, count: Any) -> Any:
    """Let a site report its count for the copies whose coin has succeeded; return their number, and the next count."""
    copies, reports, least = whole[COPIES], 0, LARGEST
    last = count - sites[site, BEFORE]
    for copy in range(whole[FIRST], copies):
        due = sites[site, LASTS + copies + copy]
        if due == count:
            before = sites[site, LASTS + copy]
            due = count + gap_of(next_coin(whole, real), real[SCALE])
            sites[site, LASTS + copy], sites[site, LASTS + copies + copy] = last, due
            whole[ESTIMATES + copy] += estimate(last, whole[INVERSE]) - estimate(before, whole[INVERSE])
            reports += 1
        least = min(least, due)
    return reports, least


def sent(whole: Any, sites: Any, site: Any, words: Any) -> Any:
    """Count a message of a site."""
    whole[MESSAGES] += 1
    whole[FURTHER] += words - 1
    sites[site, SENT] += 1


def show(whole: Any, real: Any) -> Any:
    """Let the server show the copy in use, if it is to, and take the next one: `look`."""
    active = whole[ACTIVE]
    shown = whole[EXACT] if whole[INVERSE] == 1 else whole[ESTIMATES + active]
    if has_grown(shown, real[GROWTH], real[OUTPUT]):
        real[OUTPUT] = shown
        whole[ACTIVE] = min(active + 1, whole[COPIES] - 1)


class SwitchingForm(KernelForm):
    """All sites and the server.

    Parameters
    ----------
    server
        The tracker's own, which announces the number of items.
    k
        Number of sites.
    coins
        The coins of the sites.
    growth
        The least growth of the output.
    start
        Items that each site holds already.
    """

    turn = staticmethod(switching_turn)
    server: Any
    messages = ((REPORT, REPORTS), (DOUBLE, DOUBLES), (ADJUST, ADJUSTS))
    further = MappingProxyType({"report": REPORT_WORDS, "adjust": ADJUST_WORDS})

    def __init__(self, server: Any, k: int, coins: StraightCoins, growth: float, start: Sequence[int]) -> None:
        copies = server.copies
        super().__init__(k, None, 3 * copies * k, copies + 4)
        self.coins, self.server = coins, server  # type: ignore[assignment]
        whole, sites, real = self.whole, self.sites, self.real
        whole[COPIES] = copies
        whole[EXACT] = whole[KNOWN] = whole[LOWER] = whole[ESTIMATES : ESTIMATES + copies] = server.before
        sites[:, COUNT] = sites[:, BEFORE] = sites[:, DOUBLED] = list(start) or 0
        whole[INVERSE] = server.inverse
        real[OUTPUT], real[GROWTH], real[SCALE] = server.output, growth, gap_scale(1 / server.inverse)
        self._look_ahead(self._coins(1)[:, 0] if server.inverse > 1 else None)

    def _coins(self, number: int) -> Any:
        """Return this number of coins of each copy in use at each site, in this order: site, number, copy."""
        copies = self.whole[COPIES] - self.whole[FIRST]
        return self.take_coins(self.k * number * int(copies)).reshape(self.k, number, copies)

    def _look_ahead(self, coins: Any) -> None:
        """Let all sites toss the coins of their next reports, if there are some, and note when they are due."""
        whole, sites, copies = self.whole, self.sites, int(self.whole[COPIES])
        dues, counts = sites[:, LASTS + copies + whole[FIRST] : LASTS + 2 * copies], sites[:, COUNT, None]
        if coins is not None:
            whole[TOSSES] = copies
            dues[:] = counts + gaps_of(coins, float(self.real[SCALE]))
        due = counts[:, 0] + 1 if whole[INVERSE] == 1 else dues.min(axis=1)
        sites[:, NEXT] = np.minimum(due, next_double(sites[:, DOUBLED]))

    def serve(self, ledger: Any, compiled: Compiled) -> None:
        self.settle()
        whole, real, sites, server, copies = self.whole, self.real, self.sites, self.server, int(self.whole[COPIES])
        server.lower, before = int(whole[LOWER]), server.inverse
        known = server.announce().value
        whole[KNOWN], whole[INVERSE] = known, server.inverse
        lasts = sites[:, LASTS : LASTS + copies]
        if before == 1:
            lasts[:] = (sites[:, COUNT] - sites[:, BEFORE])[:, None]  # each copy sent every item
        if server.inverse > 1:
            numbers = np.count_nonzero(lasts, axis=0)
            sums = sum_of_estimates(lasts.sum(axis=0), numbers, server.inverse)
            whole[ESTIMATES : ESTIMATES + copies] = server.before + sums
        show(whole, real)
        first = whole[FIRST] = whole[ACTIVE]
        self.broadcast(ledger, Message("total", (known, int(first)), 1 + int(first > 0)))
        coins = self._redrawn(lasts[:, first:], before) if server.inverse != before else None
        self._look_ahead(coins)

    def _redrawn(self, lasts: Any, before: int) -> Any:
        """Let all sites redraw their reports with the present p, and the server hear of it; return coins to go on."""
        whole, inverse, first = self.whole, self.server.inverse, int(self.whole[FIRST])
        self.real[SCALE] = scale = gap_scale(1 / inverse)
        coins = self._coins(3)
        kept = gaps_of(coins[:, 0], gap_scale(before / inverse)) == 1
        anew = np.where(kept, lasts, np.maximum(0, lasts - gaps_of(coins[:, 1], scale)))
        changed = np.count_nonzero(anew != lasts, axis=1)
        growth = estimate(anew, inverse) - estimate(lasts, inverse)
        lasts[:] = anew
        for site in np.flatnonzero(changed).tolist():
            whole[ESTIMATES + first : ESTIMATES + whole[COPIES]] += growth[site]
            whole[ADJUSTS] += 1
            whole[ADJUST_WORDS] += changed[site] - 1
            sent(whole, self.sites, site, changed[site])
            show(whole, self.real)
        return coins[:, 2]
