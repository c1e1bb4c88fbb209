"""The stream of a game with a clock: what an adversary's plans put into each step, asked for as the rules say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adversaries.base import Adversary, View
from adversaries.intruder import Challenge
from adversaries.schedules import Rest, Schedule
from simulator.tasks.continual.clocked_points import checked_plan

STRETCH = 1 << 18
"""Steps that are handed over at once."""

Floats = NDArray[np.float64]


def stretches(adversary: Adversary, view: View, steps: int) -> Iterator[Floats]:
    """Yield the items of all steps of one site, stretch by stretch, of an adversary that does not react.

    When it has nothing more to do, the rest of the steps are skipped.
    """
    while view.steps < steps:
        plan = checked_plan(adversary.plan(view), view.sites, view.steps + 1, adversary) or Rest(steps)
        length = min(plan.length, steps - view.steps)
        for begin in range(0, length, STRETCH):
            end = min(begin + STRETCH, length)
            items = np.diff(plan.count(0, np.arange(begin, end + 1))).astype(np.float64)
            view.steps += end - begin
            view.sent += int(items.sum())
            yield items


class Mover:
    """An adversary asked at the start, when its plan has run out, and when the output changes if it reacts.

    Parameters
    ----------
    adversary
        This game's own.
    view
        What it sees; the game keeps `output`, `changes` and `changed_at` up to date through `heard`.
    coin
        Tossed for the step of a challenge.
    """

    __slots__ = ("_adversary", "_coin", "_moved", "_plan", "_since", "challenged", "view")

    def __init__(self, adversary: Adversary, view: View, coin: np.random.Generator) -> None:
        self._adversary, self.view, self._coin = adversary, view, coin
        self._plan: Schedule = Rest(1)
        self._since = 1  # steps of the plan that are over; at first there is none
        self._moved = True
        self.challenged: bool | None = None
        """Whether the item of the challenge was there; None if there was none."""

    def move(self) -> int | None:
        """Return the site fed in the next step, None for a skip."""
        view = self.view
        if self._moved or self._since >= self._plan.length:
            plan = checked_plan(self._adversary.plan(view), view.sites, view.steps + 1, self._adversary)
            if plan is not None:
                self._plan, self._since = plan, 0
            elif self._since >= self._plan.length:
                self._plan, self._since = Rest(view.items), 0
            self._moved = False
        self._since += 1
        view.steps += 1
        if isinstance(self._plan, Challenge):
            self.challenged = bool(self._coin.random() < 0.5)
            site = 0 if self.challenged else None
        else:
            site = self._plan.at(self._since)
        if site is not None:
            view.sent += 1
        return site

    def heard(self, output: Any) -> None:
        """Take note of the output of the step."""
        view = self.view
        if output != view.output:
            view.output = output
            view.changes += 1
            view.changed_at = view.steps
            self._moved = not self._adversary.oblivious
