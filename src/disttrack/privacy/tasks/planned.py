"""Adversaries as opponents in duels: their plans, turned into one move per step or into arrays of moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from disttrack.adversaries.base import Adversary, Opponent, View
from disttrack.adversaries.schedules import Burst, Rest, Schedule
from disttrack.privacy.adversaries.streams import Challenge
from disttrack.simulator.game.consultation import Consultation

SKIP: Final = -1
"""The move of a step without an item."""
STRETCH: Final = 1 << 18
"""Steps passed at once."""


def plans(adversary: Adversary, view: View) -> Iterator[tuple[Schedule, int]]:
    """Yield the plans of an adversary that does not react, each with the number of its steps, up to the last one.

    After its last plan, the rest of the steps are skipped.
    """
    turns, steps = Consultation(adversary, view), view.items
    while view.steps < steps:
        now = view.steps
        turns.follow(turns.ask(now) or Rest(steps), now)
        length = min(turns.plan.length, steps - now)
        yield turns.plan, length
        view.record(steps=now + length, sent=view.sent + turns.plan.sent(length))


class Planned(Opponent):
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
    form
        Turns a site, or an array of sites, into moves of another form.

    Attributes
    ----------
    challenged
        Whether the item of the challenge was present; None if there was no challenge.
    """

    def __init__(
        self,
        adversary: Adversary,
        view: View,
        coin: np.random.Generator | None = None,
        form: Callable[[object], object] = lambda sites: sites,
    ) -> None:
        self.adversary, self.form = adversary, form
        self._turns = Consultation(adversary, view)
        self._coin = coin
        self.challenged: bool | None = None

    def move(self, view: Any) -> Any:
        """Return the move of the next step."""
        turns, now = self._turns, view.steps
        if turns.reacts and view.changed_at == now:
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
            return self.form(SKIP)
        view.record(sent=view.sent + 1)
        return self.form(site)

    def stretches(self, view: Any) -> Iterator[Any]:
        """Yield the moves of all steps, in blocks of steps."""
        for plan, length in plans(self.adversary, view):
            for begin in range(0, length, STRETCH):
                yield self.form(named(plan, begin, min(begin + STRETCH, length), view.sites))


def items(site: Any) -> Any:
    """Return the number of items that a site, or each of many, stands for in a game of one site: 0.0 or 1.0."""
    return site - SKIP * 1.0


def named(plan: Schedule, begin: int, end: int, sites: int) -> object:
    """Return the sites that a plan names in the steps after `begin` up to `end`, and `SKIP` where it names none."""
    if sites == 1:
        return np.diff(plan.count(0, np.arange(begin, end + 1))) + SKIP
    steps = np.arange(begin + 1, end + 1)
    if not plan.skips:
        return np.broadcast_to(np.asarray(plan.at(steps), dtype=np.int64), steps.shape).copy()
    given = (plan.at(step) for step in steps.tolist())
    return np.array([SKIP if site is None else site for site in given], dtype=np.int64)
