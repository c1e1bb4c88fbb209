"""Adversaries that go over the sites and react to the outputs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, repeat
from typing import ClassVar, Final

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.known import early, estimate
from disttrack.adversaries.machines import (
    EARLY,
    GROWTH,
    LENGTH,
    PATIENCE,
    PLACE,
    STAY,
    TARGET,
    TRIES,
    Machine,
    drain_burst,
    freeze_burst,
    machine,
    policy_burst,
)
from disttrack.adversaries.schedules import NEVER, Burst
from disttrack.adversaries.scripts import Scripted
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

    Source
    ------
    the attack on Huang, Yi, Zhang 2012 of Xiong, Zhu, Huang 2023, section 1.2.
    """

    kind: ClassVar[str] = "freeze"

    reach: UpToOne = 1.0
    growth: FromOne = 1.0
    begin: NotNegative = 0.0

    def script(self, view: View) -> Iterator[Burst]:
        for site in laps(view, self.reach, self.growth, self.begin):
            yield Burst(view.sites - 1 if site is None else site)

    def machine(self, view: View) -> Machine:
        return machine(freeze_burst, of_laps(view, self.reach, self.growth, self.begin))


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

    Source
    ------
    derived; the mirror image of the attack of Xiong, Zhu, Huang 2023, section 1.2.
    """

    kind: ClassVar[str] = "drain"

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

    def machine(self, view: View) -> Machine:
        return machine(drain_burst, {EARLY: early(view), PATIENCE: self.patience, TRIES: self.tries or NEVER})


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
    reach
        Share of the sites in a lap.
    growth
        Factor by which the output grows from one lap to the next.
    begin
        Output at which the first lap begins, in units of c sqrt(k) / alpha items.

    Source
    ------
    derived; contains freeze (stay 0, great patience) and drain (stay = patience).
    """

    kind: ClassVar[str] = "policy"

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

    def machine(self, view: View) -> Machine:
        numbers = {STAY: self.stay, PATIENCE: self.patience, **of_laps(view, self.reach, self.growth, self.begin)}
        return machine(policy_burst, numbers)


@dataclass
class Coin(Scripted, Adversary):
    """Draws the next site at each change, but goes there only after a fixed number of items: a harmless control.

    The control of an experiment: adaptive in form, but not in effect. Whenever the output has changed it draws the next
    site uniformly, and goes there after max(1, items // (100 sites)) items on the present one, a length that no output
    influences. The draws are independent of everything that the protocol does, so the stream has exactly the
    distribution of bursts of constant length on sites drawn at random, and any guarantee against these holds against
    it. (Going there at the change itself would be no control: each site would be left right after its report, as by
    `freeze`.)

    Source
    ------
    the control of `freeze`.
    """

    kind: ClassVar[str] = "coin"

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


def laps(view: View, reach: float, growth: float, begin: float) -> Iterator[int | None]:
    """Yield the first sites in turn, lap after lap; None while items are to be stored at another site.

    The next value is asked for when the present site is done, and at each change while items are stored.

    Parameters
    ----------
    reach
        Share of the sites in a lap, above 0 and at most 1.
    growth
        Factor by which the output grows from the start of one lap to that of the next, at least 1. With 1
        laps follow immediately.
    begin
        Output at the start of the first lap, in units of c sqrt(k) / alpha items (see `early`); 0 for the start.
    """
    target = begin * early(view)
    while True:
        while (output := float(view.output)) < target:
            yield None
        target = output * growth if growth > 1 else 0.0
        yield from range(lap_of(view, reach))


def lap_of(view: View, reach: float) -> int:
    """Return the number of sites in a lap."""
    return max(1, round(reach * view.sites))


def of_laps(view: View, reach: float, growth: float, begin: float) -> dict[int, float]:
    """Return the same laps as numbers of a machine, which is at the end of a lap."""
    unit, length = early(view), lap_of(view, reach)
    return {EARLY: unit, LENGTH: length, PLACE: length, GROWTH: growth, TARGET: begin * unit}


def _unit(view: View) -> float:
    """Return alpha · output / (c sqrt(k))."""
    return max(0.0, estimate(view)) / early(view)
