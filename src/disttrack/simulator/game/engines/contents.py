"""The engines for games of items with content: those of tracking, with sites that find out which items they receive.

A site states how many further items it can receive in silence, and, for trackers that count copies, at how many copies
of each item it next speaks; the plan states the steps of these. So a game costs its messages if its plans repeat, and
its items only as far as plans list them.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Final

from disttrack.adversaries.contents import ItemAdversary, Pairs
from disttrack.adversaries.contents.plans import HEAVIEST
from disttrack.adversaries.schedules import NEVER
from disttrack.protocols.base import FOREVER, Message, Server, Site
from disttrack.protocols.contents import ItemServer, ItemSite, ItemTracker
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.contents.problem import Problem
from disttrack.simulator.game.engines.base import Engine
from disttrack.simulator.game.engines.leap import Leap
from disttrack.simulator.game.engines.step import Step
from disttrack.simulator.game.network.mail import Receivers
from disttrack.simulator.game.timeline import Timeline

Cell = tuple[int | str, int]
"""An item, and a site."""
ROWS: Final = 60
"""Checkpoints of a game: a row computes the errors of all items."""


class ContentEngine(Engine):
    """What both have: the problem in place of the verdict on a count, and the copies of each item at each site.

    Parameters
    ----------
    tracker, adversary
        The two sides; the adversary must be this game's copy.
    problem
        The class of the problem, which knows the truth.
    """

    protocol: ItemTracker  # type: ignore[assignment]  # its sites receive items with content
    plans: ClassVar[type[Any]] = Pairs

    def __init__(self, tracker: ItemTracker, adversary: ItemAdversary, problem: type[Problem], **options: Any) -> None:
        self._problem = problem
        self._before: dict[Cell, int] = {}
        """Copies of each item at each site before the present plan."""
        self._types: set[type] = set()
        """Types of the names of items, where they must be comparable."""
        super().__init__(tracker, adversary, **options)  # type: ignore[arg-type]
        self.view.output = self.referee.value

    def largest(self) -> int:
        return self.items * int(getattr(self.adversary, "heaviest", 1))

    def parts(self) -> Receivers:
        sites = self.protocol.sites(self.k, self.rngs["sites"], self.held)
        server = ContentServer(self.protocol.server(self.k, self.rngs["server"]))
        return Receivers([ContentSite(site, number, self) for number, site in enumerate(sites)], server)

    def referee_of(self) -> Problem:
        server: Any = self.server
        problem = self._problem(self.protocol, server.of_items, self.consultation)
        self.timeline = ContentTimeline(self.items, problem)
        return problem

    @property
    def problem(self) -> Problem:
        """The problem, which judges the answers."""
        problem: Problem = self.referee
        return problem

    @cached_property
    def series(self) -> dict[str, list[Any]]:
        """The columns of the timeline, after the end of the game."""
        series = self.timeline.columns()
        self.problem.fill(series)
        return series

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

    def check_plan(self, plan: Any) -> None:
        """Raise MoveError unless the weights and the names of a plan can be played."""
        problem, kind = self.problem, self.adversary.kind or type(self.adversary).__name__
        who = f"adversary {kind}: plan() gave items"
        if plan.weights is not None:
            for name, side in ((self.protocol.kind, self.protocol), (f"task {problem.name}", problem)):
                if not side.weighs:
                    raise MoveError(f"{who} weights; {name} takes none")
            if problem.weight_after(self.items) > HEAVIEST:
                raise MoveError(f"{who} weights that add up to more than 2^61 by the last item of the game")
        if problem.ordered:
            self._types |= plan.types
            if len(self._types) > 1:
                raise MoveError(f"{who} names that are numbers and texts; task {problem.name} must put them in order")

    def copies(self) -> dict[Cell, int]:
        """Return the copies of each item that each site has received, by item and site."""
        return self._before | self._of_this_plan()

    def _of_this_plan(self) -> dict[Cell, int]:
        """Return the same for the cells of the present plan."""
        plan: Any = self.consultation.plan
        cells, before, place = plan.cells(self.k), self._before, self.place
        return {cell: before.get(cell, 0) + cells.weight(cell, place) for cell in cells.kinds}

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


class ContentSite(Site):
    """A site as the engines know it, which receives numbers of items; tells a site of a tracker which ones they are.

    Parameters
    ----------
    site, number
        That site, and its number.
    game
        Knows the items.
    """

    __slots__ = ("_before", "_dues", "_game", "_given", "_number", "_plan", "of_items")

    def __init__(self, site: ItemSite, number: int, game: ContentEngine) -> None:
        self.of_items, self._number, self._game = site, number, game
        self._plan: object = None
        self._before = self._given = 0
        """The weight before the present plan, and the number of its items that the site has received."""
        self._dues: list[tuple[int, int, int | str]] | None = None
        """The steps of the next message on account of each item of the present plan, as known, and the item: a heap."""

    def quota(self) -> int:
        plan, site = self._present(), self.of_items
        quota = site.quota()
        if plan.weights is not None:
            quota = self._items_before(plan.reach(self._number, site.count + quota + 1 - self._before))
        return min(quota, self._silent_copies()) if self._game.protocol.per_item else quota

    def take(self, items: int) -> Sequence[Message]:
        plan, site, place = self._present(), self.of_items, self._game.place
        self._given += items
        if plan.at(place) != self._number:
            place = plan.nth(self._number, self._given)
        weight = plan.weight_at(place)
        site.rest(self._before + int(plan.sum_of(self._number, self._given)) - site.count - weight)
        return site.take(plan.items.at(place), weight)

    def hear(self, message: Message) -> Sequence[Message]:
        return self.of_items.hear(message)

    def _present(self) -> Any:
        """Return the present plan; if it is a new one, the site has received all items of the earlier ones."""
        turns = self._game.consultation
        if self._plan != (turns.plan, turns.begun):
            self._game.check_plan(turns.plan)
            self._plan, self._before, self._given, self._dues = (turns.plan, turns.begun), self.of_items.count, 0, None
        return turns.plan

    def _items_before(self, place: int) -> int:
        """Return how many further items it can receive before the one at a place of the present plan, which it gets."""
        plan: Any = self._game.consultation.plan
        return FOREVER if place >= NEVER else int(plan.count(self._number, place)) - self._given - 1

    def _silent_copies(self) -> int:
        """Return how many further items it can receive before one whose copies make it speak."""
        game, site, number = self._game, self.of_items, self._number
        plan, begun, dues = self._present(), game.consultation.begun, self._dues
        if dues is None:
            dues = [
                (game.step_of_copy(number, item, site.due_of(item)), place, item)
                for place, item in enumerate(plan.kinds_at(number))
            ]
            heapq.heapify(dues)
            self._dues = dues
        while dues:
            known, place, item = dues[0]
            step = game.step_of_copy(number, item, site.due_of(item))
            if step <= known:
                return self._items_before(step - begun)
            heapq.heapreplace(dues, (step, place, item))  # messages have raised it
        return FOREVER


class ContentServer(Server):
    """A server as the engines know it: its output is the number of messages that it has received.

    Each of them may change the answers of a tracker of items, which the problem reads from the server itself.
    """

    def __init__(self, server: ItemServer) -> None:
        self.of_items = server
        self.output: int = 0

    @property
    def rounds(self) -> int:  # type: ignore[override]
        """Announcements so far."""
        return self.of_items.rounds

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output += 1
        return self.of_items.hear(sender, message)


class ContentTimeline(Timeline):
    """Rows with the largest error over all items in place of an output."""

    names: ClassVar[Sequence[str]] = ("step", "items", "rel_error", "messages", "words")

    def __init__(self, items: int, problem: Problem) -> None:
        super().__init__(0, items, ROWS)
        self._problem = problem

    def row(self, step: int, items: int, output: Any, messages: int, words: int) -> tuple[Any, ...]:
        return step, items, self._problem.error(step), messages, words
