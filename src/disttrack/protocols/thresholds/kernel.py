"""Threshold protocols as arrays, in the order of events of their sites and servers."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.rules import gap_of
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import Message
from disttrack.protocols.coins import OrderedCoins, gaps_of
from disttrack.protocols.kernel import GO_ON, LARGEST, MOST, SERVE, Compiled, KernelForm, next_coin

REPORT: Final = Message("report", 0)
"""A site has held this number of items."""
COIN: Final = Message("coin")
"""A coin has come up; one bit."""
REPORTS, SUM, SIZE, ENDS, EARLIEST = range(slot.OWN_WHOLE, slot.OWN_WHOLE + 5)
"""The messages, and attributes of the server: the sum of the reports, the present size, the sum at which the next one
is announced, and the count from which an alarm is not early."""
NEEDED, KNOWN = SIZE, ENDS
"""Of coins: reports until the alarm, and items before the game."""
REPORTED: Final = slot.OWN
"""The count of a site at its last report."""
GAP: Final = slot.OWN_REAL
"""The mean of the exponential numbers of the coins."""


def is_due(known: Any, size: Any, ends: Any, earliest: Any) -> Any:
    """Return whether the server of `Countdown` announces the next size, with this sum of the reports."""
    return known >= ends and size > 1 and known < earliest


def share_of(reports: Any, needed: Any, known: Any, earliest: Any) -> Any:
    """Return the output of `CoinReports` after this number of reports: `earliest` at the last one needed."""
    return known + reports * (earliest - known) // needed if needed else known


def batch_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site report the items that it holds, and the server hear it."""
    count = sites[site, slot.COUNT]
    whole[SUM] += count - sites[site, REPORTED]
    real[slot.OUTPUT] = whole[SUM]
    sites[site, REPORTED] = count
    sites[site, slot.NEXT] = count + whole[SIZE]
    whole[REPORTS] += 1
    whole[slot.MESSAGES] += 1
    sites[site, slot.SENT] += 1
    return SERVE if is_due(whole[SUM], whole[SIZE], whole[ENDS], whole[EARLIEST]) else GO_ON


def coin_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site report a coin, and the server hear it."""
    sites[site, slot.NEXT] = sites[site, slot.COUNT] + gap_of(next_coin(whole, real), real[GAP])
    whole[REPORTS] += 1
    real[slot.OUTPUT] = share_of(whole[REPORTS], whole[NEEDED], whole[KNOWN], whole[EARLIEST])
    whole[slot.MESSAGES] += 1
    sites[site, slot.SENT] += 1
    return GO_ON


class BatchForm(KernelForm):
    """All sites and the server, by which the next sizes are announced.

    Parameters
    ----------
    server
        The protocol's own.
    size
        Items of a report, at first.
    earliest
        The count from which an alarm is not early.
    ends
        The sum at which the next size is announced; never if left out.
    """

    turn = staticmethod(batch_turn)
    server: Any
    messages = ((REPORT, REPORTS),)

    def __init__(self, k: int, server: Any, size: int, earliest: int, ends: int = LARGEST) -> None:
        super().__init__(k)
        self.server = server
        whole = self.whole
        self.most_items = MOST if max(size, earliest) <= MOST else 0
        if self.most_items:
            whole[[SUM, SIZE, ENDS, EARLIEST]] = server.output, size, ends, earliest
            self.real[slot.OUTPUT] = server.output
            self.sites[:, slot.NEXT] = size

    def serve(self, ledger: Any, compiled: Compiled) -> None:
        self.settle()
        whole, sites, server = self.whole, self.sites, self.server
        server.output = int(whole[SUM])
        queue: deque[Any] = deque(message for _, message in server.announced())
        while queue:
            waiting = queue.popleft()
            if isinstance(waiting, list):  # what sites have reported
                for held in waiting:
                    queue.extend(message for _, message in server.hear(0, Message("report", held)))
                continue
            self.broadcast(ledger, waiting)
            held = sites[:, slot.COUNT] - sites[:, REPORTED]
            (full,) = np.nonzero(held >= waiting.value)
            sites[full, REPORTED] = sites[full, slot.COUNT]
            sites[:, slot.NEXT] = sites[:, REPORTED] + waiting.value
            sites[full, slot.SENT] += 1
            whole[REPORTS] += len(full)
            whole[slot.MESSAGES] += len(full)
            queue.append(held[full].tolist())
        whole[[SUM, SIZE, ENDS]] = server.output, server.size, server.end
        self.real[slot.OUTPUT] = server.output


class CoinForm(KernelForm):
    """All sites and the server.

    Parameters
    ----------
    server
        The protocol's own.
    coins, scale
        The coins of the sites, and the mean of the exponential numbers that they are made of.
    """

    turn = staticmethod(coin_turn)
    messages = ((COIN, REPORTS),)

    def __init__(self, k: int, server: Any, coins: OrderedCoins, scale: float) -> None:
        super().__init__(k, coins, k)
        self.server = server
        whole, real = self.whole, self.real
        self.most_items = min(MOST, LARGEST // max(1, server.earliest - server.known))
        if self.most_items > server.known:
            whole[[NEEDED, KNOWN, EARLIEST]] = server.needed, server.known, server.earliest
            whole[slot.TOSSES], real[GAP], real[slot.OUTPUT] = 1, scale, server.output
            self.sites[:, slot.NEXT] = gaps_of(self.take_coins(k), scale)
