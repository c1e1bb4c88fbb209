"""The deterministic tracker as arrays, in the order of events of the sites and the server of `Deterministic`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from disttrack.protocols import kernel as slot
from disttrack.protocols.kernel import GO_ON, LARGEST, MOST, KernelForm
from disttrack.protocols.sites import Message, Server

REPORT: Final = Message("report")
"""A site's count has passed its threshold; one bit, since the server knows the thresholds."""
REPORTS, TOTAL, NUM, DEN = range(slot.OWN_WHOLE, slot.OWN_WHOLE + 4)
"""The messages, the sum of the reports, and the growth between two of them."""
REPORTED = slot.OWN
"""The count that a site reported last."""


def next_threshold(reported: Any, num: Any, den: Any) -> Any:
    """Return the count of the next report: the first above num / den times the one reported last."""
    return reported + reported * (num - den) // den + 1


def thresholds_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site report, and the server hear it."""
    count = sites[site, slot.COUNT]
    whole[TOTAL] += count - sites[site, REPORTED]
    real[slot.OUTPUT] = whole[TOTAL]
    sites[site, REPORTED] = count
    sites[site, slot.NEXT] = next_threshold(count, whole[NUM], whole[DEN])
    whole[REPORTS] += 1
    whole[slot.MESSAGES] += 1
    sites[site, slot.SENT] += 1
    return GO_ON


class ThresholdsForm(KernelForm):
    """All sites and the server.

    Parameters
    ----------
    server
        The protocol's own.
    growth
        Numerator and denominator of the growth between two reports.
    scale
        The fraction by which the output is multiplied.
    start
        Items that each site holds already.
    """

    turn = staticmethod(thresholds_turn)
    messages = ((REPORT, REPORTS),)

    def __init__(
        self, k: int, server: Server, growth: tuple[int, int], scale: tuple[int, int], start: Sequence[int]
    ) -> None:
        super().__init__(k)
        self.server, self.scale = server, scale
        self.most_items = min(MOST, LARGEST // (growth[0] - growth[1]))  # the factor of `next_threshold`
        whole, sites = self.whole, self.sites
        whole[TOTAL], whole[NUM], whole[DEN] = sum(start), *growth
        self.real[slot.OUTPUT] = whole[TOTAL]
        sites[:, slot.COUNT] = sites[:, REPORTED] = list(start) or 0
        if self.most_items >= whole[TOTAL]:
            sites[:, slot.NEXT] = next_threshold(sites[:, slot.COUNT], *growth)
        self._first = whole.copy(), sites.copy()

    def renew(self, rngs: Mapping[str, np.random.Generator]) -> bool:
        self.whole[:], self.sites[:] = self._first
        self.real[slot.OUTPUT] = self.whole[TOTAL]
        return True
