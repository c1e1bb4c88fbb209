"""The attacker that keeps the posterior of the error, site by site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from disttrack.adversaries.attack_timing import LIKELY, attack
from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.beliefs import belief_of
from disttrack.adversaries.schedules import Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import ZeroToOne


@dataclass
class Posterior(Scripted, Adversary):
    """Feeds the site with the largest expected increase of the total error, at the best time.

    From the outputs and the algorithm it computes the expected error of each site. For `block` that is the error
    itself, which the outputs determine; for `randomized` the posterior mean given all outputs, computed exactly while
    few combinations of reports are possible and otherwise as the best linear estimate, with exact means, variances and
    total (`SamplingBelief`); for trackers that hide their signals it is the information of a release about the last
    site, and for others the change of the total error while a site is fed. `attack_timing.py` decides which sites it
    then feeds, and when.

    Parameters
    ----------
    demand
        It attacks when it expects at least this share of the best attack possible at any time, 0 to 1.
    """

    kind: ClassVar[str] = "posterior"
    source: ClassVar[str] = "derived; the posterior of each site under Huang, Yi, Zhang 2012 and the block tracker"

    demand: ZeroToOne = LIKELY

    def script(self, view: View) -> Iterator[Burst]:
        belief = belief_of(view)
        return attack(view, belief, self.demand, partial(belief.note, view))
