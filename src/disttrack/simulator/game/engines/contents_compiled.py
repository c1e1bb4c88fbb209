"""The compiled engine of games of items: the transcript of `leap`, item by item, by compiled functions on arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from math import inf
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from disttrack.adversaries.contents import Pairs
from disttrack.adversaries.schedules import NEVER
from disttrack.mechanisms.compiler import compiled
from disttrack.protocols import kernel as slot
from disttrack.protocols.contents.kernel import CELLS, LAST_PLACE, MOVED, NAME, ORDER, ItemForm
from disttrack.protocols.kernel import ASK, FULL, GO_ON, MOST, OVER, REFILL, SERVE
from disttrack.simulator.game.contents.heavy_hitters import HeavyItems
from disttrack.simulator.game.contents.problem import Frequency, Problem
from disttrack.simulator.game.contents.representative import Listed, Rank, Representative, error_by_loop, sweep
from disttrack.simulator.game.engine_choice import NO_FORM, UncompiledError
from disttrack.simulator.game.engines import contents_kernel as at
from disttrack.simulator.game.engines.base import Strides
from disttrack.simulator.game.engines.compiled import functions_in_time
from disttrack.simulator.game.engines.contents import ContentEngine
from disttrack.simulator.game.engines.contents_kernel import (
    TAKE_ROW,
    judge_frequency,
    judge_heavy,
    largest_frequency,
    largest_heavy,
    largest_later,
    leave_heavy,
    leave_nothing,
    list_changes,
    move,
    play_items,
)
from disttrack.simulator.game.network.mail import Receivers

LEAP: Final = 3e4
"""Messages of a bound that `leap` plays in a second."""
LISTING: Final = 1e6
"""Items that `leap` lists in a second, of games that are judged after their end."""
ITEMS: Final = 3e7
"""Items that the compiled functions play in a second, drawn and judged."""
MANY: Final = 2**16
"""Changes that are taken from the log together."""
MOST_LISTED: Final = 2**26
"""Items of a game that is judged after its end: each of them is kept."""
LISTED: Final = 2**24
"""Names below it, of numbers, are looked up in a list, of 128 megabytes at most."""


class Judge(NamedTuple):
    """How the kernel judges a problem: its functions, and the number of rows of the items."""

    judge: Callable[..., object]
    leave: Callable[..., object]
    largest: Callable[..., object]
    rows: int


JUDGES: Final[Mapping[type, Judge]] = {
    Frequency: Judge(judge_frequency, leave_nothing, largest_frequency, at.SHOWN + 1),
    HeavyItems: Judge(judge_heavy, leave_heavy, largest_heavy, at.BEST_COPIES + 1),
    **dict.fromkeys((Representative, Rank), Judge(list_changes, leave_nothing, largest_later, at.SHOWN + 1)),
}


class Numbers:
    """The items by now, numbered in the order in which they came.

    Small numbers of long plans are their own numbers, up to the largest one, until another item comes.

    Attributes
    ----------
    names
        The items, by their numbers.
    """

    def __init__(self) -> None:
        self.names: Any = range(0)
        self._listed = np.full(1024, -1, dtype=np.int64)
        self._others: dict[Any, int] = {}

    def of(self, plan: Pairs) -> Any:
        """Return the number of the item of each step of a plan."""
        listed = plan.contents
        if listed.dtype != object and listed.min() >= 0 and (largest := int(listed.max())) < LISTED:
            if type(self.names) is range and largest < max(len(self.names), len(listed)):
                self.names = range(max(len(self.names), largest + 1))
                return listed
            names = self._names_in_a_list()
            self._make_room(largest)
            new = listed[self._listed[listed] < 0]
            if len(new):
                places = np.arange(len(new))
                self._listed[new] = places  # the last place of each, without sorting them
                kinds = new[self._listed[new] == places]
                self._listed[kinds] = np.arange(len(names), len(names) + len(kinds))
                names += kinds.tolist()
            return self._listed[listed]
        return self.of_names(plan.items.kinds)[plan.items.numbered]

    def of_names(self, names: Sequence[int | str]) -> Any:
        """Return the numbers of items."""
        return np.array([self.of_name(name) for name in names], dtype=np.int64)

    def of_name(self, name: int | str) -> int:
        """Return the number of an item."""
        names = self.names
        if type(names) is range:
            if type(name) is int and 0 <= name < len(names):
                return name
            names = self._names_in_a_list()
        if type(name) is int and 0 <= name < LISTED:
            if name >= len(self._listed):
                self._make_room(name)
            number: int = self._listed.item(name)
            if number < 0:
                number = self._listed[name] = len(names)
                names.append(name)
        else:
            number = self._others.setdefault(name, len(names))
            if number == len(names):
                names.append(name)
        return number

    def _names_in_a_list(self) -> list[Any]:
        if type(self.names) is range:
            self.names = list(self.names)
            self._make_room(len(self.names))
            self._listed[: len(self.names)] = self.names
        return self.names  # type: ignore[no-any-return]

    def _make_room(self, name: int) -> None:
        have = len(self._listed)
        if name >= have:
            self._listed = np.append(self._listed, np.full(max(name + 1, 2 * have) - have, -1))


class ContentCompiled(ContentEngine, Strides):
    """A game of items as arrays; for other parameters see `ContentEngine`, and `in_time` of `Compiled`.

    Parameters
    ----------
    asked
        Whether the adversary is asked for each plan though it has a machine.
    """

    name: ClassVar[str] = "compiled"
    form: ItemForm
    referee: Problem

    def __init__(self, *sides: Any, in_time: bool = False, asked: bool = False, **options: Any) -> None:
        super().__init__(*sides, **options)
        judge = JUDGES.get(type(self.problem))
        if judge is None or self.transcript is not None or self.watch is not None:
            raise UncompiledError("the compiled form has only the tasks' rules, no record")
        if self.items > (MOST_LISTED if self.problem.each_item else MOST):
            raise UncompiledError("the game is too long")
        form, seconds = self.form, inf
        if in_time:
            seconds = self.protocol.cost_bound(self.k, self.items) / LEAP
            if self.problem.each_item:
                seconds += self.items / LISTING
            if self.items / ITEMS > seconds:
                raise UncompiledError("leaping is faster")
        adversary: Any = self.adversary
        machine = adversary.machine(self.view) if self.consultation.reacts and not asked else None
        parts = {"report": form.report, "lacks": form.lacks, "judge": judge.judge, "leave": judge.leave}
        parts["move"] = machine.rule if machine else move
        form.begin(self.items)
        self._parts = parts
        self._play = functions_in_time(play_items, _by_cells(_of_game, form.cells.dtype.name), parts, seconds)
        self._largest, self._leave = compiled(judge.largest, _of_largest), compiled(judge.leave, _of_leave)
        self._judge, self._numbers = judge, Numbers()
        self._seen, self._extremes = np.zeros(at.READ + 1, dtype=np.int64), np.zeros(at.LEAST + 1)
        if type(self.problem) is HeavyItems:
            tracker: Any = self.protocol
            self._extremes[[at.ALPHA, at.PHI, at.LEAST]] = self.problem.alpha, tracker.phi, tracker.least
        listed = self.problem.each_item
        self._came = np.empty(self.items if listed else 0, dtype=np.int64)
        self._log = np.empty((MANY if listed else 0, 3), dtype=np.int64)
        self._logs: list[Any] = []
        self._seen[at.ROOM] = len(self._log) if listed else NEVER
        self._fed = self._named = np.zeros(1, dtype=np.int64)
        self._burst = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        """The site and the item of a plan of one pair."""
        self._header = form.whole.data
        self._served = self.ledger.messages, self.ledger.words
        """Messages and words in the ledger; those of the sites are counted when the game is over."""
        self._header[slot.REACTS] = self.consultation.reacts
        self._header[slot.ROW] = min(self.timeline.due, NEVER)
        self._state = np.zeros(1)
        if machine:
            self._header[slot.MACHINE], self._state = 1, machine.state
            self._named = self._numbers.of_names(machine.items)
            self._make_room(self.items)

    def parts(self) -> Receivers:
        form = self.protocol.item_form(self.k, self.rngs["sites"], self.rngs["server"])
        if form is None:
            raise UncompiledError(f"{NO_FORM} with these parameters")
        self.form = form
        return Receivers((), form.server)

    @property
    def now(self) -> int:
        return self._header[slot.STEP]

    def sent(self, step: int) -> int:
        return step

    # ------------------------------------------------------------------ playing

    def run(self) -> None:
        form, event = self.form, -1
        while event != OVER:
            if event == ASK:
                event = self._ask()
                continue
            if event == SERVE:
                form.serve(self.ledger, self._compiled)
                self._served = self.ledger.messages, self.ledger.words
            elif event == REFILL:
                form.refill()
            elif event == FULL:
                self._empty_log()
            elif event == TAKE_ROW:
                self._take_row()
            event = self._play(*self._arrays())

    def _arrays(self) -> tuple[Any, ...]:
        form = self.form
        return (
            form.whole, form.real, form.sites, form.items, form.cells, self._seen, self._extremes,
            self._log, self._came, self._fed, self._named, self._state,
        )  # fmt: skip

    def _compiled(self, function: Callable[..., object]) -> Callable[..., Any]:
        """Return the compiled form of a function of the tracker's form."""
        return compiled(function, _by_cells(_of_part[function.__name__], self.form.cells.dtype.name))

    def _empty_log(self) -> None:
        """Take the changes from the log, and make room for those of a step."""
        self._logs.append(self._log[: self._seen[at.LOGGED]].copy())
        self._seen[at.LOGGED] = 0
        if len(self._log) <= self._header[MOVED]:
            self._log = np.empty((2 * self._header[MOVED], 3), dtype=np.int64)
            self._seen[at.ROOM] = len(self._log)

    def _ask(self) -> int:
        """Ask the adversary after the present step, and play on while it answers with pairs; return what is to be done.

        A loop of its own, since it runs once per change of the estimates.
        """
        header, seen, form, problem = self._header, self._seen.data, self.form, self.problem
        turns, view, reacts, numbers = self.consultation, self.view, self.consultation.reacts, self._numbers
        ask, waits = self.adversary.plan, self._judge.leave is not leave_nothing
        arrays, fed, named = None, self._burst[0].data, self._burst[1].data
        while True:
            step = header[slot.STEP]
            if reacts and step:  # it is asked after each change
                came = header[slot.SITE]
                form.tell(numbers.names, [came, *form.moved().tolist()] if header[MOVED] else (came,))
            if reacts and seen[at.CHANGED]:
                problem.changes, problem.step, turns.due = seen[at.STEPS_CHANGED], step, step
            seen[at.CHANGED] = 0
            changes = problem.changes
            view._steps = view._sent = step  # View.stand, inlined
            view._output, view._changes, view._changed_at = problem.value, changes, problem.step if changes else 0
            plan: Any = ask(view)
            if type(plan) is not Pairs or not plan.pair or plan is turns.plan or not 0 <= plan.pair[0] < self.k:
                self.go_on(turns.accept(plan, step), step, step)
                header[slot.LAST], header[slot.END] = self.game_end, turns.end
                return GO_ON
            if problem.ordered:
                self.check_plan(plan)
            if waits:
                self.leave_plan(step)
            turns.follow(plan, step)
            self.sent_before, left, length = step, self.items - step, plan.length
            header[slot.LAST] = self.game_end = self.items if left <= length else NEVER
            header[slot.END], seen[at.PLACE] = turns.end, 0
            fed[0], named[0] = plan.pair[0], numbers.of_name(plan.pair[1])
            if arrays is None or len(numbers.names) != seen[at.NUMBER] or 2 * header[CELLS] > header[LAST_PLACE]:
                self._make_room(1)
                self._fed, self._named = self._burst
                arrays = self._arrays()
            event: int = self._play(*arrays)
            if event != ASK:
                return event

    def leave_plan(self, now: int) -> None:
        if now and self._judge.leave is not leave_nothing:
            form = self.form
            self._leave(form.items, self._seen, self._extremes, now, self._named, 0, len(self._named))

    def enter_plan(self, now: int) -> None:
        plan: Any = self.consultation.plan
        if type(plan) is not Pairs or plan.weights is not None:
            raise UncompiledError("only pairs without weights are compiled")
        if self.problem.ordered:
            self.check_plan(plan)
        self._seen[at.PLACE] = 0
        self._fed, self._named = plan.labels, self._numbers.of(plan)
        self._make_room(plan.period)

    def _make_room(self, steps: int) -> None:
        """Make room for all items by now, and for the cells of these further steps of different items."""
        names, before = self._numbers.names, self._seen[at.NUMBER]
        self._seen[at.NUMBER] = known = len(names)
        form, before_all = self.form, self.form.cells.dtype
        form.make_room(known, min(steps, known * self.k), self._judge.rows, self._compiled)
        if form.cells.dtype != before_all:
            self._play = compiled(play_items, _by_cells(_of_game, form.cells.dtype.name), **self._parts)
        if self.form.named and before < known:
            new = names[before:]
            if type(new) is not range and any(type(name) is not int or not -(2**63) <= name < 2**63 for name in new):
                raise UncompiledError("only whole numbers of 64 bits are compiled")
            self.form.items[NAME, before:known] = new

    def consult(self, step: int) -> None:
        if self._header[slot.MACHINE]:
            self.game_end = self._header[slot.LAST] = self.items
            return
        super().consult(step)
        self._header[slot.LAST], self._header[slot.END] = self.game_end, self.consultation.end

    # ------------------------------------------------------------------ the verdict

    def _take_row(self) -> None:
        step, header, (messages, words) = self.now, self._header, self._served
        messages += sum([header[place] for _, place in self.form.messages])
        words += self.form.words()
        self.timeline.pass_by(step, step, None, messages, words, step)  # type: ignore[arg-type]
        self._header[slot.ROW] = min(self.timeline.due, NEVER)

    def error_at(self, step: int) -> float:
        return float(self._largest(self.form.items, self._seen, self._extremes, step))

    def close(self, last: int) -> None:
        form, problem, seen, names = self.form, self.referee, self._seen, self._numbers.names
        self.leave_plan(last)
        form.tell(names, form.items[ORDER, : len(form.server.estimates)].tolist())
        form.count_up(self.ledger)
        if isinstance(problem, Representative):
            self._list(problem)
        extremes = self._extremes[[at.HIGHEST, at.LOWEST]] + 0.0  # no -0.0
        problem.highest, problem.lowest = extremes.tolist()
        problem.output_changes, problem.changes = int(seen[at.ALL_CHANGES]), int(seen[at.STEPS_CHANGED])
        problem.worst_step, problem.step, problem.judged = int(seen[at.WORST_STEP]), int(seen[at.CHANGED_AT]), last > 0
        if problem.worst_step:
            problem.worst_item = names[int(seen[at.WORST_ITEM])]

    def _list(self, problem: Representative) -> None:
        """Hand the items and the changes to the problem, by their places in order."""
        names, came = self._numbers.names, self._came[: self.now]
        self._empty_log()
        moves = np.concatenate(self._logs)
        known = np.zeros(len(names), dtype=bool)
        known[came] = known[moves[:, 1]] = True
        order = np.flatnonzero(known).tolist()
        if type(names) is not range or len(order) < len(names):  # else the numbers are the places
            order.sort(key=names.__getitem__)
            places = np.empty(len(names), dtype=np.int64)
            places[order] = np.arange(len(order))
            came, moves[:, 1] = places[came], places[moves[:, 1]]
        moves = moves.take((moves[:, 0] * len(order) + moves[:, 1]).argsort(kind="stable"), axis=0)
        problem.listed = Listed([names[number] for number in order], came, moves)
        problem.swept = problem.sweep_by(compiled(sweep, _of_sweep, error_of=error_by_loop))


@cache
def _by_cells(types: Callable[..., Any], cells: str) -> Callable[..., Any]:
    """Return the types of arguments for cells of these numbers."""
    return partial(types, cells=cells)


def _whole(numba: Any, cells: str = "int64") -> Any:
    return numba.int64[::1], numba.float64[::1], numba.int64[:, ::1], getattr(numba, cells)[:, ::1]


def _of_game(numba: Any, cells: str) -> Any:
    whole, real, table, narrow = _whole(numba, cells)
    return whole, real, table, table, narrow, whole, real, table, whole, whole, whole, real


def _of_sweep(numba: Any) -> Any:
    whole, real, table, _ = _whole(numba)
    return whole, table, whole, whole, whole, real, numba.boolean, numba.boolean


def _of_thin(numba: Any, cells: str) -> Any:
    whole, real, table, narrow = _whole(numba, cells)
    return whole, real, table, table, narrow, real


def _of_moving(numba: Any, cells: str) -> Any:
    whole, _, _, narrow = _whole(numba, cells)
    return whole, narrow, narrow, numba.int64, numba.int64


def _of_largest(numba: Any) -> Any:
    whole, real, table, _ = _whole(numba)
    return table, whole, real, numba.int64


def _of_leave(numba: Any) -> Any:
    whole, real, table, _ = _whole(numba)
    return table, whole, real, numba.int64, whole, numba.int64, numba.int64


def _of_shown(numba: Any, cells: str) -> Any:
    whole, _, table, _ = _whole(numba)
    return whole, table


_of_part: Final = {"thin": _of_thin, "move_cells": _of_moving, "show_all": _of_shown}
