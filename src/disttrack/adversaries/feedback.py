"""A loop without an attacker: a service that picks the next site from the total that the server reports."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.known import estimate
from disttrack.adversaries.schedules import Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import FromOne, Positive

PRIME: Final = 2**31 - 1
FACTOR: Final = 48271
"""The hash of a block is ``block * FACTOR % PRIME % sites``: the multiplicative generator of Park and Miller, 1993."""


@dataclass
class Feedback(Scripted, Adversary):
    """Picks the site by the reported total alone, as ordinary services do.

    The total is cut into blocks, and the present block names the site that gets the items: a log that goes on to the
    next machine whenever `block` more items are reported, identifiers from a counter that are sharded by ranges, a key
    made of the total. It knows nothing of the tracker, and keeps no state. Yet its moves depend on the
    coins, and each site is left at a change of the output, that is right after a report, as `freeze` leaves it.

    Parameters
    ----------
    block
        Length of a block, in items of the reported total.
    growth
        Factor from the beginning of a block to that of the next, in place of `block`; 1 for blocks of equal length.
    choice
        ``rotate`` takes the block's number modulo the number of sites, ``hash`` the hash of its number.

    Source
    ------
    derived, from the remark of Xiong, Zhu, Huang 2023, section 1, that a stream may depend on the outputs
    unintentionally.

    Examples
    --------
    >>> from disttrack import Randomized, play
    >>> loops = Feedback(block=100), Feedback(block=10_000)  # a lap over the sites: 25,600 items, 2,560,000
    >>> [play(Randomized(alpha=0.1), loop, sites=256, items=200_000, seed=1).verdict for loop in loops]
    ['failed', 'ok']
    """

    kind: ClassVar[str] = "feedback"

    block: Positive = 100.0
    growth: FromOne = 1.0
    choice: Literal["rotate", "hash"] = "rotate"

    def script(self, view: View) -> Iterator[Burst]:
        while True:
            number = self.number(estimate(view))
            yield Burst((number * FACTOR % PRIME if self.choice == "hash" else number) % view.sites)

    def number(self, total: float) -> int:
        """Return the number of the block that a reported total lies in."""
        if self.growth > 1:
            return math.floor(math.log(max(1.0, total)) / math.log(self.growth))
        return math.floor(total / self.block)
