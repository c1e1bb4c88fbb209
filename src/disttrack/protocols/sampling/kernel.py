"""The sampling tracker as arrays: one copy, in the order of events of `Randomized`'s sites and `RandomizedServer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.rules import SamplingRule, doubled, gap_of, gap_scale, next_double, sum_of_estimates
from disttrack.mechanisms.rules.sampling import inverse_p, scale_of
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import Message
from disttrack.protocols.coins import OrderedCoins, gaps_of
from disttrack.protocols.kernel import (
    GO_ON,
    OWN,
    OWN_REAL,
    OWN_WHOLE,
    SERVE,
    Compiled,
    KernelForm,
    next_coin,
    post_down,
    post_up,
)
from disttrack.protocols.letters import FROM, KIND, VALUE
from disttrack.protocols.sampling.server import RandomizedServer

REPORT: Final = Message("report", 0)
DOUBLE: Final = Message("double", 0)
ADJUST: Final = Message("adjust", 0)
TOTAL: Final = Message("total", 0)

REPORTS, DOUBLES, ADJUSTS, SUMS, NUMBER, INVERSE, KNOWN, LOWER, BEFORE_ALL, ROUNDS = range(OWN_WHOLE, OWN_WHOLE + 10)
"""Of the server: the messages of three kinds, and its attributes of these names."""
SCALE, KEPT, SPREAD = range(OWN_REAL, OWN_REAL + 3)
"""The means of the exponential numbers of the present p, and of the chance that a report survives; the spread."""
DUE, LAST_SENT, BEFORE, DOUBLED, SITES_INVERSE, KNOWN_LAST, KNOWN_DOUBLED = range(OWN, OWN + 7)
"""Of a site: count of its next report, item reported last, items before the game, count at its last doubling. Where
messages take time, its 1/p, and the item and the count that the server knows of it."""
TOSSED: Final = 3
"""Coins of a site that hears of another p: most of those of an act where messages take time."""
AHEAD: Final = 512
"""Coins that are drawn at once where a game follows others, which have used as many."""


def sampling_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site send its messages: `take` of the site, and `hear` of the server."""
    count, event = sites[site, slot.COUNT], GO_ON
    if sites[site, DUE] == count:
        before, last = sites[site, LAST_SENT], count - sites[site, BEFORE]
        sites[site, LAST_SENT] = last
        sites[site, DUE] = count + gap_of(next_coin(whole, real), real[SCALE])
        whole[SUMS] += last - before
        if before == 0:
            whole[NUMBER] += 1
        real[slot.OUTPUT] = whole[BEFORE_ALL] + sum_of_estimates(whole[SUMS], whole[NUMBER], whole[INVERSE])
        whole[REPORTS] += 1
        whole[slot.MESSAGES] += 1
        sites[site, slot.SENT] += 1
    if count >= doubled(sites[site, DOUBLED]):
        whole[LOWER] += count - sites[site, DOUBLED]
        sites[site, DOUBLED] = count
        whole[DOUBLES] += 1
        whole[slot.MESSAGES] += 1
        sites[site, slot.SENT] += 1
        if whole[LOWER] >= doubled(whole[KNOWN]):
            event = SERVE
    sites[site, slot.NEXT] = min(sites[site, DUE], doubled(sites[site, DOUBLED]))
    return event


def sampling_served(whole: Any, real: Any, sites: Any) -> Any:
    """Let the server announce the sum of the doubling reports, and all sites hear it."""
    whole[KNOWN], before = whole[LOWER], whole[INVERSE]
    whole[ROUNDS] += 1
    whole[slot.MESSAGES] += len(sites)
    whole[INVERSE] = inverse_p(real[SPREAD], len(sites), whole[KNOWN])
    if whole[INVERSE] != before:
        real[SCALE], real[KEPT] = scale_of(1 / whole[INVERSE]), scale_of(before / whole[INVERSE])
        redraw(whole, real, sites)
    real[slot.OUTPUT] = whole[BEFORE_ALL] + sum_of_estimates(whole[SUMS], whole[NUMBER], whole[INVERSE])
    return GO_ON


def redraw(whole: Any, real: Any, sites: Any) -> Any:
    """Let all sites redraw their reports with the present p, and the server hear of it."""
    for site in range(len(sites)):
        last = sites[site, LAST_SENT]
        anew = redrawn_by(whole, real, sites, site, real[KEPT], real[SCALE])
        if anew != last:
            whole[SUMS] += anew - last
            if anew == 0:
                whole[NUMBER] -= 1
            sites[site, slot.SENT] += 1
            whole[ADJUSTS] += 1
            whole[slot.MESSAGES] += 1


def redrawn_by(whole: Any, real: Any, sites: Any, site: Any, kept: Any, scale: Any) -> Any:
    """Let a site redraw its last report, and toss for the next one; return the report, as `redrawn` does.

    `kept` and `scale` are those of the chance that it survives, and of the present p.
    """
    last = sites[site, LAST_SENT]
    if last and gap_of(next_coin(whole, real), kept) != 1:
        last = max(0, last - gap_of(next_coin(whole, real), scale))
    sites[site, LAST_SENT], sites[site, DUE] = last, sites[site, slot.COUNT] + gap_of(next_coin(whole, real), scale)
    sites[site, slot.NEXT] = min(sites[site, DUE], doubled(sites[site, DOUBLED]))
    return last


# ---------------------------------------------------------------------- where messages take time


def sampling_speaks(whole: Any, real: Any, sites: Any, mail: Any, site: Any) -> Any:
    """Let a site send its messages: `take` of the site."""
    count = sites[site, slot.COUNT]
    if sites[site, DUE] == count:
        last = sites[site, LAST_SENT] = count - sites[site, BEFORE]
        sites[site, DUE] = count + gap_of(next_coin(whole, real), scale_of(1 / sites[site, SITES_INVERSE]))
        post_up(whole, sites, mail, site, REPORTS, last)
    if count >= doubled(sites[site, DOUBLED]):
        sites[site, DOUBLED] = count
        post_up(whole, sites, mail, site, DOUBLES, count)
    sites[site, slot.NEXT] = min(sites[site, DUE], doubled(sites[site, DOUBLED]))
    return GO_ON


def sampling_server_hears(whole: Any, real: Any, sites: Any, mail: Any, letter: Any) -> Any:
    """Let the server hear a message: `hear` of the server."""
    site, value = letter[FROM], letter[VALUE]
    if letter[KIND] == DOUBLES:
        whole[LOWER] += value - sites[site, KNOWN_DOUBLED]
        sites[site, KNOWN_DOUBLED] = value
        if whole[LOWER] < doubled(whole[KNOWN]):
            return GO_ON
        whole[KNOWN] = whole[LOWER]
        whole[ROUNDS] += 1
        whole[INVERSE] = inverse_p(real[SPREAD], len(sites), whole[KNOWN])
        post_down(whole, sites, mail, ROUNDS, whole[KNOWN])
    else:
        before = sites[site, KNOWN_LAST]
        sites[site, KNOWN_LAST] = value
        whole[SUMS] += value - before
        whole[NUMBER] += int(value > 0) - int(before > 0)
    real[slot.OUTPUT] = whole[BEFORE_ALL] + sum_of_estimates(whole[SUMS], whole[NUMBER], whole[INVERSE])
    return GO_ON


def sampling_site_hears(whole: Any, real: Any, sites: Any, mail: Any, letter: Any) -> Any:
    """Let a site hear a number of items: `hear` of the site."""
    site = letter[FROM]
    before, last = sites[site, SITES_INVERSE], sites[site, LAST_SENT]
    inverse = inverse_p(real[SPREAD], len(sites), letter[VALUE])
    if inverse > before:
        sites[site, SITES_INVERSE] = inverse
        anew = redrawn_by(whole, real, sites, site, scale_of(before / inverse), scale_of(1 / inverse))
        if anew != last:
            post_up(whole, sites, mail, site, ADJUSTS, anew)
    return GO_ON


class SamplingForm(KernelForm):
    """All sites and the server.

    Parameters
    ----------
    rule
        Determines p over the game.
    coins
        The coins of the sites.
    start
        Items that each site holds already.
    """

    turn = staticmethod(sampling_turn)
    served = staticmethod(sampling_served)
    speaks = staticmethod(sampling_speaks)
    server_hears = staticmethod(sampling_server_hears)
    site_hears = staticmethod(sampling_site_hears)
    messages = ((REPORT, REPORTS), (DOUBLE, DOUBLES), (ADJUST, ADJUSTS))

    def __init__(self, rule: SamplingRule, coins: OrderedCoins, start: Sequence[int]) -> None:
        most_coins = 1 + 3 * rule.sites
        super().__init__(rule.sites, coins, most_coins, more=2)
        self.server: RandomizedServer = RandomizedServer(rule, 1, start)
        self._rule, self._start = rule, start
        whole, sites = self.whole, self.sites
        whole[slot.TOSSES] = most_coins
        whole[BEFORE_ALL] = whole[KNOWN] = whole[LOWER] = self.server.before
        sites[:, slot.COUNT] = sites[:, BEFORE] = sites[:, DOUBLED] = list(start) or 0
        whole[INVERSE] = self.server.inverse
        sites[:, slot.NEXT] = next_double(sites[:, DOUBLED])
        self._first = whole.copy(), sites.copy(), (self.server.output, gap_scale(1 / self.server.inverse), rule.spread)
        self._toss()

    def _toss(self) -> None:
        """Let all sites toss the coins of their first reports."""
        real, sites = self.real, self.sites
        real[slot.OUTPUT], real[SCALE], real[SPREAD] = self._first[2]
        sites[:, DUE] = sites[:, slot.COUNT] + gaps_of(self.take_coins(self.k), real[SCALE])
        sites[:, slot.NEXT] = np.minimum(sites[:, DUE], sites[:, slot.NEXT])

    def renew(self, rngs: Mapping[str, np.random.Generator]) -> bool:
        self.coins, self.server = OrderedCoins(rngs["sites"]), RandomizedServer(self._rule, 1, self._start)
        self.whole[:], self.sites[:], self._untouched = *self._first[:2], -1
        self.refill(AHEAD)
        self._toss()
        return True

    def begin_mail(self) -> None:
        self.whole[slot.TOSSES] = TOSSED
        self.sites[:, SITES_INVERSE], self.sites[:, KNOWN_DOUBLED] = self.whole[INVERSE], self.sites[:, DOUBLED]

    def serve(self, ledger: Any, compiled: Compiled) -> None:
        self.settle()
        compiled(sampling_served)(self.whole, self.real, self.sites)

    def count_up(self, ledger: Any) -> None:
        self.server.rounds = int(self.whole[ROUNDS])
        for _ in range(self.server.rounds):
            ledger.count_broadcast(TOTAL, self.k)
        super().count_up(ledger)
