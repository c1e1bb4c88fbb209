"""The last seen or possible unseen report of each site, and the variance of its estimate since then."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from disttrack.attack.adversaries.beliefs.base import Reals
from disttrack.mechanisms.rules.sampling import variance, variance_redrawn

Mask = npt.NDArray[np.bool_]


class LastSeen:
    """For each site, cases of its last report before any redraw: their probabilities, items, and 1/p at the time.

    Most sites have one case. A site that was fed in a step in which p fell may or may not have reported then: two.
    A table has one row per case and one column per site.

    Parameters
    ----------
    sites, inverse
        Number of sites, none of which has reported yet, and 1/p.
    """

    def __init__(self, sites: int, inverse: int) -> None:
        self._chance: Reals = np.ones((1, sites))
        self._item: Reals = np.zeros((1, sites))
        self._then: Reals = np.full((1, sites), float(inverse))

    @property
    def certain(self) -> npt.NDArray[np.int64]:
        """The last item that each site reported, 0 for none, if that is known."""
        items: npt.NDArray[np.int64] = self._item[0].astype(np.int64)
        return items

    def see(self, site: int, item: int, inverse: int) -> None:
        """Record that a site has reported this item."""
        self._chance[:, site] = 0
        self._set(0, site, 1.0, item, inverse)

    def see_all(self, items: npt.NDArray[np.int64], inverse: int) -> None:
        """Record the last reports of all sites, under the present p."""
        self._chance[:] = 0
        self._chance[0], self._item[0], self._then[0] = 1, items, inverse

    def suspect(self, site: int, item: int, inverse: int, chance: float) -> None:
        """Record that a site may have reported this item, with this probability."""
        if chance == 1:
            self.see(site, item, inverse)
        elif chance:
            self._chance[:, site] *= 1 - chance
            free = np.flatnonzero(self._chance[:, site] == 0)
            if not len(free):
                self._append_row()
            self._set(int(free[0]) if len(free) else -1, site, chance, item, inverse)

    def variances(self, inverse: int) -> Reals:
        """Return the variance that redraws have added to each site's estimate by the time that 1/p is `inverse`."""
        variances: Reals = (self._chance * variance_redrawn(self._item, self._then, inverse)).sum(axis=0)
        return variances

    def holding(self, inverse: int) -> Reals:
        """Return the probability that each site still has a report while 1/p is `inverse`."""
        none = (1 - self._then / inverse) * (1 - 1 / inverse) ** self._before
        chances: Reals = (self._chance * (self._item > 0) * (1 - none)).sum(axis=0)
        return chances

    def variances_anew(self, inverse: int) -> Reals:
        """Return the variance of each site's estimate if it has lost its report and 1/p is `inverse`."""
        variances: Reals = (self._chance * variance(self._before, inverse)).sum(axis=0)
        return variances

    def redrew(self, lost: Mask, factor: float) -> None:
        """Record which sites have lost their reports while 1/p grew by a factor; the others kept theirs."""
        self._then = np.where(lost, 0.0, self._then * factor)

    @property
    def _before(self) -> Reals:
        """Items before the one reported, 0 if there is none."""
        before: Reals = np.maximum(self._item, 1) - 1
        return before

    def _set(self, row: int, site: int, chance: float, item: int, inverse: int) -> None:
        self._chance[row, site], self._item[row, site], self._then[row, site] = chance, item, inverse

    def _append_row(self) -> None:
        none, once = np.zeros((1, self._chance.shape[1])), np.ones((1, self._chance.shape[1]))
        self._chance, self._item = np.vstack((self._chance, none)), np.vstack((self._item, none))
        self._then = np.vstack((self._then, once))
