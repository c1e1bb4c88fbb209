"""The attacker that keeps the posterior of the error, site by site, and the timing of attacks by such a belief."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.beliefs import Belief, belief_of
from disttrack.adversaries.schedules import Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import ZeroToOne

LIKELY: Final = 0.95
"""Default share of the best strike at which the wait ends."""


@dataclass
class Posterior(Scripted, Adversary):
    """Feeds the site with the largest expected increase of the total error, at the best time.

    From the outputs and the algorithm it computes the expected error of each site. For `block` that is the error
    itself, which the outputs determine; for `randomized` the posterior mean given all outputs, computed exactly while
    few combinations of reports are possible and otherwise as the best linear estimate, with exact means, variances and
    total (`SamplingBelief`); for trackers that hide their signals it is the information of a release about the last
    site, and for others the change of the total error while a site is fed. `attack` decides which sites it then
    feeds, and when.

    Parameters
    ----------
    demand
        It attacks when it expects at least this share of the best attack possible at any time, 0 to 1.
    """

    kind: ClassVar[str] = "posterior"
    source: ClassVar[str] = "derived; the posterior of each site under Huang, Yi, Zhang 2012 and the block tracker"

    demand: ZeroToOne = LIKELY

    def script(self, view: View) -> Iterator[Burst]:
        belief = belief_of(view)
        return attack(view, belief, self.demand, partial(belief.note, view))


def attack(view: View, belief: Belief, demand: float, note: Callable[..., Any]) -> Iterator[Burst]:
    """Feed sites that are worth driving to their reports, or else the store; each until the output changes.

    Feeding a site until it reports increases its error, at a price: its items increase the count, relative to which the
    error is measured. So the sites that gain most per item come first, and none beyond the point at which the relative
    error is expected to be largest. A strike pays most when reports have just become rarer, at the smallest possible
    count. Until then all items are stored at one site, the last, which keeps the counts of the other sites low.

    Parameters
    ----------
    belief
        The belief about the errors.
    demand
        It strikes when it expects at least this share of the best strike possible at any time.
    note
        Updates the belief, given a site, the items that it got, and whether the output changed with the last of them.
    """
    while True:
        epoch, queue = belief.epoch, strike(view, belief, demand)
        striking = bool(queue)
        while belief.epoch == epoch and (queue or not striking):
            site, changes = queue.popleft() if queue else view.sites - 1, view.changes
            while view.changes == changes:
                sent = view.sent
                yield Burst(site)
                note(site, view.sent - sent, view.changes != changes)


def strike(view: View, belief: Belief, demand: float) -> deque[int]:
    """Return the sites to feed until each has reported, in order; none if a strike does not pay yet."""
    count = view.start + view.sent
    gain, cost = belief.prospects()
    order = np.argsort(-gain / cost, kind="stable")
    gained, spent = np.cumsum(gain[order]), np.cumsum(cost[order])
    error = float(view.output) - count
    expected = (error + gained) / (count + spent)
    expected[spent > view.left] = -1.0
    best = int(expected.argmax())
    now_or_never = view.left < count  # there will hardly be another chance
    wanted = 0.0 if now_or_never else demand * belief.ideal()
    if expected[best] <= max(wanted, error / max(count, 1)):
        return deque()
    return deque(order[: best + 1].tolist())
