"""Sketch switching: many independent copies, each of which is shown once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import Share, Whole
from disttrack.privacy.mechanisms.sketches.base import tally
from disttrack.privacy.mechanisms.sketches.robust import OverPlain, RobustRun


@dataclass(frozen=True)
class Switched(OverPlain):
    """Publishes an estimate until it is off the active copy by alpha / 2 of the scale; then the next copy takes over.

    The active copy's estimate is published and the copy retired, so that no copy is used after its coins have
    influenced an answer. When the last copy is retired there is nothing to switch to: its estimates are then
    published directly, as by a plain sketch.

    Parameters
    ----------
    copies
        Number of copies, which is the number of output changes it supports.
    size
        Size of each copy: rows of `ams`, hash values of `kmv`, registers of `hyperloglog`, width of `count-sketch`
        and `count-min`.
    sketch
        Kind of the copies.
    alpha
        Error that counts as a failure, as a share of the scale: the estimate itself for second moments and
        distinct items, the norm for frequencies.

    Notes
    -----
    The memory counts all copies. A copy's state is a function of the frequencies and its coins, so the
    code makes it from the frequencies when its turn comes: the same transcript as if it had existed from the start.

    Source
    ------
    Ben-Eliezer, Jayaram, Woodruff, Yogev 2020, algorithm 1.
    Lemma 3.6.
    """

    kind = "switched"
    error = "alpha of the scale against any adversary, for as many changes as there are copies"
    budget = "copies"

    copies: Whole
    size: int
    sketch: str = "ams"
    alpha: Share = 0.5

    def start(self, rng: np.random.Generator) -> SwitchedRun:
        return SwitchedRun(self, rng)


class SwitchedRun(RobustRun):
    """Running copies: the active one exists, earlier ones are deleted, later ones are created in their turn."""

    def __init__(self, rules: Switched, rng: np.random.Generator) -> None:
        self._inner, self._coins = rules.inner, iter(rng.spawn(rules.copies))
        self._room = rules.alpha / 2
        self._frequencies: dict[int, int] = {}
        super().__init__(self._inner.start(next(self._coins)), rules.copies)

    def decide(self, item: int, change: int) -> None:
        tally(self._frequencies, item, change)
        now = self._run.estimate()
        if abs(now - self._published) <= self._room * self._run.scale():
            return
        self.publish(now)
        if not self.exhausted:  # the next copy, as if it had taken all updates
            self._run = self._inner.start(next(self._coins))
            self._run.absorb(self._frequencies)

    def scale(self) -> float:
        return self._run.scale()

    def reset(self) -> None:
        self._frequencies.clear()
        self._run.reset()
        self._published = 0.0
