"""Attackers that keep a belief about the error of each site, and the one that searches thresholds by bisection."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from heapq import heapreplace
from itertools import count
from typing import ClassVar, Final

import numpy as np

from disttrack.adversaries.base import Adversary, Sees, View, early, estimate
from disttrack.adversaries.schedules import Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.adversaries.views import StateView, TrafficView
from disttrack.attack.adversaries.beliefs import Belief, BlockBelief, SamplingBelief, belief_of
from disttrack.mechanisms.checks import UpToOne, ZeroToOne
from disttrack.mechanisms.rules import BlockLayout

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

    Source
    ------
    derived; the posterior of each site under Huang, Yi, Zhang 2012 and the block tracker.
    """

    kind: ClassVar[str] = "posterior"

    demand: ZeroToOne = LIKELY

    def script(self, view: View) -> Iterator[Burst]:
        belief = belief_of(view)
        return attack(view, belief, self.demand, partial(belief.note, view))


def attack(view: View, belief: Belief, demand: float, note: Callable[..., object]) -> Iterator[Burst]:
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

    Source
    ------
    derived; what the proof of Xiong, Zhu, Huang 2023 excludes: the channels are private.
    """

    kind: ClassVar[str] = "eavesdrop"
    plays: ClassVar[tuple[str, ...]] = ("count", "generalisation")
    sees: ClassVar[Sees] = "traffic"

    keep: UpToOne = 1.0

    def script(self, view: TrafficView) -> Iterator[Burst]:
        belief = belief_of(view)
        if isinstance(belief, SamplingBelief):

            def note(site: int, items: int, changed: bool) -> None:
                belief.note(view, site, items, changed, view.heard)

            yield from attack(view, belief, LIKELY, note)
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


@dataclass
class WhiteBox(Scripted, Adversary):
    """Knows the place of each site's next signal, and feeds the site that signals soonest.

    A signal adds a block of D items to the estimate, for any number of items since the last. So it feeds the site with
    the fewest items before its threshold: each signal raises the error by D less those items. This gives up to k
    signals too many, twice the number possible by seeing the traffic alone. Against `randomized` it reads the error of
    each site from its state, and attacks as `posterior` does. If coins are tossed with the items there is nothing to
    predict: then it goes on at each message.

    Source
    ------
    derived; beyond any proof that rests on hidden thresholds.
    """

    kind: ClassVar[str] = "white-box"
    plays: ClassVar[tuple[str, ...]] = ("count", "generalisation")
    sees: ClassVar[Sees] = "state"

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

    def note(site: int, items: int, changed: bool) -> None:
        epoch = belief.epoch
        belief.note(view, site, items, changed)
        if belief.epoch != epoch:
            belief.see([view.site(number).last[0] for number in range(view.sites)])

    return attack(view, belief, LIKELY, note)


@dataclass
class Bisect(Scripted, Adversary):
    """Searches for the threshold of each site by bisection, and leaves a site when the threshold is found.

    A site's threshold is somewhere in a block of items. The attacker feeds the site half of the interval that may still
    contain the threshold. If the output changes, the threshold has been reached: the site is left there, with an
    estimate that is too high. Otherwise it goes on to the next site and returns later for half of the rest. So sites
    with early thresholds, which give the most error for the fewest items, are found first. When all are found, the
    items go to the last site until the block tracker's round is over; against other protocols the search restarts.

    Source
    ------
    derived; binary search for the thresholds of Xiong, Zhu, Huang 2023, Algorithm 1.
    """

    kind: ClassVar[str] = "bisect"

    def script(self, view: View) -> Iterator[Burst]:
        belief, epoch = belief_of(view), -1
        unsolved: deque[tuple[int, int]] = deque()
        while True:
            if belief.epoch != epoch or not (unsolved or isinstance(belief, BlockBelief)):
                epoch = belief.epoch
                # each site, with the length of the interval that contains its threshold
                size = belief.size if isinstance(belief, BlockBelief) else _gap(view)
                unsolved = deque((site, size) for site in range(view.sites - 1) if size)
            site, rest = unsolved.popleft() if unsolved else (view.sites - 1, 0)
            half = (rest + 1) // 2
            sent, changes = view.sent, view.changes
            yield Burst(site, half) if rest else Burst(site)
            moved = view.changes != changes
            belief.note(view, site, view.sent - sent, moved)
            if rest > half and not moved:
                unsolved.append((site, rest - half))  # not found yet: somewhere in the rest


def _gap(view: View) -> int:
    """Return about the number of items that a site of a sampling tracker gets between two reports."""
    return math.ceil(max(0.0, estimate(view)) / early(view)) + 1
