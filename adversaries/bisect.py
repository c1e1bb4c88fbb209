"""The attacker that searches for each site's threshold by bisection."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.beliefs import Belief, BlockBelief, belief_of
from disttrack.adversaries.known import early, estimate
from disttrack.adversaries.schedules import Burst, Schedule


@dataclass
class Bisect(Adversary):
    """Searches for the threshold of each site by bisection, and leaves a site when the threshold is found.

    A site's threshold is somewhere in a block of items. The attacker feeds the site half of the interval that may still
    contain the threshold. If the output changes, the threshold has been reached: the site is left there, with an
    estimate that is too high. Otherwise it goes on to the next site and returns later for half of the rest. So sites
    with early thresholds, which give the most error for the fewest items, are found first. When all are found, the
    items go to the last site until the block tracker's round is over; against other protocols the search restarts.
    """

    kind: ClassVar[str] = "bisect"
    source: ClassVar[str] = "derived; binary search for the thresholds of Xiong, Zhu, Huang 2023, Algorithm 1"

    _belief: Belief | None = field(default=None, init=False, repr=False, compare=False)
    _open: deque[tuple[int, int]] = field(default_factory=deque, init=False, repr=False, compare=False)
    _turn: tuple[int, int, int] = field(default=(0, 0, 0), init=False, repr=False, compare=False)
    _seen: tuple[int, int, int] = field(default=(0, 0, -1), init=False, repr=False, compare=False)

    def plan(self, view: View) -> Schedule | None:
        sent, changes, epoch = self._seen
        moved = view.changes != changes
        site, rest, given = self._turn
        if self._belief is None:
            self._belief = belief_of(view)
        else:
            self._belief.note(view, site, view.sent - sent, moved)
            if rest > given and not moved:
                self._open.append((site, rest - given))  # not found yet: somewhere in the rest
        blocks = isinstance(self._belief, BlockBelief)
        if self._belief.epoch != epoch or not (self._open or blocks):
            self._open = self._search(view, blocks)
        self._seen = view.sent, view.changes, self._belief.epoch
        if not self._open:
            self._turn = view.sites - 1, 0, 0
            return Burst(view.sites - 1)
        site, rest = self._open.popleft()
        half = (rest + 1) // 2
        self._turn = site, rest, half
        return Burst(site, half)

    def _search(self, view: View, blocks: bool) -> deque[tuple[int, int]]:
        """Return the sites, each with the length of the interval that contains its threshold."""
        if blocks:
            assert isinstance(self._belief, BlockBelief)
            size = self._belief.size
        else:
            size = math.ceil(max(0.0, estimate(view)) / early(view)) + 1
        return deque((site, size) for site in range(view.sites - 1)) if size >= 1 else deque()
