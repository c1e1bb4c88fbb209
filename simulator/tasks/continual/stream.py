"""The stream of a game with a clock: the moves of an adversary's plans in each step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.intruder import Challenge
from disttrack.adversaries.schedules import Burst, Rest, Schedule
from disttrack.simulator.game.consultation import Consultation

STRETCH = 1 << 18
"""Steps passed at once."""

Floats = NDArray[np.float64]


def plans(adversary: Adversary, view: View, steps: int) -> Iterator[tuple[Schedule, int]]:
    """Yield the plans of an adversary that does not react, each with the number of its steps, for `steps` steps.

    After its last plan, the rest of the steps are skipped.
    """
    turns = Consultation(adversary, view)
    while view.steps < steps:
        now = view.steps
        turns.follow(turns.ask(now) or Rest(steps), now)
        length = min(turns.plan.length, steps - now)
        yield turns.plan, length
        view.steps = now + length
        view.sent += turns.plan.sent(length)


def stretches(adversary: Adversary, view: View, steps: int) -> Iterator[Floats]:
    """Yield the items of all steps of one site, in blocks of steps, for an adversary that does not react."""
    for plan, length in plans(adversary, view, steps):
        for begin in range(0, length, STRETCH):
            end = min(begin + STRETCH, length)
            yield np.diff(plan.count(0, np.arange(begin, end + 1))).astype(np.float64)


class Mover:
    """An adversary that is played step by step: its moves, and its view of the outputs.

    After its last plan, the steps are skipped until the output changes.

    Parameters
    ----------
    adversary
        This game's copy.
    view
        Its view, updated here.
    coin
        Tossed for the step of a challenge.
    """

    __slots__ = ("_coin", "_turns", "challenged", "view")

    def __init__(self, adversary: Adversary, view: View, coin: np.random.Generator) -> None:
        self._turns = Consultation(adversary, view)
        self.view, self._coin = view, coin
        self.challenged: bool | None = None
        """Whether the item of the challenge was present; None if there was no challenge."""

    def move(self) -> int | None:
        """Return the site of the next step's item, None for a skip."""
        view, turns = self.view, self._turns
        now = view.steps
        if now >= turns.due:
            plan = turns.ask(now)
            if plan is None and turns.over:
                plan = Rest(view.items)
            elif plan is not None and plan.skips and isinstance(plan, Challenge):
                self.challenged = bool(self._coin.random() < 0.5)
                plan = Burst(0, 1) if self.challenged else Rest(1)
            if plan is not None:
                turns.follow(plan, now)
        view.steps = step = now + 1
        site: int | None = turns.plan.at(step - turns.begun)
        if site is not None:
            view.sent += 1
        return site

    def observe(self, output: Any) -> None:
        """Record the output of the step."""
        view = self.view
        stood = view.output
        if output != stood and (output == output or stood == stood):  # NaN differs from itself, but is no change
            view.output = output
            view.changes += 1
            view.changed_at = view.steps
            self._turns.news(view.steps)
