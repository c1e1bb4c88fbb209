"""The problem of heavy hitters: which items are above a share of all items."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from disttrack.adversaries.schedules import Integers
from disttrack.protocols.contents.base import Name
from disttrack.simulator.game.contents.problem import Frequency, deciding


class HeavyItems(Frequency):
    """The items above phi N, with f copies of an item among N.

    The error of an item that is listed is phi - f / N, and of another one f / N - phi + alpha, as far as it is above 0:
    at most alpha where all items above phi N are listed, and none below (phi - alpha) N. While an item stays listed the
    worst step is the last one, or the one before a copy; while it does not, that of a copy. Laps as for `Frequency`.
    """

    name: ClassVar[str] = "frequent-items"
    sign: ClassVar[int] = 1

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
            self._since[self.number(item)] = step
            self.output_changes += 1
            error = self._excess if listed else partial(self.lack, None)
            self.note(float(error(self.truth(item, step), self.total(step))), step, item)
        return bool(moved)

    def leave(self, step: int) -> None:
        for item in self.listed:  # also those that the plan has no copies of
            self._catch_up(item, step)
        super().leave(step)

    def errors_of(self, shown: Any, copies: Any, total: int) -> Any:
        errors = self.lack(shown, copies, total)
        listed = np.array([self.number(item) for item in self.listed], dtype=np.int64)
        errors[listed] = self._excess(copies[listed], total)
        return errors

    def lack(self, shown: Any, copies: Any, total: Any) -> Any:
        return np.maximum(0.0, missed(self.alpha, self.tracker.phi, copies, total))

    def stands(self, numbers: Integers) -> Any:
        return ~np.isin(numbers, [self.number(item) for item in self.listed])

    def _excess(self, copies: Any, total: Any) -> Any:
        """Return the error of an item that is listed."""
        return np.maximum(0.0, excess_of(self.tracker.phi, copies, total))

    def _catch_up(self, item: Name, last: int) -> None:
        if item not in self.listed:
            super()._catch_up(item, last)
            return
        turns: Any = self.turns
        plan, begun, number = turns.plan.items, turns.begun, self.number(item)
        before, first = self._before[number], max(self._since.get(number, 0), begun)
        low, high = plan.count(item, first - begun), plan.count(item, last - begun)
        if last <= first or self._is_passed(self._excess(before + plan.sum_of(item, low), self.total(last))):
            return
        _, nth = deciding(*(np.array([one]) for one in (plan.count(item, plan.period), low, high)))
        # the steps before copies that are not the first ones of the game, and the last step
        steps, copies = np.append(begun + plan.nth(item, nth) - 1 if len(nth) else nth, last), np.append(nth - 1, high)
        steps, copies = steps[steps > first], copies[steps > first]
        errors = self._excess(before + plan.sum_of(item, copies), self.total(steps))
        place = int(errors.argmax())
        self.note(float(errors[place]), int(steps[place]), item)


def excess_of(phi: Any, copies: Any, total: Any) -> Any:
    """Return how far an item that is listed is below a share phi; negative if it is above."""
    return phi - copies / total


def missed(alpha: Any, phi: Any, copies: Any, total: Any) -> Any:
    """Return by how much an item that is not listed is too frequent; negative if it is not."""
    return alpha - excess_of(phi, copies, total)
