"""The joint distribution of the last reports of all sites, by enumerating combinations: exact while these are few."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from disttrack.attack.adversaries.beliefs.base import Reals
from disttrack.mechanisms.rules.sampling import chances_redrawn, estimate

LIMIT: Final = 2**18
"""Maximum number of combinations times the number of sites."""

Combinations = npt.NDArray[np.int64]


class JointReports:
    """The last reported item of each site, as a distribution over combinations.

    Parameters
    ----------
    lasts
        The combinations: one row each, one column per site, 0 for no report.
    chances
        Their probabilities.
    """

    def __init__(self, lasts: Combinations, chances: Reals) -> None:
        self._lasts, self._chances = lasts, chances

    def means(self, inverse: int) -> Reals:
        """Return the expected estimate of each site."""
        expected: Reals = self._chances @ estimate(self._lasts, inverse)
        return expected

    def reported(self, site: int, item: int) -> JointReports:
        """Return the distribution after a site has reported this item."""
        lasts = self._lasts.copy()
        lasts[:, site] = item
        return JointReports(lasts, self._chances)

    def redrawn(self, site: int, item: int, before: int, inverse: int) -> JointReports | None:
        """Return the distribution after 1/p has grown from `before` at this item of a site; None if it is too large.

        The coin of the item was tossed, unseen, with the old p.
        """
        lasts, chances = np.vstack((self._lasts, self.reported(site, item)._lasts)), self._chances / before
        chances = np.append(self._chances - chances, chances)
        ways = np.log1p(lasts).sum(axis=1)  # a report of item l may become any of 0, 1, …, l
        if np.exp(np.minimum(ways, 700)).sum() * lasts.shape[1] > LIMIT:
            return None
        for each in np.flatnonzero(lasts.any(axis=0)).tolist():
            lasts, chances = _redrawn(lasts, chances, each, before, inverse)
        return JointReports(lasts, chances)

    def given(self, total: float, inverse: int) -> JointReports | None:
        """Return the distribution given that the estimates add up to `total`; None if they cannot."""
        fits = (estimate(self._lasts, inverse).sum(axis=1) == total) & (self._chances > 0)
        if not fits.any():
            return None
        lasts, places = np.unique(self._lasts[fits], axis=0, return_inverse=True)
        chances = np.bincount(places.ravel(), weights=self._chances[fits])
        return JointReports(lasts, chances / chances.sum())


def _redrawn(lasts: Combinations, chances: Reals, site: int, before: int, inverse: int) -> tuple[Combinations, Reals]:
    """Let one site redraw its report in each combination."""
    parts: list[Combinations] = []
    weights: list[Reals] = []
    for last in np.unique(lasts[:, site]).tolist():
        rows = lasts[:, site] == last
        ways = chances_redrawn(last, before, inverse)
        anew = np.repeat(lasts[rows], last + 1, axis=0)
        anew[:, site] = np.tile(np.arange(last + 1), int(rows.sum()))
        parts.append(anew)
        weights.append(np.outer(chances[rows], ways).ravel())
    return np.concatenate(parts), np.concatenate(weights)
