"""Adversaries that react to the outputs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, repeat
from typing import ClassVar, Final

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.known import early, estimate
from disttrack.adversaries.schedules import NEVER, Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.adversaries.site_order import laps
from disttrack.mechanisms.checks import FromOne, Natural, NotNegative, Positive, UpToOne

SHARES: Final = 100
"""Number of shares that `coin` gives to a site, on average."""


@dataclass
class Freeze(Scripted, Adversary):
    """Feeds a site until the output changes, then goes on to the next, in laps over the sites.

    If a site keeps state between its reports, each site is left right after a report, when the server's
    estimate for it is highest: the errors of the k sites add up instead of cancelling. A lap over all sites does
    most harm if it begins with few items while reports are rare; so it may wait between laps, and feed the last
    site in the meantime.

    Parameters
    ----------
    reach
        Share of the sites in a lap.
    growth
        Factor by which the output grows from the start of a lap to that of the next; 1 never waits.
    begin
        Output at the start of the first lap, in units of c sqrt(k) / alpha items; c is the protocol's
        `confidence`, 3 if it has none, and alpha its accuracy, 0.1 if it has none.
    """

    kind: ClassVar[str] = "freeze"
    source: ClassVar[str] = "the attack on Huang, Yi, Zhang 2012 of Xiong, Zhu, Huang 2023, section 1.2"

    reach: UpToOne = 1.0
    growth: FromOne = 1.0
    begin: NotNegative = 0.0

    def script(self, view: View) -> Iterator[Burst]:
        for site in laps(view, self.reach, self.growth, self.begin):
            yield Burst(view.sites - 1 if site is None else site)


@dataclass
class Drain(Scripted, Adversary):
    """Leaves each site just before its report: the counterpart of `freeze`, driving the error below.

    Stays on a site until patience · alpha · output / (c sqrt(k)) items have passed since the last change of the output
    (or since it came to the site), then goes on to the next, in laps. With patience 1
    this is about the number of items that a site of a sampling tracker gets between two reports.

    Parameters
    ----------
    patience
        Length of its wait for the output to change, in the unit above; c is the protocol's `confidence`, 3
        if it has none, and alpha its accuracy, 0.1 if it has none.
    tries
        Changes of the output after which it abandons a site; 0 for never.
    """

    kind: ClassVar[str] = "drain"
    source: ClassVar[str] = "derived; the mirror image of the attack of Xiong, Zhu, Huang 2023, section 1.2"

    patience: Positive = 1.0
    tries: Natural = 0

    def script(self, view: View) -> Iterator[Burst]:
        for site in cycle(range(view.sites)):
            for _ in repeat(None, self.tries or NEVER):
                changes = view.changes
                wait = self.patience * estimate(view) / early(view)
                yield Burst(site, max(1, math.ceil(wait)))
                if view.changes == changes:
                    break  # the wait has ended without a change


@dataclass
class Coin(Scripted, Adversary):
    """Draws the next site at each change, but goes there only when the present site has had its share: harmless.

    The control of an experiment: adaptive in form, but not in effect. Whenever the output has changed it draws the next
    site uniformly, and goes there after max(1, items // (100 sites)) items on the present one, a length that no output
    influences. The draws are independent of everything that the protocol does, so the stream has exactly the
    distribution of bursts of constant length on sites drawn at random, and any guarantee against these holds against
    it. (Going there at the change itself would be no control: each site would be left right after its report, as by
    `freeze`.)
    """

    kind: ClassVar[str] = "coin"
    source: ClassVar[str] = "the control of `freeze`"

    def script(self, view: View) -> Iterator[Burst]:
        site = int(view.rng.integers(view.sites))
        while True:
            drawn, changes = None, view.changes
            share = max(1, view.items // (SHARES * view.sites))
            plan, until = Burst(site, share), view.steps + share
            while view.steps < until:
                yield plan
                if view.changes != changes:
                    drawn, changes = int(view.rng.integers(view.sites)), view.changes
            # a whole share without a change: nothing has been drawn yet
            site = int(view.rng.integers(view.sites)) if drawn is None else drawn
