"""A problem of the tracking game: what is true, what an error is, and when it is largest between two changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from disttrack.protocols.contents import ItemServer, ItemTracker
from disttrack.protocols.contents.base import Name
from disttrack.simulator.game.consultation import Consultation

SLACK = 1 + 1e-12
"""Errors are compared with alpha as floats, which differ by less than this factor from the exact ones."""


def shown(item: Name) -> int | str:
    """Return an item as tables show it: a number as it is, and a text in quotes, so that 7 and '7' differ."""
    return repr(item) if isinstance(item, str) else item


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
    output_changes
        Number of changes of estimates.
    judged
        Whether any step was judged, after the end of the game.
    output, value, step, changes
        For the engines and the adversary's view: the estimates, for both, the step of their last change, and the number
        of steps in which one has changed.
    latest
        The estimates of the items that changed last.
    """

    name: ClassVar[str]
    """The task."""
    weighs: ClassVar[bool] = False
    """Whether items may have weights."""
    ordered: ClassVar[bool] = False
    """Whether items must be comparable: all of them numbers, or all texts."""
    numeric: ClassVar[bool] = False
    """Whether items of a recorded stream must be numbers."""
    later: ClassVar[tuple[list[int], list[int]]] = ([], [])
    """Changes that have not been judged: none."""
    each_item: ClassVar[bool] = False
    """Whether a game costs its items, and not only its changes."""

    def __init__(self, tracker: ItemTracker, server: ItemServer, turns: Consultation) -> None:
        self.alpha, self.server, self.turns = tracker.alpha, server, turns
        self.judged = False
        self.guaranteed = tracker.guarantee != "none"
        self.highest = self.lowest = 0.0
        self.worst_step = 0
        self.worst_item: Name = 0
        self._total_before = 0
        """The weight of all items before the present plan."""
        self.output_changes = self.step = self.changes = 0
        self.output = self.value = MappingProxyType(server.estimates)
        self.latest: dict[Name, int] = {}

    def hear(self, step: int, output: object) -> bool:
        """Judge the estimates at the end of a step; return whether one is new."""
        return self.change(step, step, step - 1, output)

    def change(self, step: int, items: int, before: int, output: object, step_of: object = None) -> bool:
        """Judge the estimates that have changed in a step; return whether one has."""
        server = self.server
        changed = self.news(step, server.moved)
        if changed:
            self.step, self.changes = step, self.changes + 1
            self.latest = {item: server.estimates[item] for item in server.moved}
        server.moved.clear()
        return changed

    def judge(self, step: int, items: int) -> None:
        """Do nothing at the end of a step: between two changes the worst one is known."""
        return

    def catch_up(self, offset: int) -> None:
        """Do nothing: each change has been judged."""
        return

    def close(self, last: int, items: int = 0, step_of: object = None) -> None:
        """Judge the game up to its last step."""
        self.judged = last > 0
        self.leave(last)

    @abstractmethod
    def news(self, step: int, items: Iterable[Name]) -> bool:
        """Judge the estimates of these items, which hold from this step on; return whether one has changed."""

    @abstractmethod
    def leave(self, step: int) -> None:
        """Judge everything up to this step, with which the present plan ends."""

    @abstractmethod
    def error(self, step: int) -> float:
        """Return the largest error at the end of a step since the last change."""

    def fill(self, series: dict[str, list[object]]) -> None:
        """Complete the rows of the checkpoints after the end; by default they are."""
        return

    def total(self, step: Any) -> Any:
        """Return the weight of all items by a step of the present plan, or an array of them."""
        turns: Any = self.turns
        return self._total_before + turns.plan.total(step - turns.begun)

    def weight_after(self, step: int) -> int:
        """Return the weight of all items by a step, the last one or earlier, if the present plan continues up to it."""
        turns: Any = self.turns
        return self._total_before + int(turns.plan.total(min(step - turns.begun, turns.plan.length)))

    @property
    def worst(self) -> float:
        """The largest error."""
        return max(self.highest, -self.lowest)

    @property
    def max_rel_error(self) -> float:
        """The largest error of a game that is over."""
        return float(self.row()["max_rel_error"])

    def note(self, error: float, step: int, item: Name) -> None:
        """Take a signed error into the extremes."""
        if abs(error) > self.worst:
            self.worst_step, self.worst_item = step, item
        self.highest, self.lowest = max(self.highest, error), min(self.lowest, error)

    def row(self) -> dict[str, Any]:
        """Return the columns of the game."""
        kept = "failed" if self.worst > self.alpha * SLACK else "ok" if self.judged else "undecided"
        return {
            "max_rel_error": self.worst,
            "highest": self.highest,
            "lowest": self.lowest,
            "worst_step": self.worst_step,
            "worst_item": shown(self.worst_item),
            "output_changes": self.output_changes,
            "verdict": kept if self.guaranteed else "undecided",
        }


class Frequency(Problem):
    """The count f of every item; the error of an estimate is (estimate - f) / N, with N items in total.

    An item of weight w counts as w copies, also in N. While an estimate stands, f and N only grow. So
    the error is largest right after a change of the estimate, and smallest right after a copy of the item. In a plan
    that repeats, the copies at one place of the list have errors (a - i) / (b + c i) in the i-th lap, which only rise
    or only fall with i: the first and the last lap decide."""

    name: ClassVar[str] = "item-frequency"
    weighs: ClassVar[bool] = True

    def __init__(self, tracker: ItemTracker, server: ItemServer, turns: Consultation) -> None:
        super().__init__(tracker, server, turns)
        self._before: dict[Name, int] = {}
        """Copies of each item before the present plan."""
        self._since: dict[Name, int] = {}
        """The step of the last change of an estimate."""
        self._shown: dict[Name, int] = {}
        """The estimates that have been judged."""

    def truth(self, item: Name, step: int) -> int:
        """Return the copies of an item by a step of the present plan."""
        turns: Any = self.turns
        return self._before.get(item, 0) + int(turns.plan.items.weight(item, step - turns.begun))

    def news(self, step: int, items: Iterable[Name]) -> bool:
        changes = self.output_changes
        for item in dict.fromkeys(items):
            estimate = self.server.estimates[item]
            if estimate == self._shown.get(item, 0):
                continue
            self._catch_up(item, step - 1)
            self._shown[item], self._since[item] = estimate, step
            self.output_changes += 1
            self.note((estimate - self.truth(item, step)) / int(self.total(step)), step, item)
        return self.output_changes > changes

    def leave(self, step: int) -> None:
        if not step:
            return
        turns: Any = self.turns
        for item in turns.plan.items.kinds:
            self._catch_up(item, step)
            self._before[item] = self.truth(item, step)
        self._total_before = int(self.total(step))

    def error(self, step: int) -> float:
        turns: Any = self.turns
        known = {*self._before, *turns.plan.items.kinds}
        total = int(self.total(step))
        return max(abs(self._shown.get(item, 0) - self.truth(item, step)) for item in known) / total

    def _catch_up(self, item: Name, last: int) -> None:
        """Judge the standing estimate of an item at its copies since the last change, up to a step."""
        turns: Any = self.turns
        plan, begun, before = turns.plan.items, turns.begun, self._before.get(item, 0)
        first = max(self._since.get(item, 0), begun)
        low, high = plan.count(item, first - begun), plan.count(item, last - begun)
        estimate = self._shown.get(item, 0)
        if low == high or (before + plan.sum_of(item, high) - estimate) / self.total(first + 1) <= -self.lowest:
            return
        copies = deciding(plan.per_lap(item), low, high)
        steps = begun + plan.nth(item, copies)
        errors = (estimate - before - plan.sum_of(item, copies)) / self.total(steps)
        place = int(errors.argmin())
        self.note(float(errors[place]), int(steps[place]), item)


def deciding(lap: int, low: int, high: int) -> npt.NDArray[np.int64]:
    """Return the copies after `low`, up to `high`, that can have the largest error: of the first and the last lap."""
    if high - low <= 2 * lap:
        return np.arange(low + 1, high + 1)
    return np.concatenate((np.arange(low + 1, low + lap + 1), np.arange(high - lap + 1, high + 1)))
