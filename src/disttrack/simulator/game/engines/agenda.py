"""The next messages of sites that a random stream feeds, without a look at sites that are silent for longer.

Up to a *horizon* the counts of all sites are known, and so which of them reach the number at which they send their next
message. The steps of these are looked for one by one. The horizon is near enough that they are few: after a message of
the server all of them may have other numbers, and are looked for anew.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any, Final

import numpy as np

from disttrack.adversaries.random_streams import RandomStream
from disttrack.protocols.kernel import COUNT, NEXT, Whole

FEWEST: Final = 8
"""Number of sites up to which a horizon is near enough."""


class Agenda:
    """The messages of all sites in the order of their steps; steps are those of the plan.

    Parameters
    ----------
    stream
        The plan.
    sites
        The sites of the compiled tracker. Their counts are kept up for a site that sends a message, and by `count`.

    Attributes
    ----------
    steps
        Step, site and item of each message up to the horizon: a heap.
    size
        Positions in the interval at whose end the horizon lies: a power of two.
    fresh
        Whether any site may have another next message.
    """

    def __init__(self, stream: RandomStream, sites: Whole) -> None:
        self._stream, self._sites = stream, sites
        self._items = np.zeros(len(sites), dtype=np.int64)
        """The items of the plan of each site, when its count was last kept up."""
        self._most = max(FEWEST, len(sites) // max(1, (len(sites) - 1).bit_length()))
        self.size = 1 << (stream.begin.bit_length() - 1)
        self._horizon = 0
        self._by_horizon: Any = self._items
        self.steps: list[tuple[int, int, int]] = []
        self.fresh = True

    def following(self, now: int, last: int) -> tuple[int, int]:
        """Return the next message after a step: its step and site; the site is -1 if there is none by the last step."""
        steps = self.steps
        if self.fresh:
            self.look_on(now, self.size)
            self.fresh = False
        elif steps and steps[0][0] == now:
            _, site, item = heappop(steps)
            self._items[site] = item
            self._plan(site)
        while not steps:
            if self._horizon >= last:
                return last, -1
            self.look_on(self._horizon, 2 * self.size)
        step, site, _ = steps[0]
        return (step, site) if step <= last else (last, -1)

    def count(self, now: int) -> None:
        """Keep up the counts of all sites; their next messages may then be changed."""
        items = self._stream.counts(now)
        self._sites[:, COUNT] += items - self._items
        if self.steps and self.steps[0][0] == now:  # its count was kept up before it sent a message
            _, site, item = self.steps[0]
            self._sites[site, COUNT] -= item - self._items[site]
        self._items, self.fresh = items, True

    def look_on(self, now: int, size: int) -> None:
        """Set the horizon after a step, and look for the messages up to it."""
        position = self._stream.begin + now
        due = self._items + (self._sites[:, NEXT] - self._sites[:, COUNT])
        size = min(size, 1 << (position.bit_length() - 1))
        while True:
            horizon = (position // size + 1) * size - self._stream.begin
            items = self._stream.counts(horizon)
            sites = np.flatnonzero(items >= due)
            if len(sites) <= self._most:  # as in a step of one item
                break
            size //= 2
        self.size, self._horizon, self._by_horizon = size, horizon, items
        self.steps[:] = [(self._stream.nth(site, due[site].item()), site, due[site].item()) for site in sites.tolist()]
        heapify(self.steps)

    def _plan(self, site: int) -> None:
        """Look for the next message of a site."""
        item = int(self._items[site] + self._sites[site, NEXT] - self._sites[site, COUNT])
        if item <= self._by_horizon[site]:
            heappush(self.steps, (self._stream.nth(site, item), site, item))
