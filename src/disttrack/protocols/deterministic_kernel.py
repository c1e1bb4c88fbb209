"""The deterministic tracker as arrays, in the order of events of the sites and the server of `Deterministic`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from disttrack.protocols import kernel as slot
from disttrack.protocols.kernel import GO_ON, LARGEST, MOST, KernelForm, post_up
from disttrack.protocols.letters import FROM
from disttrack.protocols.sites import Message, Server

REPORT: Final = Message("report")
"""A site's count has passed its threshold; one bit, since the server knows the thresholds."""
REPORTS, TOTAL, NUM, DEN = range(slot.OWN_WHOLE, slot.OWN_WHOLE + 4)
"""The messages, the sum of the reports, and the growth between two of them."""
REPORTED = slot.OWN
"""The count that a site reported last, as the server knows it."""


def next_threshold(reported: Any, num: Any, den: Any) -> Any:
    """Return the count of the next report: the first above num / den times the one reported last."""
    return reported + reported * (num - den) // den + 1


def thresholds_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site report, and the server hear it."""
    count = sites[site, slot.COUNT]
    hear_of(whole, real, sites, site, count)
    sites[site, slot.NEXT] = next_threshold(count, whole[NUM], whole[DEN])
    whole[REPORTS] += 1
    whole[slot.MESSAGES] += 1
    sites[site, slot.SENT] += 1
    return GO_ON


def hear_of(whole: Any, real: Any, sites: Any, site: Any, count: Any) -> None:
    """Let the server hear that a site has this count."""
    whole[TOTAL] += count - sites[site, REPORTED]
    real[slot.OUTPUT] = whole[TOTAL]
    sites[site, REPORTED] = count


def thresholds_speaks(whole: Any, real: Any, sites: Any, mail: Any, site: Any) -> Any:
    """Let a site report, where messages take time."""
    sites[site, slot.NEXT] = next_threshold(sites[site, slot.COUNT], whole[NUM], whole[DEN])
    post_up(whole, sites, mail, site, REPORTS, 0)
    return GO_ON


def thresholds_heard(whole: Any, real: Any, sites: Any, mail: Any, letter: Any) -> Any:
    """Let the server hear a report: of the first threshold that it has not heard of."""
    site = letter[FROM]
    hear_of(whole, real, sites, site, next_threshold(sites[site, REPORTED], whole[NUM], whole[DEN]))
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
    speaks = staticmethod(thresholds_speaks)
    server_hears = staticmethod(thresholds_heard)
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
