"""The sampling tracker as arrays: one copy, in the order of events of `Randomized`'s sites and `RandomizedServer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from disttrack.mechanisms.rules import SamplingRule, doubled, gap_of, gap_scale, next_double, sum_of_estimates
from disttrack.protocols.coins import OrderedCoins, gaps_of
from disttrack.protocols.kernel import (
    COUNT,
    GO_ON,
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
from disttrack.protocols.sampling.bulk import ADJUST, DOUBLE, REPORT
from disttrack.protocols.sampling.server import RandomizedServer

REPORTS, DOUBLES, SUMS, NUMBER, INVERSE, KNOWN, LOWER, BEFORE_ALL = range(OWN_WHOLE, OWN_WHOLE + 8)
"""Of the server: the messages of two kinds, and its attributes of these names."""
SCALE, KEPT = range(OWN_REAL, OWN_REAL + 2)
"""The means of the exponential numbers of the present p, and of the chance that a report survives."""
DUE, LAST_SENT, BEFORE, DOUBLED = range(OWN, OWN + 4)
"""Of a site: count of its next report, item reported last, items before the game, count at its last doubling."""


def sampling_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site send its messages: `take` of the site, and `hear` of the server."""
    count, event = sites[site, COUNT], GO_ON
    if sites[site, DUE] == count:
        before, last = sites[site, LAST_SENT], count - sites[site, BEFORE]
        sites[site, LAST_SENT] = last
        sites[site, DUE] = count + gap_of(next_coin(whole, real), real[SCALE])
        whole[SUMS] += last - before
        if before == 0:
            whole[NUMBER] += 1
        real[OUTPUT] = whole[BEFORE_ALL] + sum_of_estimates(whole[SUMS], whole[NUMBER], whole[INVERSE])
        whole[REPORTS] += 1
        whole[MESSAGES] += 1
        sites[site, SENT] += 1
    if count >= doubled(sites[site, DOUBLED]):
        whole[LOWER] += count - sites[site, DOUBLED]
        sites[site, DOUBLED] = count
        whole[DOUBLES] += 1
        whole[MESSAGES] += 1
        sites[site, SENT] += 1
        if whole[LOWER] >= doubled(whole[KNOWN]):
            event = SERVE
    sites[site, NEXT] = min(sites[site, DUE], doubled(sites[site, DOUBLED]))
    return event


def sampling_redraws(whole: Any, real: Any, sites: Any) -> Any:
    """Let all sites redraw their reports with the present p, and the server hear of it; return the messages."""
    sent = 0
    for site in range(len(sites)):
        last = sites[site, LAST_SENT]
        if last and gap_of(next_coin(whole, real), real[KEPT]) != 1:
            anew = max(0, last - gap_of(next_coin(whole, real), real[SCALE]))
            if anew != last:
                sites[site, LAST_SENT] = anew
                whole[SUMS] += anew - last
                if anew == 0:
                    whole[NUMBER] -= 1
                sites[site, SENT] += 1
                sent += 1
        due = sites[site, COUNT] + gap_of(next_coin(whole, real), real[SCALE])
        sites[site, DUE] = due
        sites[site, NEXT] = min(due, doubled(sites[site, DOUBLED]))
    return sent


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
    messages = ((REPORT, REPORTS), (DOUBLE, DOUBLES))

    def __init__(self, rule: SamplingRule, coins: OrderedCoins, start: Sequence[int]) -> None:
        k = rule.sites
        super().__init__(k, coins, 3 * k)
        self.server: RandomizedServer = RandomizedServer(rule, 1, start)
        whole, sites = self.whole, self.sites
        whole[TOSSES] = True
        whole[BEFORE_ALL] = whole[KNOWN] = whole[LOWER] = self.server.before
        sites[:, COUNT] = sites[:, BEFORE] = sites[:, DOUBLED] = list(start) or 0
        self._lower_p()
        sites[:, DUE] = sites[:, COUNT] + gaps_of(self.take_coins(k), self.real[SCALE])
        sites[:, NEXT] = np.minimum(sites[:, DUE], next_double(sites[:, DOUBLED]))
        self.real[OUTPUT] = self.server.output

    def _lower_p(self) -> None:
        inverse = self.whole[INVERSE] = self.server.inverse
        self.real[SCALE] = gap_scale(1 / inverse)

    def serve(self, ledger: Any, compiled: Compiled) -> None:
        server, whole, real = self.server, self.whole, self.real
        server.lower, before = int(whole[LOWER]), server.inverse
        self.broadcast(ledger, server.announce())
        whole[KNOWN] = server.known
        if server.inverse != before:
            self._lower_p()
            real[KEPT] = gap_scale(before / server.inverse)
            self.refill(3 * self.k)
            adjusted = int(compiled(sampling_redraws)(whole, real, self.sites))
            whole[MESSAGES] += adjusted
            ledger.count_many_up(ADJUST, adjusted)
        real[OUTPUT] = whole[BEFORE_ALL] + sum_of_estimates(whole[SUMS], whole[NUMBER], whole[INVERSE])
