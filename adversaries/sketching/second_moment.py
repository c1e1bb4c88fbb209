"""The attack on the AMS sketch: keep the updates that lower the estimate, undo the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import ClassVar

from disttrack.adversaries.sketching.base import Attacker, StreamView, size_known
from disttrack.mechanisms.checks import FromZero, Natural, Positive, Whole
from disttrack.mechanisms.sketches import Move


@dataclass
class AmsAttack(Attacker):
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
    _begun: int = field(default=0, init=False, repr=False)
    _last: int = field(default=0, init=False, repr=False)
    _old: float = field(default=0.0, init=False, repr=False)
    _kept: int = field(default=0, init=False, repr=False)
    _on_trial: bool = field(default=False, init=False, repr=False)

    def _weight(self, view: StreamView) -> int:
        rows = self.rows or size_known(view, "rows", "size") or 100
        return max(1, round(self.constant * sqrt(rows)))

    def move(self, view: StreamView) -> Move | None:
        if not self._begun:
            self._begun = self._weight(view)
            return 0, self._begun
        if view.steps <= self.burn:
            return 0, self._begun if view.steps % 2 else -self._begun
        if view.steps == self.burn + 1 and self.burn % 2:
            return 0, -self._begun
        if self._on_trial:
            self._on_trial = False
            if self.takes_back(view):
                return self._last, -1
            self._kept += 1
        if self.until and view.output < self.until * (self._begun**2 + self._kept):
            return None
        self._old = view.output
        self._last += 1
        self._on_trial = True
        return self._last, 1

    def takes_back(self, view: StreamView) -> bool:
        """Return whether to undo the item just added: the estimate has risen."""
        return view.output > self._old


@dataclass
class RandomUpdates(AmsAttack):
    """The control of `ams-attack`: the same updates, but a coin decides which are undone, not the estimate."""

    kind: ClassVar[str] = "random-updates"
    source: ClassVar[str] = "control of ams-attack"

    def takes_back(self, view: StreamView) -> bool:
        return bool(view.rng.random() < 0.5)
