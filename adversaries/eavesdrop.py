"""The attacker that sees which site sends a message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import ClassVar, Literal

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.beliefs import SamplingBelief, belief_of
from disttrack.adversaries.posterior import LIKELY, attack
from disttrack.adversaries.schedules import Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.adversaries.views import TrafficView
from disttrack.mechanisms.checks import UpToOne
from disttrack.mechanisms.rules import BlockLayout


@dataclass
class Eavesdrop(Scripted, Adversary):
    """Leaves every site right after its signal, which it sees on the channel although the output does not show it.

    Against trackers in blocks it goes over the sites and stays with each until it signals. Every site is then left
    with an estimate too high by half a block on average: k/2 signals too many, where the robust tracker's
    proof allows 8 C sqrt(k), since it assumes that signals are not seen. With `keep` below 1 a site whose signal
    came later than that share of its block is fed until its next signal; the length of a block is estimated from
    the latest of the first signals. Against `randomized` it sees which sites have redrawn their report
    when p was halved, and feeds only these until they report again.

    Parameters
    ----------
    keep
        Share of a block, above 0 and at most 1, within which a signal is early enough to leave the site.
    """

    kind: ClassVar[str] = "eavesdrop"
    source: ClassVar[str] = "derived; what the proof of Xiong, Zhu, Huang 2023 excludes: the channels are private"
    sees: ClassVar[Literal["outputs", "traffic", "state"]] = "traffic"

    keep: UpToOne = 1.0

    def script(self, view: TrafficView) -> Iterator[Burst]:
        belief = belief_of(view)
        if isinstance(belief, SamplingBelief):
            yield from attack(view, belief, LIKELY, lambda *move: belief.note(view, *move, heard=view.heard))
        while True:
            yield from self._round(view)

    def _round(self, view: TrafficView) -> Iterator[Burst]:
        """Go over the sites until the round ends, and stay with each until it has signalled early in its block."""
        counts = [0] * view.sites
        signals, size = 0, 1
        for turn in count():
            site, early, first = turn % view.sites, False, turn < view.sites
            while not early:
                sent = view.sent
                yield Burst(site)
                counts[site] += view.sent - sent
                if any(message.kind in ("round", "poll") for message in view.heard):
                    return  # either ends a round
                if all(message.sender != site for message in view.heard):
                    continue
                signals += 1
                if first:
                    # the first signals of the sites are uniform over a block: the latest of many shows how long it is
                    size, first = max(size, counts[site]), False
                early = self.keep >= 1 or signals < view.sites // 8
                early = early or BlockLayout(size).within(counts[site]) - 1 < self.keep * size
