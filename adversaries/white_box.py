"""The attacker that sees the state of the sites and the server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapreplace
from typing import Any, ClassVar, Literal

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.beliefs import SamplingBelief, belief_of
from disttrack.adversaries.posterior import LIKELY, attack
from disttrack.adversaries.schedules import Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.adversaries.views import StateView


@dataclass
class WhiteBox(Scripted, Adversary):
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

    def script(self, view: StateView) -> Iterator[Burst]:
        belief = belief_of(view)
        if isinstance(belief, SamplingBelief):
            return _by_errors(view, belief)
        return _by_thresholds(view)


def _by_thresholds(view: StateView) -> Iterator[Burst]:
    """Attack trackers in rounds."""
    site, queue = 0, _queue(view)
    while True:
        if queue:
            site = queue[0][1]
        yield Burst(site)
        if any(message.kind in ("round", "poll") for message in view.heard):
            queue = _queue(view)
        elif queue and any(message.sender == site for message in view.heard):
            heapreplace(queue, (_distance(view, site), site))
        if view.heard and not queue:
            site = (site + 1) % view.sites


def _queue(view: StateView) -> list[tuple[int, int]]:
    """Return the sites that have a visible threshold, as a heap by the items until then."""
    return sorted((distance, site) for site in range(view.sites) if (distance := _distance(view, site)) > 0)


def _distance(view: StateView, number: int) -> int:
    """Return the items that a site takes until its threshold; 0 if it has none, or a hidden one."""
    site = view.site(number)
    try:
        return int(site.due) - int(site.count)
    except (AttributeError, TypeError):
        return 0


def _by_errors(view: StateView, belief: SamplingBelief) -> Iterator[Burst]:
    """Attack `randomized`: the errors are read from the state when p has changed, and known in between."""

    def note(*move: Any) -> None:
        epoch = belief.epoch
        belief.note(view, *move)
        if belief.epoch != epoch:
            belief.see([view.site(number).last[0] for number in range(view.sites)])

    return attack(view, belief, LIKELY, note)
