"""Attacks on sketches of frequencies: tails that push a CountSketch, and items that cover a target of count-min."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, cycle
from typing import ClassVar

from disttrack.adversaries.scripts import Scripted
from disttrack.adversaries.sketching.base import Attacker, StreamView, size_known
from disttrack.mechanisms.checks import Whole
from disttrack.mechanisms.sketches import Move
from disttrack.mechanisms.sketches.base import TARGET


@dataclass
class TailAttack(Scripted, Attacker):
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

    def script(self, view: StreamView) -> Iterator[Move]:
        length = self.tail or max(1, (size_known(view, "width", "size") or 64) // 4)
        unused = count(TARGET + 1)
        while True:
            signs = (2 * view.rng.integers(0, 2, length) - 1).tolist()
            tail, old = [(next(unused), sign) for sign in signs], view.output
            yield from tail
            if self.takes_back(view, old):
                yield from ((item, -change) for item, change in tail)

    def takes_back(self, view: StreamView, old: float) -> bool:
        """Return whether to remove the tail just added: the estimate has not risen from the old one."""
        return not view.output > old


@dataclass
class RandomTails(TailAttack):
    """The control of `tail-attack`: the same tails, but a coin decides which are removed."""

    kind: ClassVar[str] = "random-tails"
    source: ClassVar[str] = "control of tail-attack"

    def takes_back(self, view: StreamView, old: float) -> bool:
        return bool(view.rng.random() < 0.5)


@dataclass
class CoverAttack(Scripted, Attacker):
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

    def script(self, view: StreamView) -> Iterator[Move]:
        last = TARGET
        while not view.output > 0:
            last += 1
            yield last, 1
        risen, cover = view.output, []
        for item in range(last, TARGET, -1):
            yield item, -1
            if view.output < risen:
                cover.append(item)
                yield item, 1
        # nothing for a form that hides which items matter: none was found
        yield from ((item, 1) for item in cycle([*cover[1:], *cover[:1]]))
