"""What the outputs tell of trackers that hide their signals, and of those of which nothing is known."""

from __future__ import annotations

import numpy as np

from disttrack.adversaries.base import View
from disttrack.adversaries.beliefs.base import Belief, Reals


class CaughtBelief(Belief):
    """Against trackers that hide their signals: a release only tells that the site fed then has signalled.

    Of all other sites the posterior is as good as the prior. So a site that has been caught is worth leaving until
    the round is over, which shows by an output that equals the count, and else all sites are alike.

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

    def ideal(self) -> float:
        return 0.0


class AttributedBelief(Belief):
    """Against any other protocol: whatever the total error does while a site is fed is put down to this site.

    That is exact where the server's estimate is a sum over the sites. Where an output equals the count, all are
    taken to be right again.
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

    def ideal(self) -> float:
        return 0.0
