"""A problem of the tracking game: what is true, what an error is, and when it is largest between two changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from disttrack.protocols.contents import ItemServer, ItemTracker
from disttrack.simulator.game.consultation import Consultation

SLACK = 1 + 1e-12
"""Errors are compared with alpha as floats, which differ by less than this factor from the exact ones."""


class Problem(ABC):
    """The truth of one game, from its plans alone, and the largest error over all steps.

    Parameters
    ----------
    tracker, server
        The rules, and the server, of which only the estimates are read.
    turns
        The plans.

    Attributes
    ----------
    highest, lowest
        The largest signed error and the smallest one; 0 if there is none above or below.
    worst_step, worst_item
        The first step with the largest error, and its item.
    changes
        Number of changes of estimates.
    """

    name: ClassVar[str]
    each_item: ClassVar[bool] = False
    """Whether a game costs its items, and not only its changes."""

    def __init__(self, tracker: ItemTracker, server: ItemServer, turns: Consultation) -> None:
        self.alpha, self.server, self.turns = tracker.alpha, server, turns
        self.guaranteed = tracker.guarantee != "none"
        self.highest = self.lowest = 0.0
        self.worst_step = self.worst_item = 0
        self.changes = 0

    @abstractmethod
    def news(self, step: int, items: Iterable[int]) -> bool:
        """Judge the estimates of these items, which hold from this step on; return whether one has changed."""

    @abstractmethod
    def leave(self, step: int) -> None:
        """Judge everything up to this step, with which the present plan ends."""

    @abstractmethod
    def error(self, step: int) -> float:
        """Return the largest error at the end of a step since the last change."""

    def fill(self, series: dict[str, list[Any]]) -> None:
        """Complete the rows of the checkpoints after the end; by default they are."""
        return

    @property
    def worst(self) -> float:
        """The largest error."""
        return max(self.highest, -self.lowest)

    def note(self, error: float, step: int, item: int) -> None:
        """Take a signed error into the extremes."""
        if abs(error) > self.worst:
            self.worst_step, self.worst_item = step, item
        self.highest, self.lowest = max(self.highest, error), min(self.lowest, error)

    def row(self) -> dict[str, Any]:
        """Return the columns of the game."""
        kept = "failed" if self.worst > self.alpha * SLACK else "ok"
        return {
            "max_rel_error": self.worst,
            "highest": self.highest,
            "lowest": self.lowest,
            "worst_step": self.worst_step,
            "worst_item": self.worst_item,
            "output_changes": self.changes,
            "verdict": kept if self.guaranteed else "undecided",
        }


class Frequency(Problem):
    """The count f of every item; the error of an estimate is (estimate - f) / N, with N items in total.

    While an estimate stands, f and N only grow. So the error is largest right after a change of the estimate, and
    smallest right after a copy of the item. In a plan that repeats, the copies at one place of the list have errors
    (a - i) / (b + c i) in the i-th lap, which only rise or only fall with i: the first and the last lap decide.
    """

    name: ClassVar[str] = "frequency"

    def __init__(self, tracker: ItemTracker, server: ItemServer, turns: Consultation) -> None:
        super().__init__(tracker, server, turns)
        self._before: dict[int, int] = {}
        """Copies of each item before the present plan."""
        self._since: dict[int, int] = {}
        """The step of the last change of an estimate."""
        self._shown: dict[int, int] = {}
        """The estimates that have been judged."""

    def truth(self, item: int, step: int) -> int:
        """Return the copies of an item by a step of the present plan."""
        turns: Any = self.turns
        return self._before.get(item, 0) + int(turns.plan.items.count(item, step - turns.begun))

    def news(self, step: int, items: Iterable[int]) -> bool:
        changes = self.changes
        for item in set(items):
            estimate = self.server.estimates[item]
            if estimate == self._shown.get(item, 0):
                continue
            self._catch_up(item, step - 1)
            self._shown[item], self._since[item] = estimate, step
            self.changes += 1
            self.note((estimate - self.truth(item, step)) / step, step, item)
        return self.changes > changes

    def leave(self, step: int) -> None:
        if not step:
            return
        turns: Any = self.turns
        for item in turns.plan.items.kinds:
            self._catch_up(item, step)
            self._before[item] = self.truth(item, step)

    def error(self, step: int) -> float:
        turns: Any = self.turns
        known = {*self._before, *turns.plan.items.kinds}
        return max(abs(self._shown.get(item, 0) - self.truth(item, step)) for item in known) / step

    def _catch_up(self, item: int, last: int) -> None:
        """Judge the standing estimate of an item at its copies since the last change, up to a step."""
        turns: Any = self.turns
        plan, begun, before = turns.plan.items, turns.begun, self._before.get(item, 0)
        first = max(self._since.get(item, 0), begun)
        low, high = plan.count(item, first - begun), plan.count(item, last - begun)
        estimate = self._shown.get(item, 0)
        if low == high or (before + high - estimate) / (first + 1) <= -self.lowest:
            return
        lap = plan.per_lap(item)
        copies = np.arange(low + 1, high + 1)
        if high - low > 2 * lap:
            copies = np.concatenate((np.arange(low + 1, low + lap + 1), np.arange(high - lap + 1, high + 1)))
        steps = begun + plan.nth(item, copies)
        errors = (estimate - before - copies) / steps
        place = int(errors.argmin())
        self.note(float(errors[place]), int(steps[place]), item)
