"""The engines for games of items with content: those of tracking, with sites that find out which items they receive.

A site states how many further items it can receive in silence, and, for trackers that count copies, at how many copies
of each item it next speaks; the plan states the steps of these. So a game costs its messages if its plans repeat, and
its items only as far as plans list them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.adversaries.contents import ItemAdversary, Pairs
from disttrack.adversaries.contents.plans import HEAVIEST
from disttrack.adversaries.schedules import NEVER
from disttrack.protocols.base import FOREVER
from disttrack.protocols.contents import ItemTracker
from disttrack.protocols.contents.base import Feed
from disttrack.simulator.errors import MoveError, ScenarioError
from disttrack.simulator.game.columns import CHECKPOINT
from disttrack.simulator.game.contents import PROBLEMS
from disttrack.simulator.game.contents.problem import Problem
from disttrack.simulator.game.engines.base import Engine, Judged
from disttrack.simulator.game.engines.leap import Leap
from disttrack.simulator.game.engines.step import Step
from disttrack.simulator.game.network.mail import Receivers
from disttrack.simulator.game.timeline import Timeline
from disttrack.simulator.kinds.names import side_name

Cell = tuple[int | str, int]
"""An item, and a site."""
PLACES: Final = ("worst_step", "worst_item")
"""Columns beyond those of other games."""
ROWS: Final = 60
"""Checkpoints of a game: a row computes the errors of all items."""


class ContentEngine(Engine):
    """What both have: the problem in place of the verdict on a count, and the copies of each item at each site.

    Parameters
    ----------
    tracker, adversary
        The two sides; the adversary must be this game's copy.
    problem
        The class of the problem, which knows the truth; that of the tracker's first task if left out.
    """

    protocol: ItemTracker
    plans: ClassVar[type[object]] = Pairs
    in_place: ClassVar[bool] = True

    def __init__(
        self, tracker: ItemTracker, adversary: ItemAdversary, problem: type[Problem] | None = None, **options: object
    ) -> None:
        if options.get("start") or options.get("network") is not None:
            raise ScenarioError("games of items have neither start nor network")
        self._problem = problem or PROBLEMS[tracker.plays[0]]
        self._before: dict[Cell, int] = {}
        """Copies of each item at each site before the present plan."""
        self._types: set[type] = set()
        """Types of the names of items, where they must be comparable."""
        super().__init__(tracker, adversary, **options)  # type: ignore[arg-type]
        self.view.record(output=self.referee.value)

    def largest(self) -> int:
        return self.items * int(getattr(self.adversary, "heaviest", 1))

    def parts(self) -> Receivers:
        feeds = [PlannedFeed(number, self) for number in range(self.k)]
        sites = self.protocol.sites(self.k, self.rngs["sites"], feeds=feeds)
        return Receivers(sites, self.protocol.server(self.k, self.rngs["server"]))

    def referee_of(self) -> Problem:
        server: Any = self.server
        problem = self._problem(self.protocol, server, self.consultation)
        self.timeline = ContentTimeline(self.items, self.error_at)
        problem.rows = lambda: self.timeline.columns()["step"]
        return problem

    def error_at(self, step: int) -> float:
        """Return the largest error at the end of a step since the last change."""
        return self.problem.error(step)

    def answer(self) -> dict[int | str, int]:
        """Return the estimates that have changed."""
        return self.problem.latest

    @property
    def problem(self) -> Problem:
        """The problem, which judges the answers."""
        problem: Problem = self.referee
        return problem

    @cached_property
    def series(self) -> dict[str, list[Any]]:
        series = self.timeline.columns()
        self.problem.fill(series)
        return series

    def judgement(self, steps: int) -> Judged:
        row = self.problem.row()
        return Judged(judged=self.problem.judged, **{name: row[name] for name in row if name not in PLACES})

    def extra(self) -> dict[str, Any]:
        """Return where the error was largest first."""
        row = self.problem.row()
        return {name: row[name] for name in PLACES}

    # ------------------------------------------------------------------ the items

    @property
    def place(self) -> int:
        """The number of the present step in the present plan."""
        return self.now - self.consultation.begun

    def held(self, site: int, item: int | str) -> int:
        """Return how many copies of an item a site has received, by their weight."""
        plan: Any = self.consultation.plan
        cell = item, site
        return self._before.get(cell, 0) + int(plan.cells(self.k).weight(cell, self.place))

    def step_of_copy(self, site: int, item: int | str, copies: int) -> int:
        """Return the step by which a site has received this number of copies of an item, by their weight."""
        plan: Any = self.consultation.plan
        cell = item, site
        step: int = plan.cells(self.k).reach(cell, copies - self._before.get(cell, 0))
        return self.consultation.begun + step

    def dues(self, site: int, due_of: Callable[[int | str], int]) -> list[tuple[int, int, int | str]]:
        """Return `step_of_copy` of `due_of(item)` for each item of a site in the present plan, its place, and it."""
        plan: Any = self.consultation.plan
        cells = plan.cells(self.k)
        kinds = cells.kinds
        if len(kinds) == 1:  # as in the plans of adversaries that react
            return [(self.step_of_copy(site, item, due_of(item)), 0, item) for item, at in kinds if at == site]
        places = plan.cells_at(site, self.k)
        known = [kinds[place] for place in places.tolist()]
        left = [due_of(cell[0]) - self._before.get(cell, 0) for cell in known]
        steps = self.consultation.begun + cells.reaches(places, np.array(left, dtype=np.int64))
        return [(step, place, cell[0]) for place, (step, cell) in enumerate(zip(steps.tolist(), known, strict=True))]

    def check_plan(self, plan: Any) -> None:
        """Raise MoveError unless the weights and the names of a plan can be played."""
        problem, kind = self.problem, side_name(self.adversary)
        who = f"adversary {kind}: plan() gave items"
        if plan.weights is not None:
            for name, side in ((self.protocol.kind, self.protocol), (f"task {problem.name}", problem)):
                if not side.weighs:
                    raise MoveError(f"{who} weights; {name} takes none")
            if problem.weight_after(self.items) > HEAVIEST:
                raise MoveError(f"{who} weights of more than 2^61 in all")
        if problem.ordered:
            self._types |= plan.types
            if len(self._types) > 1:
                raise MoveError(f"{who} names that are numbers and texts; task {problem.name} orders them")

    def copies(self) -> dict[Cell, int]:
        """Return the copies of each item that each site has received, by item and site."""
        return self._before | self._of_this_plan()

    def _of_this_plan(self) -> dict[Cell, int]:
        """Return the same for the cells of the present plan."""
        plan: Any = self.consultation.plan
        cells, before = plan.cells(self.k), self._before
        return {
            cell: before.get(cell, 0) + more for cell, more in zip(cells.kinds, cells.copies(self.place), strict=True)
        }

    def leave_plan(self, now: int) -> None:
        if now:
            self.problem.leave(now)
            super().leave_plan(now)
            self._before |= self._of_this_plan()


class ContentStep(ContentEngine, Step):
    """The reference engine."""

    def close(self, last: int) -> None:
        self.referee.close(last)


class ContentLeap(ContentEngine, Leap):
    """The engine that leaps from message to message."""

    postpones: ClassVar[bool] = False  # the problem reads the answers from the server

    def leave_plan(self, now: int) -> None:
        if now:
            self.pass_checkpoints(now)  # their errors are found by the present plan
        super().leave_plan(now)


class PlannedFeed(Feed):
    """The items of a site by the adversary's plans.

    Parameters
    ----------
    number
        The site.
    game
        Knows the plans.
    """

    __slots__ = ("_before", "_dues", "_game", "_given", "_number", "_plan", "_weight")

    def __init__(self, number: int, game: ContentEngine) -> None:
        self._number, self._game = number, game
        self._plan: object = None
        self._weight = self._before = self._given = 0
        """The weight passed on, that before the present plan, and the number of items of this plan passed on."""
        self._dues: list[tuple[int, int, int | str]] | None = None
        """The steps of the next message on account of each item of the present plan, as known, and the item: a heap."""

    def held(self, item: int | str) -> int:
        return self._game.held(self._number, item)

    def take(self, items: int) -> tuple[int, int | str, int]:
        plan, place = self._present(), self._game.place
        self._given += items
        if plan.at(place) != self._number:
            place = plan.nth(self._number, self._given)
        before, weight = self._weight, plan.weight_at(place)
        self._weight = self._before + int(plan.sum_of(self._number, self._given))
        return self._weight - before - weight, plan.items.at(place), weight

    def before(self, weight: int) -> int:
        plan = self._present()
        if plan.weights is None:
            return weight - 1
        return self._items_before(plan.reach(self._number, self._weight + weight - self._before))

    def before_copies(self, due_of: Callable[[int | str], int]) -> int:
        game, site = self._game, self._number
        self._present()
        begun, dues = game.consultation.begun, self._dues
        if dues is None:
            dues = game.dues(site, due_of)
            heapq.heapify(dues)
            self._dues = dues
        while dues:
            known, place, item = dues[0]
            step = game.step_of_copy(site, item, due_of(item))
            if step <= known:
                return self._items_before(step - begun)
            heapq.heapreplace(dues, (step, place, item))  # messages have raised it
        return FOREVER

    def _present(self) -> Any:
        """Return the present plan; if it is a new one, all items of the earlier ones have been passed on."""
        turns = self._game.consultation
        if self._plan != (turns.plan, turns.begun):
            self._game.check_plan(turns.plan)
            self._plan, self._before, self._given, self._dues = (turns.plan, turns.begun), self._weight, 0, None
        return turns.plan

    def _items_before(self, place: int) -> int:
        """Return how many further items come before the one at a place of the present plan, which the site gets."""
        plan: Any = self._game.consultation.plan
        return FOREVER if place >= NEVER else int(plan.count(self._number, place)) - self._given - 1


class ContentTimeline(Timeline):
    """Rows with the largest error over all items in place of an output."""

    names: ClassVar[Sequence[str]] = tuple(name for name in CHECKPOINT if name != "output")

    def __init__(self, items: int, error_at: Callable[[int], float]) -> None:
        super().__init__(0, items, ROWS)
        self._error_at = error_at

    def row(self, step: int, items: int, output: object, messages: int, words: int) -> tuple[Any, ...]:
        return step, items, self._error_at(step), messages, words
