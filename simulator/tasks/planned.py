"""Adversaries as opponents in duels: their plans, turned into one move per step or into arrays of moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.intruder import Challenge
from disttrack.adversaries.schedules import Burst, Rest, Schedule
from disttrack.simulator.game.consultation import Consultation

SKIP: Final = -1
"""The move of a step without an item."""
STRETCH: Final = 1 << 18
"""Steps passed at once."""


class ClockView(View):
    """The view in games with a clock; an adversary granted the state may look at it and guess at a challenge.

    Attributes
    ----------
    looks
        Number of looks at the state.
    guessed
        The answer to the challenge: True if the item is thought to be present; None if none was given.
    """

    __slots__ = ("_state", "guessed", "look", "looks")

    def __init__(self, *, state: Callable[[], Mapping[str, Any]] | None = None, **given: Any) -> None:
        super().__init__(**given)
        self.looks = 0
        self.guessed: bool | None = None
        self._state = state
        self.look = None if state is None else self._look

    def _look(self) -> Mapping[str, Any]:
        """Return the mechanism's inner state between two steps."""
        assert self._state is not None
        self.looks += 1
        return self._state()

    def guess(self, there: bool) -> None:
        """Answer whether the item of the challenge was present."""
        self.guessed = bool(there)


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


class Planned:
    """An adversary that is played step by step: a move is a site, or `SKIP`.

    After its last plan, the steps are skipped until the output changes.

    Parameters
    ----------
    adversary
        This game's copy.
    view
        Its view.
    coin
        Tossed for the step of a challenge; None in games without challenges.

    Attributes
    ----------
    challenged
        Whether the item of the challenge was present; None if there was no challenge.
    """

    def __init__(self, adversary: Adversary, view: View, coin: np.random.Generator | None = None) -> None:
        self.adversary = adversary
        self._turns = Consultation(adversary, view)
        self._coin = coin
        self.challenged: bool | None = None

    def move(self, view: Any) -> Any:
        """Return the site of the next step's item."""
        turns, now = self._turns, view.steps
        if view.changed_at == now:
            turns.news(now)
        if now >= turns.due:
            plan = turns.ask(now)
            if plan is None and turns.over:
                plan = Rest(view.items)
            elif plan is not None and plan.skips and isinstance(plan, Challenge) and self._coin is not None:
                self.challenged = bool(self._coin.random() < 0.5)
                plan = Burst(0, 1) if self.challenged else Rest(1)
            if plan is not None:
                turns.follow(plan, now)
        site = turns.plan.at(now + 1 - turns.begun)
        if site is None:
            return SKIP
        view.sent += 1
        return site

    def stretches(self, view: Any, steps: int) -> Iterator[Any]:
        """Yield the sites of all steps, a block per plan."""
        for plan, length in plans(self.adversary, view, steps):
            yield named(plan, length)


class Items(Planned):
    """An adversary of one site: a move is the number of its items in a step, 0 or 1."""

    def move(self, view: Any) -> float:
        return 0.0 if super().move(view) == SKIP else 1.0

    def stretches(self, view: Any, steps: int) -> Iterator[Any]:
        """Yield the items of all steps, in blocks of steps."""
        for plan, length in plans(self.adversary, view, steps):
            for begin in range(0, length, STRETCH):
                end = min(begin + STRETCH, length)
                yield np.diff(plan.count(0, np.arange(begin, end + 1))).astype(np.float64)


def named(plan: Schedule, length: int) -> Any:
    """Return the sites that a plan names in its first steps, without skips."""
    steps = np.arange(1, length + 1)
    if not plan.skips:
        sites: Any = plan.at(steps)
        return np.broadcast_to(np.asarray(sites, dtype=np.int64), (length,)).copy()
    asked = (plan.at(int(step)) for step in steps)
    return np.array([site for site in asked if site is not None], dtype=np.int64)
