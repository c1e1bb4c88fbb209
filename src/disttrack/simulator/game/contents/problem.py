"""A problem of the tracking game: what is true, what an error is, and when it is largest between two changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from disttrack.adversaries.schedules import Integers
from disttrack.protocols.contents import ItemServer, ItemTracker
from disttrack.protocols.contents.base import Name
from disttrack.simulator.game.columns import FAILED, MAX_REL_ERROR, OK, UNDECIDED
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
        self.rows: Callable[[], Sequence[Any]] = tuple
        """Returns the steps of the checkpoints by now."""

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
        return float(self.row()[MAX_REL_ERROR])

    def note(self, error: float, step: int, item: Name) -> None:
        """Take a signed error into the extremes; of equal ones, the first is the worst, in whatever order they come."""
        if worsens(error, step, self.worst, self.worst_step):
            self.worst_step, self.worst_item = step, item
        self.highest, self.lowest = max(self.highest, error), min(self.lowest, error)

    def row(self) -> dict[str, Any]:
        """Return the columns of the game."""
        kept = FAILED if self.worst > self.alpha * SLACK else OK if self.judged else UNDECIDED
        return {
            MAX_REL_ERROR: self.worst,
            "highest": self.highest,
            "lowest": self.lowest,
            "worst_step": self.worst_step,
            "worst_item": shown(self.worst_item),
            "output_changes": self.output_changes,
            "verdict": kept if self.guaranteed else UNDECIDED,
        }


class Frequency(Problem):
    """The count f of every item; the error of an estimate is (estimate - f) / N, with N items in total.

    An item of weight w counts as w copies, also in N. While an estimate stands, f and N only grow. So
    the error is largest right after a change of the estimate, and smallest right after a copy of the item. In a plan
    that repeats, the copies at one place of the list have errors (a - i) / (b + c i) in the i-th lap, which only rise
    or only fall with i: the first and the last lap decide."""

    name: ClassVar[str] = "item-frequency"
    weighs: ClassVar[bool] = True
    sign: ClassVar[int] = -1
    """The sign of the errors of standing answers that copies make larger."""

    def __init__(self, tracker: ItemTracker, server: ItemServer, turns: Consultation) -> None:
        super().__init__(tracker, server, turns)
        self._numbers: dict[Name, int] = {}
        """The items by now, numbered in the order in which they came."""
        self.names: list[Name] = []
        """The same, by their numbers."""
        self._before: list[int] = []
        """Copies of each item, by its number, before the present plan."""
        self._since: dict[int, int] = {}
        """The step of the last change of an answer, by the item's number, where there was one."""
        self._shown: dict[int, int] = {}
        """The estimates that have been judged."""
        self._plan: object = None
        self._in_plan: tuple[Integers, Integers] = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        """Of the present plan: the numbers of its items in their order, and the copies of all items before it."""

    def number(self, item: Name) -> int:
        """Return the number of an item."""
        number = self._numbers.setdefault(item, len(self._before))
        if number == len(self._before):
            self.names.append(item)
            self._before.append(0)
        return number

    def truth(self, item: Name, step: int) -> int:
        """Return the copies of an item by a step of the present plan."""
        turns: Any = self.turns
        return self._before[self.number(item)] + int(turns.plan.items.weight(item, step - turns.begun))

    def news(self, step: int, items: Iterable[Name]) -> bool:
        changes = self.output_changes
        for item in dict.fromkeys(items):
            estimate, number = self.server.estimates[item], self.number(item)
            if estimate == self._shown.get(number, 0):
                continue
            self._catch_up(item, step - 1)
            self._shown[number], self._since[number] = estimate, step
            self.output_changes += 1
            self.note(-lack_of(estimate, self.truth(item, step), int(self.total(step))), step, item)
        return self.output_changes > changes

    def leave(self, step: int) -> None:
        if not step:
            return
        turns: Any = self.turns
        item, *others = turns.plan.items.kinds
        if not others:  # the plans of adversaries that react
            self._catch_up(item, step)
            self._before[self.number(item)] = self.truth(item, step)
        else:
            self._catch_up_all(step)
            copies = self.copies(step)
            for number in self._of_plan()[0].tolist():
                self._before[number] = copies.item(number)
        self._total_before = int(self.total(step))

    def error(self, step: int) -> float:
        copies = self.copies(step)
        return float(self.errors_of(self._by_number(self._shown), copies, int(self.total(step))).max())

    def errors_of(self, shown: Any, copies: Any, total: int) -> Any:
        """Return the size of the error of each item, by its number."""
        return abs(shown - copies) / total

    def copies(self, step: int) -> Any:
        """Return the copies of all items, by their numbers, by a step of the present plan."""
        turns: Any = self.turns
        numbers, before = self._of_plan()
        copies = before.copy()
        copies[numbers] += turns.plan.items.sums(turns.plan.items.counts(step - turns.begun))
        return copies

    def _of_plan(self) -> tuple[Integers, Integers]:
        turns: Any = self.turns
        if self._plan != (turns.plan, turns.begun):
            numbers = np.array([self.number(item) for item in turns.plan.items.kinds])
            self._plan, self._in_plan = (turns.plan, turns.begun), (numbers, np.array(self._before))
        numbers, before = self._in_plan
        if len(before) < len(self.names):  # estimates of items that never came
            self._in_plan = numbers, np.append(before, self._before[len(before) :])
        return self._in_plan

    def _by_number(self, values: dict[int, int]) -> Any:
        """Return values as an array of all items; 0 for the others."""
        listed = np.array(list(values.values()) or [0])
        array = np.zeros(len(self.names), dtype=listed.dtype)
        array[list(values)] = listed[: len(values)]
        return array

    # ------------------------------------------------------------------ standing answers

    def lack(self, shown: Any, copies: Any, total: Any) -> Any:
        """Return how large the error of a standing estimate is in the direction in which copies make it larger."""
        return lack_of(shown, copies, total)

    def _is_passed(self, lack: Any) -> Any:
        """Return whether no error up to this one can matter."""
        return (lack < self.sign * (self.lowest if self.sign < 0 else self.highest)) | (lack == 0)

    def _catch_up(self, item: Name, last: int) -> None:
        """Judge the standing answer to an item at its copies since the last change, up to a step."""
        turns: Any = self.turns
        plan, begun, number = turns.plan.items, turns.begun, self.number(item)
        before, shown = self._before[number], self._shown.get(number, 0)
        first = max(self._since.get(number, 0), begun)
        low, high = plan.count(item, first - begun), plan.count(item, last - begun)
        if low == high or self._is_passed(self.lack(shown, before + plan.sum_of(item, high), self.total(first + 1))):
            return
        self._judge(*(np.array([one]) for one in (plan.place(item), number, shown, before, low, high)))

    def _catch_up_all(self, last: int) -> None:
        """Do so for all items of the present plan, which ends with a step."""
        turns: Any = self.turns
        plan, begun, (numbers, all_before) = turns.plan.items, turns.begun, self._of_plan()
        first = np.maximum(self._by_number(self._since)[numbers], begun)
        low, high = np.zeros_like(first), plan.counts(last - begun)
        (later,) = np.nonzero(first > begun)
        if len(later):
            low[later] = plan.counts_of(later, first[later] - begun)
        before, shown = all_before[numbers], self._by_number(self._shown)[numbers]
        lack = self.lack(shown, before + plan.sums(high), self.total(first + 1))
        (places,) = np.nonzero((low < high) & ~self._is_passed(lack) & self.stands(numbers))
        if len(places):
            self._judge(places, *(each[places] for each in (numbers, shown, before, low, high)))

    def stands(self, numbers: Integers) -> Any:
        """Return of which items copies make the error larger: of all."""
        return True

    def _judge(
        self, places: Integers, numbers: Integers, shown: Any, before: Any, low: Integers, high: Integers
    ) -> None:
        """Judge answers at some of the copies of their items, by the places of these in the plan and their numbers."""
        turns: Any = self.turns
        plan = turns.plan.items
        owner, nth = deciding(plan.laps(places), low, high)
        steps, sums = plan.occurrences(places[owner], nth)
        steps = turns.begun + steps
        lack = self.lack(shown[owner], before[owner] + sums, self.total(steps))
        (worst,) = np.nonzero(lack == lack.max())
        place = worst[steps[worst].argmin()]
        self.note(self.sign * float(lack[place]), int(steps[place]), self.names[numbers.item(owner[place])])


def lack_of(shown: Any, copies: Any, total: Any) -> Any:
    """Return how far an estimate is below the copies of its item, over all items."""
    return (copies - shown) / total


def worsens(error: Any, step: Any, worst: Any, worst_step: Any) -> Any:
    """Return whether a signed error is the worst one by now, or an equal one in an earlier step."""
    return abs(error) > worst or (abs(error) == worst and step < worst_step)


def deciding(laps: Integers, low: Integers, high: Integers) -> tuple[Integers, Integers]:
    """Return the copies after `low`, up to `high`, that can have the largest error: of the first and the last lap.

    Takes arrays, and returns the places in them too.
    """
    number = high - low
    short = number <= 2 * laps
    first = np.column_stack((low, high - laps)).ravel() + 1
    sizes = np.column_stack((np.where(short, number, laps), np.where(short, 0, laps))).ravel()
    within = np.arange(sizes.sum()) - np.repeat(sizes.cumsum() - sizes, sizes)
    return np.repeat(np.arange(len(laps)).repeat(2), sizes), np.repeat(first, sizes) + within
