"""The problem of heavy hitters: which items are above a share of all items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from disttrack.protocols.contents.base import Name
from disttrack.simulator.game.contents.problem import Frequency, deciding


class HeavyItems(Frequency):
    """The items above phi N, with f copies of an item among N.

    The error of an item that is listed is phi - f / N, and of another one f / N - phi + alpha, as far as it is above 0:
    at most alpha where all items above phi N are listed, and none below (phi - alpha) N. While an item stays listed the
    worst step is the last one, or the one before a copy; while it does not, that of a copy. Laps as for `Frequency`.
    """

    name: ClassVar[str] = "frequent-items"

    def __init__(self, tracker: Any, *others: Any) -> None:
        super().__init__(tracker, *others)
        self.tracker = tracker
        self.listed: dict[Name, None] = {}
        """The items that are listed, in the order in which they came."""

    def news(self, step: int, items: Iterable[Name]) -> bool:
        moved = dict.fromkeys(items)
        for item in moved | self.listed:
            listed = self.tracker.lists(self.server.estimates[item], self.server.total)
            if listed == (item in self.listed):
                continue
            self._catch_up(item, step - 1)
            if listed:
                self.listed[item] = None
            else:
                del self.listed[item]
            self._since[item] = step
            self.output_changes += 1
            self._judge(item, [step], [self.truth(item, step)])
        return bool(moved)

    def leave(self, step: int) -> None:
        for item in self.listed:  # also those that the plan has no copies of
            self._catch_up(item, step)
        super().leave(step)

    def error(self, step: int) -> float:
        turns: Any = self.turns
        known = {*self._before, *turns.plan.items.kinds}
        return max(float(self._errors(item, step, self.truth(item, step))) for item in known)

    def _errors(self, item: Name, steps: Any, copies: object) -> Any:
        off = self.tracker.phi - np.asarray(copies) / self.total(steps)
        return np.maximum(0.0, off if item in self.listed else self.alpha - off)

    def _judge(self, item: Name, steps: Any, copies: object) -> None:
        errors = self._errors(item, np.asarray(steps), copies)
        place = int(errors.argmax())
        self.note(float(errors[place]), int(steps[place]), item)

    def _catch_up(self, item: Name, last: int) -> None:
        """Judge an item from its last change to a step."""
        turns: Any = self.turns
        plan, begun, before = turns.plan.items, turns.begun, self._before.get(item, 0)
        first = max(self._since.get(item, 0), begun)
        low, high = plan.count(item, first - begun), plan.count(item, last - begun)
        listed = item in self.listed
        bound = self._errors(item, last if listed else first + 1, before + plan.sum_of(item, low if listed else high))
        if last <= first or bound <= self.highest:
            return
        copies = deciding(plan.per_lap(item), low, high)
        steps = begun + plan.nth(item, copies) if len(copies) else copies
        if listed:  # the steps before copies that are not the first ones of the game, and the last step
            steps, copies = np.append(steps - 1, last), np.append(copies - 1, high)
            steps, copies = steps[steps > first], copies[steps > first]
        if len(steps):
            self._judge(item, steps, before + plan.sum_of(item, copies))
