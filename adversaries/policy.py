"""A family of attackers with a few numeric parameters, which `disttrack attack` searches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.known import early, estimate
from disttrack.adversaries.schedules import Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.adversaries.site_order import laps
from disttrack.mechanisms.checks import FromOne, NotNegative, Positive, UpToOne


@dataclass
class Policy(Scripted, Adversary):
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

    def script(self, view: View) -> Iterator[Burst]:
        for site in laps(view, self.reach, self.growth, self.begin):
            if site is None:
                yield Burst(view.sites - 1)
                continue
            changes = view.changes
            yield Burst(site, max(1, math.ceil(self.patience * _unit(view))))
            while view.changes != changes and (stay := math.floor(self.stay * _unit(view))):
                changes = view.changes
                yield Burst(site, stay)


def _unit(view: View) -> float:
    """Return alpha · output / (c sqrt(k))."""
    return max(0.0, estimate(view)) / early(view)
