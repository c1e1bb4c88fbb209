"""The order of the sites: laps over the sites, and the site for the items between two laps."""

from __future__ import annotations

from disttrack.adversaries.base import View
from disttrack.adversaries.known import early


class SiteOrder:
    """Goes over the first sites in turn, lap after lap, and stores items at the last site in between.

    Parameters
    ----------
    reach
        Share of the sites in a lap, above 0 and at most 1.
    growth
        Factor by which the output grows from the start of one lap to that of the next, at least 1. With 1
        laps follow immediately.
    begin
        Output at the start of the first lap, in units of c sqrt(k) / alpha items (see `early`); 0 for the start.

    Attributes
    ----------
    storing
        Whether it is between two laps.
    """

    __slots__ = ("_lap", "_place", "_target", "begin", "growth", "reach", "storing")

    def __init__(self, reach: float, growth: float, begin: float) -> None:
        self.reach, self.growth, self.begin = reach, growth, begin
        self.storing = True
        self._place = 0
        self._lap = 0
        self._target = -1.0

    def next(self, view: View) -> int:
        """Return the next site: to be called when the present one is done, and at each change while storing."""
        if self._target < 0:
            self._target = self.begin * early(view)
            self._lap = max(1, round(self.reach * view.sites))
        if not self.storing:
            self._place += 1
            if self._place < self._lap:
                return self._place
            self.storing = True
        if self.storing:
            output = float(view.output)
            if output < self._target:
                return view.sites - 1
            self.storing, self._place = False, 0
            self._target = output * self.growth if self.growth > 1 else 0.0
        return self._place
