"""The attack on samples of resettable counters, and its control."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import Share, Whole
from disttrack.privacy.adversaries.sketching.base import Attacker, StreamView
from disttrack.privacy.mechanisms.sketches import Move

FIRST = 64
"""Items among which the first units are divided."""


@dataclass
class ResetSampled(Scripted, Attacker):
    """Increments fresh items, and resets those after which the estimate has risen: what is left was not sampled.

    It begins with 64 items that have `total` units together, and resets one of these whenever as many units have come
    in their place. So the sum of the counters hardly changes while the sample is emptied.

    Parameters
    ----------
    total
        Units of the first items, together.
    weight
        Units of each further item; most stay for each update with 0.77 over the rate of the sample, and nearly as many
        with ln 2.

    Source
    ------
    Cohen, Gribelyuk, Nelson, Stemmer 2026, abstract (arXiv 2601.21989).
    The order and the number of the updates are derived here.
    """

    kind: ClassVar[str] = "reset-sampled"
    plays: ClassVar[tuple[str, ...]] = ("resettable-sum",)

    total: Whole = 1_000_000
    weight: Whole = 1

    def script(self, view: StreamView) -> Iterator[Move]:
        share, first = -(-self.total // FIRST), list(range(FIRST))
        yield from ((item, share) for item in first)
        units = 0
        for item in count(FIRST):
            old = view.output
            yield item, self.weight
            if self.resets(view, old):
                yield item, 0
                continue
            units += self.weight
            if first and units >= share:
                units -= share
                yield first.pop(), 0

    def resets(self, view: StreamView, old: float) -> bool:
        """Return whether to reset the item just incremented: the estimate has risen from the old one."""
        return view.output > old


@dataclass
class BlindResets(ResetSampled):
    """The control of `reset-sampled`: a coin of bias `share` decides which items are reset.

    Parameters
    ----------
    share
        Share of the further items that are reset.

    Source
    ------
    control of reset-sampled.
    """

    kind: ClassVar[str] = "blind-resets"

    share: Share = 0.5

    def resets(self, view: StreamView, old: float) -> bool:
        return bool(view.rng.random() < self.share)
