"""Time and sites of a strike: the common part of the attackers that keep a belief."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from disttrack.adversaries.base import View
from disttrack.adversaries.beliefs import Belief

LIKELY = 0.95
"""Default share of the best strike at which the wait ends."""


class AttackTiming:
    """Chooses the next site: one that is worth driving to its report, or the store.

    Feeding a site until it reports increases its error, at a price: its items increase the count, relative to which the
    error is measured. So the sites that gain most per item come first, and none beyond the point at which the relative
    error is expected to be largest. A strike pays most when reports have just become rarer, at the smallest possible
    count. Until then all items are stored at one site, the last, which keeps the counts of the other sites low.

    Parameters
    ----------
    belief
        The belief about the errors, which it keeps up to date.
    demand
        It strikes when it expects at least this share of the best strike possible at any time.
    """

    __slots__ = ("_changes", "_epoch", "_moved", "_queue", "_sent", "_site", "_striking", "belief", "demand")

    def __init__(self, belief: Belief, demand: float) -> None:
        self.belief = belief
        self.demand = demand
        self._epoch = -1
        self._queue: deque[int] = deque()
        self._striking = False
        self._site = self._sent = self._changes = 0
        self._moved = True

    def note(self, view: View, **seen: Any) -> None:
        """Update the belief by the moves since the last request, and by other information that it can use."""
        if view.sent:
            self._moved = view.changes != self._changes
            self.belief.note(view, self._site, view.sent - self._sent, self._moved, **seen)
        self._sent, self._changes = view.sent, view.changes

    def feed(self, view: View) -> int:
        """Return the site to feed, another one only if the output has changed; to be called after `note`."""
        if self._moved:
            self._site = self.next(view)
        return self._site

    def next(self, view: View) -> int:
        """Return the site to feed until the output changes; to be called after each change."""
        belief = self.belief
        if belief.epoch != self._epoch or (self._striking and not self._queue):
            self._epoch = belief.epoch
            self._queue = self._strike(view)
            self._striking = bool(self._queue)
        return self._queue.popleft() if self._queue else view.sites - 1

    def _strike(self, view: View) -> deque[int]:
        """Return the sites to feed until each has reported, in order; none if a strike does not pay yet."""
        count = view.start + view.sent
        gain, cost = self.belief.prospects()
        order = np.argsort(-gain / cost, kind="stable")
        gained, spent = np.cumsum(gain[order]), np.cumsum(cost[order])
        error = float(view.output) - count
        expected = (error + gained) / (count + spent)
        expected[spent > view.left] = -1.0
        best = int(expected.argmax())
        now_or_never = view.left < count  # there will hardly be another chance
        wanted = 0.0 if now_or_never else self.demand * self.belief.ideal()
        if expected[best] <= max(wanted, error / max(count, 1)):
            return deque()
        return deque(order[: best + 1].tolist())
