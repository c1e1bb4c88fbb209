"""The attacker that sees which site sends a message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from disttrack.adversaries.attack_timing import LIKELY, AttackTiming
from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.beliefs import SamplingBelief, belief_of
from disttrack.adversaries.schedules import Burst, Schedule
from disttrack.adversaries.views import TrafficView
from disttrack.mechanisms.checks import UpToOne
from disttrack.mechanisms.rules import BlockLayout


@dataclass
class Eavesdrop(Adversary):
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
    _lap: _Lap | None = field(default=None, init=False, repr=False, compare=False)

    def plan(self, view: View) -> Schedule | None:
        assert isinstance(view, TrafficView)
        if self._lap is None:
            self._lap = _Lap(view, self.keep)
        return self._lap.plan(view)


class _Lap:
    """The signals seen in this round, and the present site."""

    def __init__(self, view: TrafficView, keep: float) -> None:
        self.keep = keep
        belief = belief_of(view)
        self.striker = AttackTiming(belief, LIKELY) if isinstance(belief, SamplingBelief) else None
        self.sent, self.site = view.sent, 0
        self._begin(view)

    def _begin(self, view: TrafficView) -> None:
        """Begin a round, in which no site has signalled."""
        self.signals, self.turn, self.size = 0, 0, 1
        self.passed = False  # whether the present site has signalled, but too late to be left
        self.counts = [0] * view.sites

    def plan(self, view: TrafficView) -> Schedule | None:
        if self.striker is not None:
            self.striker.note(view, heard=view.heard)
            return Burst(self.striker.feed(view))
        self.counts[self.site] += view.sent - self.sent
        self.sent = view.sent
        kinds = {message.kind for message in view.heard}
        if kinds & {"round", "poll"}:  # either ends a round
            self._begin(view)
        elif any(message.sender == self.site for message in view.heard):
            self.signals += 1
            if self.turn < view.sites and not self.passed:
                # the first signals of the sites are uniform over a block: the latest of many shows how long it is
                self.size = max(self.size, self.counts[self.site])
            if self._early(view):
                self.turn += 1
                self.passed = False
            else:
                self.passed = True
        self.site = self.turn % view.sites
        return Burst(self.site)

    def _early(self, view: TrafficView) -> bool:
        """Return whether the last signal came early in its block."""
        if self.keep >= 1 or self.signals < view.sites // 8:
            return True
        return bool(BlockLayout(self.size).within(self.counts[self.site]) - 1 < self.keep * self.size)
