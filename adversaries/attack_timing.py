"""When to strike and at which sites: what the attackers that keep a belief have in common."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from disttrack.adversaries.base import View
from disttrack.adversaries.beliefs import Belief
from disttrack.mechanisms.checks import number

LIKELY = 0.95
"""Share of the best strike at which the wait ends, unless said otherwise."""


class AttackTiming:
    """Chooses the next site: one that is worth bringing to its report, or the store.

    To feed a site until it reports brings its error up, at a price: its items make the count larger, to which the error
    is compared. So the sites that gain most an item come first, and none beyond the point where the relative error is
    expected to be largest. A strike pays most when reports have just become rarer for as few items as can be. Until
    then all items are stored with one site, the last, which keeps the number of them low that the others need.

    Parameters
    ----------
    belief
        What is known of the errors; to be brought up to date by the caller.
    demand
        It strikes where it expects at least this share of the best that it could ever expect.
    """

    __slots__ = ("_epoch", "_queue", "_striking", "belief", "demand")

    def __init__(self, belief: Belief, demand: float) -> None:
        self.belief = belief
        self.demand = demand
        self._epoch = -1
        self._queue: deque[int] = deque()
        self._striking = False

    def next(self, view: View) -> int:
        """Return the site to feed until the output changes; to be called when it has."""
        belief = self.belief
        if belief.epoch != self._epoch or (self._striking and not self._queue):
            self._epoch = belief.epoch
            self._queue = self._strike(view)
            self._striking = bool(self._queue)
        return self._queue.popleft() if self._queue else view.sites - 1

    def _strike(self, view: View) -> deque[int]:
        """Return the sites to feed until each has reported, in order; none if it does not pay yet."""
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


def check_demand(value: Any) -> None:
    """Raise ValueError unless `value` is a share."""
    number("demand", value, "from 0 to 1", lambda share: 0 <= share <= 1)
