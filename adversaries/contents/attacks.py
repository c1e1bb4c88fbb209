"""Adversaries that react to the estimates of items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from disttrack.adversaries.base import View
from disttrack.adversaries.contents.base import ItemAdversary
from disttrack.adversaries.contents.plans import Pairs, one
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import Positive, Whole


@dataclass
class FreezeItem(Scripted, ItemAdversary):
    """Gives one site copies of one item until an estimate changes, and then goes on to the next site.

    Every site stops right after a report, so that what a tracker adds for copies not reported is too much at all sites.
    Several items are taken in turn, each at every site once.

    Parameters
    ----------
    items
        Number of items that are used in turn.

    Source
    ------
    `freeze`, with an item for each round over the sites.
    """

    kind: ClassVar[str] = "freeze-item"

    items: Whole = 1

    def script(self, view: View) -> Iterator[Pairs]:
        place = 0
        while True:
            yield one(place % view.sites, place // view.sites % self.items)
            place += 1


@dataclass
class DrainItem(Scripted, ItemAdversary):
    """Gives one site copies of one item until no estimate has changed for a while, and then goes on to the next site.

    Every site is left with copies that no report has told of, more than a site has on average.

    Parameters
    ----------
    patience
        Copies without a change after which it goes on, over alpha N / sqrt(k).

    Source
    ------
    `drain`, for one item.
    """

    kind: ClassVar[str] = "drain-item"

    patience: Positive = 0.15

    def script(self, view: View) -> Iterator[Pairs]:
        site = 0
        while True:
            changes = view.changes
            wait = self.patience * view.known.get("alpha", 0.1) * view.sent / view.sites**0.5
            yield Pairs([site], [0], 1 + int(wait))
            if view.changes == changes:
                site = (site + 1) % view.sites
