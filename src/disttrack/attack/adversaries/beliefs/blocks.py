"""The belief about the tracker `block`."""

from __future__ import annotations

import numpy as np

from disttrack.adversaries.base import View
from disttrack.adversaries.known import block_sizes
from disttrack.attack.adversaries.beliefs.base import Belief, Reals
from disttrack.mechanisms.rules import BlockLayout


class BlockBelief(Belief):
    """Against `block`: a signal at a uniform place of each block of D items, the estimate D times the signals.

    The errors are known exactly, because every signal is seen. The time of the next signal is unknown, and
    uniform over the rest of the block.

    Source
    ------
    Overview of Xiong, Zhu, Huang 2023, as in `block`.
    """

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._sizes = block_sizes(view)
        self._signalled = np.zeros(view.sites, dtype=bool)
        self._place: Reals = np.zeros(view.sites)
        self._begin(view.start)

    def _begin(self, total: int) -> None:
        self._layout = BlockLayout(self._sizes.size(total))
        self._signals, self._limit = 0, self._layout.signals_to_double(total) if self.size else 0
        self.errors[:] = 0
        self._place[:] = 0
        self._signalled[:] = False
        self.epoch += 1

    @property
    def size(self) -> int:
        """Items in a block; 0 while every item is forwarded."""
        return self._layout.size

    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        if not self.size:
            self._begin(view.start + view.sent)
            return
        self._signals += changed
        if self._signals >= self._limit:
            self._begin(view.start + view.sent)  # the round is over: the output is exact
            return
        self.errors[site] += self._layout.items(changed) - items
        place = self._place[site] + items
        if place > self.size:
            self._signalled[site] = False
        self._place[site] = self._layout.within(place) if place else 0
        self._signalled[site] |= changed

    def prospects(self) -> tuple[Reals, Reals]:
        size, place, done = self.size, self._place, self._signalled
        rest = size - place
        wait = np.where(done, rest + (size + 1) / 2, (rest + 1) / 2)
        return size - wait, wait

    def ideal(self) -> float:
        half = len(self.errors) * self._sizes.share / 2
        return half / (1 + half)
