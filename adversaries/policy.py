"""A family of attackers with a few numeric parameters, which `disttrack attack` searches."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.known import early, estimate
from disttrack.adversaries.schedules import Burst, Schedule
from disttrack.adversaries.site_order import SiteOrder
from disttrack.mechanisms.checks import FromOne, NotNegative, Positive, UpToOne


@dataclass
class Policy(Adversary):
    """Goes over the sites in laps; five numbers decide when it leaves a site and when a lap begins.

    The unit of `stay` and `patience` is alpha · output / (c sqrt(k)) items, about what a site of a sampling
    tracker gets between two reports; c is the protocol's `confidence`, 3 if it has none, and alpha its accuracy,
    0.1 if it has none. `freeze` and `drain` are members of the family, and so is a slow round-robin.

    Parameters
    ----------
    stay
        Additional length of its stay at a site after the output has changed, in units.
    patience
        Length of its wait at a site for the output to change, in units.
    reach, growth, begin
        Share of the sites in a lap, growth of the output from one lap to the next, output at which the first begins
        in units of c sqrt(k) / alpha items.
    """

    kind: ClassVar[str] = "policy"
    source: ClassVar[str] = "derived; contains freeze (stay 0, great patience) and drain (stay = patience)"

    stay: NotNegative = 0.0
    patience: Positive = 8.0
    reach: UpToOne = 1.0
    growth: FromOne = 1.0
    begin: NotNegative = 0.0
    _laps: SiteOrder | None = field(default=None, init=False, repr=False, compare=False)
    _site: int = field(default=0, init=False, repr=False, compare=False)
    _changes: int = field(default=0, init=False, repr=False, compare=False)
    _leaving: bool = field(default=True, init=False, repr=False, compare=False)

    def plan(self, view: View) -> Schedule:
        if self._laps is None:
            self._laps = SiteOrder(self.reach, self.growth, self.begin)
        moved = view.changes != self._changes
        self._changes = view.changes
        unit = max(0.0, estimate(view)) / early(view)
        if moved and not self._laps.storing and (wait := math.floor(self.stay * unit)):
            return Burst(self._site, wait)
        # its time is over, with or without a change, or the change came and there is nothing to wait for
        self._site = self._laps.next(view)
        if self._laps.storing:
            return Burst(self._site)
        return Burst(self._site, max(1, math.ceil(self.patience * unit)))
