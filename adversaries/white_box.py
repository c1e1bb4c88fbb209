"""The attacker that sees the state of the sites and the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heapify, heapreplace
from typing import Any, ClassVar, Literal

from disttrack.adversaries.attack_timing import LIKELY, AttackTiming
from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.beliefs import SamplingBelief, belief_of
from disttrack.adversaries.schedules import Burst, Schedule
from disttrack.adversaries.views import StateView


@dataclass
class WhiteBox(Adversary):
    """Knows the place of each site's next signal, and feeds the site that signals soonest.

    A signal adds a block of D items to the estimate, for any number of items since the last. So it feeds the site with
    the fewest items before its threshold: each signal raises the error by D less those items. This gives up to k
    signals too many, twice the number possible by seeing the traffic alone. Against `randomized` it reads the error of
    each site from its state, and attacks as `posterior` does. If coins are tossed with the items there is nothing to
    predict: then it goes on at each message.
    """

    kind: ClassVar[str] = "white-box"
    source: ClassVar[str] = "derived; beyond any proof that rests on hidden thresholds"
    sees: ClassVar[Literal["outputs", "traffic", "state"]] = "state"

    _mind: Any = field(default=None, init=False, repr=False, compare=False)

    def plan(self, view: View) -> Schedule | None:
        assert isinstance(view, StateView)
        if self._mind is None:
            belief = belief_of(view)
            self._mind = _Sampled(belief) if isinstance(belief, SamplingBelief) else _Soonest()
        return Burst(self._mind.next(view))


class _Soonest:
    """Against trackers in rounds."""

    def __init__(self) -> None:
        self.queue: list[tuple[int, int]] = []
        self.site = 0

    def next(self, view: StateView) -> int:
        if not view.sent or any(message.kind in ("round", "poll") for message in view.heard):
            self.queue = [(distance, site) for site in range(view.sites) if (distance := _distance(view, site)) > 0]
            heapify(self.queue)
        elif self._spoke(view):
            heapreplace(self.queue, (_distance(view, self.site), self.site))
        if self.queue:
            self.site = self.queue[0][1]
        elif view.heard:
            self.site = (self.site + 1) % view.sites
        return self.site

    def _spoke(self, view: StateView) -> bool:
        """Return whether the site at the head of the queue, which is being fed, has signalled."""
        if not self.queue or self.queue[0][1] != self.site:
            return False
        return any(message.sender == self.site for message in view.heard)


def _distance(view: StateView, number: int) -> int:
    """Return the items that a site takes until its threshold; 0 if it has none, or a hidden one."""
    site = view.site(number)
    try:
        return int(site.due) - int(site.count)
    except (AttributeError, TypeError):
        return 0


class _Sampled:
    """Against `randomized`: the errors are read from the state when p has changed, and known in between."""

    def __init__(self, belief: SamplingBelief) -> None:
        self.belief = belief
        self.striker = AttackTiming(belief, LIKELY)

    def next(self, view: StateView) -> int:
        epoch = self.belief.epoch
        self.striker.note(view)
        if self.belief.epoch != epoch:
            self.belief.see([view.site(number).last[0] for number in range(view.sites)])
        return self.striker.feed(view)
