"""Base class of beliefs: the expected error of each site, and the effect of feeding it; and the simplest beliefs."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import View, block_sizes
from disttrack.mechanisms.rules import BlockLayout

Reals = npt.NDArray[np.float64]


class Belief(ABC):
    """A belief about the errors of the sites, from the outputs and the algorithm.

    Attributes
    ----------
    errors
        Expected error of each site, in items: the server's estimate of it minus its items.
    epoch
        Increases whenever the distribution of the reports has changed, so that plans should be reconsidered.
    """

    def __init__(self, view: View) -> None:
        self.errors: Reals = np.zeros(view.sites)
        self.epoch = 0

    @abstractmethod
    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        """Record that `site` was given `items` items, and whether the output changed with the last of them."""

    @abstractmethod
    def prospects(self) -> tuple[Reals, Reals]:
        """Return the growth of each site's error if it is fed until the output changes, and the items needed for it."""

    def ideal(self) -> float:
        """Return the largest relative error expected from feeding each site until it reports; 0 if unknown."""
        return 0.0


class CaughtBelief(Belief):
    """Against trackers that hide their signals: a release only shows that the last site has signalled.

    For all other sites the posterior is as good as the prior. So a site that has been caught is left until
    the round is over, which is visible as an output equal to the count; otherwise all sites are equal.

    Source
    ------
    The privacy-leaked set of Xiong, Zhu, Huang 2023, section 4.
    """

    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        if changed and view.output == view.start + view.sent:
            self.errors[:] = 0
            self.epoch += 1
        elif changed:
            self.errors[site] += 1

    def prospects(self) -> tuple[Reals, Reals]:
        return 1 - self.errors, np.ones(len(self.errors))


class AttributedBelief(Belief):
    """Against any other protocol: changes of the total error while a site is fed are attributed to this site.

    That is exact if the server's estimate is a sum over the sites. When an output equals the count, all sites are
    assumed to be right again.
    """

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._total = 0.0
        self._jump = 1.0

    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        total = float(view.output) - view.start - view.sent
        moved, self._total = total - self._total, total
        self.errors[site] += moved
        if not changed:
            return
        if not total:
            self.errors[:] = 0
            self.epoch += 1
        elif moved + items > 0:
            self._jump = moved + items

    def prospects(self) -> tuple[Reals, Reals]:
        # a report sets the site's error to about half a jump, and takes about a jump of items
        return self._jump / 2 - self.errors, np.full(len(self.errors), max(1.0, self._jump))


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
