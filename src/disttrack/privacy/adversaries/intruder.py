"""The attacker that looks at the memory of a counter, and guesses whether a particular item was present."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from disttrack.adversaries.base import Adversary, Sees, View
from disttrack.adversaries.schedules import Burst, Rest, Schedule
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import Whole


class Challenge(Rest):
    """One step in which the game tosses a hidden coin: it gives an item, or it does not."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(1)


@dataclass
class Intruder(Scripted, Adversary):
    """Looks at the state of a counter, and guesses from it whether the item of one step was present.

    All other steps are skipped, so it knows the rest of the stream. Half of its looks come in the last
    steps before the challenge, the rest from the challenge on; it compares the first look after and the
    last one before it, and answers yes if the count in memory differs by more than a half. In games
    without a challenge it feeds site 0.

    Parameters
    ----------
    looks
        Number of looks, each after one step.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010, pan-privacy; sections 2 and 4.2.
    """

    kind: ClassVar[str] = "intruder"
    plays: ClassVar[tuple[str, ...]] = ("continual-count",)
    sees: ClassVar[Sees] = "state"

    looks: Whole = 1

    def script(self, view: View) -> Iterator[Schedule]:
        look = getattr(view, "look", None)
        if look is None:
            yield Burst(0)
            return
        challenge, before = view.items // 2 + 1, self.looks // 2
        last = min(challenge + self.looks - before - 1, view.items)
        seen = []
        while view.steps < last:
            yield Challenge() if view.steps + 1 == challenge else Rest(1)
            if view.steps >= challenge - before:
                seen.append(look()["count"])
            if view.steps == challenge:
                view.guess(seen[-1] - (seen[-2] if before else 0.0) > 0.5)
        if view.steps < view.items:
            yield Rest(view.items - view.steps)
