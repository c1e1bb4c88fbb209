"""The attacker that searches for each site's threshold by bisection."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.known import early, estimate
from disttrack.adversaries.schedules import Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.attack.adversaries.beliefs import BlockBelief, belief_of


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
