"""Attacks on sketches of frequencies: tails that push a CountSketch, and items that cover a target of count-min."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from disttrack.adversaries.sketching.base import Attacker, StreamView, size_known
from disttrack.mechanisms.checks import Whole
from disttrack.mechanisms.sketches import Move
from disttrack.mechanisms.sketches.base import TARGET


@dataclass
class TailAttack(Attacker):
    """Adds tails of fresh items with random signs, and keeps those after which the estimate of the target has risen.

    The target is never updated. Each tail is small noise to the sketch, but the kept ones push in the same direction:
    after r tails the error of the estimate is about sqrt(r / depth) times the sketch's bound.

    Parameters
    ----------
    tail
        Items of a tail; None for a quarter of the sketch's width.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlós, Shechner, Stemmer 2022, section 4 (idea; here with answers to queries of one item).
    """

    kind: ClassVar[str] = "tail-attack"
    source: ClassVar[str] = "Cohen, Lyu, Nelson, Sarlós, Shechner, Stemmer 2022, section 4"

    tail: Whole | None = None
    _moves: list[Move] = field(default_factory=list, init=False, repr=False)
    _tail: list[Move] = field(default_factory=list, init=False, repr=False)
    _next: int = field(default=TARGET + 1, init=False, repr=False)
    _old: float = field(default=0.0, init=False, repr=False)

    def move(self, view: StreamView) -> Move:
        if not self._moves:
            if self._tail and self.takes_back(view):
                self._moves = [(item, -change) for item, change in self._tail]
                self._tail = []
            else:
                self._old = view.output
                self._moves = self._tail = self._fresh(view)
            self._moves = self._moves[::-1]
        return self._moves.pop()

    def _fresh(self, view: StreamView) -> list[Move]:
        """Return a tail of unused items, with random signs."""
        length = self.tail or max(1, (size_known(view, "width", "size") or 64) // 4)
        signs = (2 * view.rng.integers(0, 2, length) - 1).tolist()
        items = range(self._next, self._next + length)
        self._next += length
        return list(zip(items, signs, strict=True))

    def takes_back(self, view: StreamView) -> bool:
        """Return whether to remove the tail just added: the estimate has not risen."""
        return not view.output > self._old


@dataclass
class RandomTails(TailAttack):
    """The control of `tail-attack`: the same tails, but a coin decides which are removed."""

    kind: ClassVar[str] = "random-tails"
    source: ClassVar[str] = "control of tail-attack"

    def takes_back(self, view: StreamView) -> bool:
        return bool(view.rng.random() < 0.5)


@dataclass
class CoverAttack(Attacker):
    """Finds few items that share all counters of the target in a count-min sketch, and updates these repeatedly.

    First it adds fresh items until the estimate of the target, which is never updated, has risen: some of them
    cover its counters. Then it removes one after the other, and restores those without which the estimate
    falls: at most `depth` remain. Updating them in turn raises the estimate by one in each turn.

    Source
    ------
    Clayton, Patton, Shrimpton 2019, section 6; Markelon, Filić, Shrimpton 2023, section 4 (cover sets).
    """

    kind: ClassVar[str] = "cover-attack"
    source: ClassVar[str] = "Markelon, Filić, Shrimpton 2023, section 4"

    _last: int = field(default=TARGET, init=False, repr=False)
    _cover: list[int] = field(default_factory=list, init=False, repr=False)
    _to_try: list[int] | None = field(default=None, init=False, repr=False)
    _on_trial: int | None = field(default=None, init=False, repr=False)
    _risen: float = field(default=0.0, init=False, repr=False)
    _turn: int = field(default=0, init=False, repr=False)

    def move(self, view: StreamView) -> Move | None:
        if self._to_try is None:
            if not view.output > 0:
                self._last += 1
                return self._last, 1
            self._risen = view.output
            self._to_try = list(range(TARGET + 1, self._last + 1))
        if self._on_trial is not None:
            item, self._on_trial = self._on_trial, None
            if view.output < self._risen:
                self._cover.append(item)
                return item, 1
        if self._to_try:
            self._on_trial = self._to_try.pop()
            return self._on_trial, -1
        if not self._cover:
            return None  # a form that hides which items matter: none was found
        self._turn += 1
        return self._cover[self._turn % len(self._cover)], 1
