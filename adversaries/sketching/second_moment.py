"""The attack on the AMS sketch: keep the updates that lower the estimate, undo the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import sqrt
from typing import ClassVar

from disttrack.adversaries.scripts import Scripted
from disttrack.adversaries.sketching.base import Attacker, StreamView, size_known
from disttrack.mechanisms.checks import FromZero, Natural, Positive, Whole
from disttrack.mechanisms.sketches import Move


@dataclass
class AmsAttack(Scripted, Attacker):
    """Begins with C sqrt(t) of one item, then adds fresh items and keeps those after which the estimate has not risen.

    The truth only grows from then on. The estimate falls by a constant in every second step, so that after O(t) steps
    it is below half of the truth.

    Parameters
    ----------
    constant
        C.
    rows
        Assumed rows t of the sketch; None for the value in the sketch's parameters.
    burn
        Number of initial updates: the one item's frequency is doubled and halved in turn, which makes the output of any
        correct form change every time, until a robust form has used up its planned changes.
    until
        Ratio of the estimate to the truth at which it stops, 0 for never.

    Source
    ------
    Lecture on adaptive streaming, adversary for the AMS sketch; Hardt, Woodruff 2013.
    """

    kind: ClassVar[str] = "ams-attack"
    source: ClassVar[str] = "lecture on adaptive streaming, adversary for the AMS sketch"

    constant: Positive = 4.0
    rows: Whole | None = None
    burn: Natural = 0
    until: FromZero = 0.0

    def script(self, view: StreamView) -> Iterator[Move]:
        rows = self.rows or size_known(view, "rows", "size") or 100
        weight = max(1, round(self.constant * sqrt(rows)))
        yield 0, weight
        for _ in range((self.burn + 1) // 2):
            yield 0, weight
            yield 0, -weight
        kept = 0
        for item in count(1):
            if self.until and view.output < self.until * (weight**2 + kept):
                return
            old = view.output
            yield item, 1
            if self.takes_back(view, old):
                yield item, -1
            else:
                kept += 1

    def takes_back(self, view: StreamView, old: float) -> bool:
        """Return whether to undo the item just added: the estimate has risen from the old one."""
        return view.output > old


@dataclass
class RandomUpdates(AmsAttack):
    """The control of `ams-attack`: the same updates, but a coin decides which are undone, not the estimate."""

    kind: ClassVar[str] = "random-updates"
    source: ClassVar[str] = "control of ams-attack"

    def takes_back(self, view: StreamView, old: float) -> bool:
        return bool(view.rng.random() < 0.5)
