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
from disttrack.adversaries.schedules import NEVER
from disttrack.protocols.base import FOREVER, Message, Server, Site
from disttrack.protocols.contents import ItemServer, ItemSite, ItemTracker
from disttrack.simulator.game.contents.problem import Problem
from disttrack.simulator.game.engines.base import Engine
from disttrack.simulator.game.engines.leap import Leap
from disttrack.simulator.game.engines.step import Step
from disttrack.simulator.game.timeline import Timeline

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

    def __init__(
        self, tracker: ItemTracker, adversary: ItemAdversary, problem: type[Problem], **options: Any
    ) -> None:
        self._problem = problem
        self._before: dict[int, int] = {}
        """Copies of each item at each site, by cell, before the present plan."""
        super().__init__(tracker, adversary, **options)  # type: ignore[arg-type]
        self.view.output = self.referee.value

    def parts(self) -> tuple[Sequence[Site], Server, None]:
        sites = self.protocol.sites(self.k, self.rngs["sites"], self.held)
        server = ContentServer(self.protocol.server(self.k, self.rngs["server"]))
        return [ContentSite(site, number, self) for number, site in enumerate(sites)], server, None

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

    def held(self, site: int, item: int) -> int:
        """Return how many copies of an item a site has received."""
        plan: Any = self.consultation.plan
        cell = item * self.k + site
        return self._before.get(cell, 0) + int(plan.cells(self.k).count(cell, self.place))

    def step_of_copy(self, site: int, item: int, copies: int) -> int:
        """Return the step at which a site will have received so many copies of an item."""
        plan: Any = self.consultation.plan
        cell = item * self.k + site
        step: int = plan.cells(self.k).nth(cell, copies - self._before.get(cell, 0))
        return self.consultation.begun + step

    def last_item(self, site: int) -> int:
        """Return the last item of the present plan that a site has received."""
        plan: Any = self.consultation.plan
        place = self.place
        if plan.at(place) != site:
            place = plan.nth(site, plan.count(site, place))
        item: int = plan.items.at(place)
        return item

    def leave_plan(self, now: int) -> None:
        if not now:
            return
        plan: Any = self.consultation.plan
        self.problem.leave(now)
        super().leave_plan(now)
        cells = plan.cells(self.k)
        for cell in cells.kinds:
            self._before[cell] = self._before.get(cell, 0) + cells.count(cell, self.place)


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

    __slots__ = ("_before", "_dues", "_game", "_number", "_plan", "of_items")

    def __init__(self, site: ItemSite, number: int, game: ContentEngine) -> None:
        self.of_items, self._number, self._game = site, number, game
        self._plan: object = None
        self._dues: list[tuple[int, int]] = []
        """The steps of the next message on account of each item of the present plan, as known, and the item: a heap."""
        self._before = 0
        """Items before the present plan."""

    def quota(self) -> int:
        quota = self.of_items.quota()
        return min(quota, self._silent_copies()) if self._game.protocol.per_item else quota

    def take(self, items: int) -> Sequence[Message]:
        self.of_items.rest(items - 1)
        return self.of_items.take(self._game.last_item(self._number))

    def hear(self, message: Message) -> Sequence[Message]:
        return self.of_items.hear(message)

    def _silent_copies(self) -> int:
        """Return how many further items it can receive before one whose copies make it speak."""
        game, site, number = self._game, self.of_items, self._number
        turns, dues = game.consultation, self._dues
        plan: Any = turns.plan
        if self._plan != (plan, turns.begun):
            self._plan, self._before = (plan, turns.begun), site.count
            dues[:] = [(game.step_of_copy(number, item, site.due_of(item)), item) for item in plan.kinds_at(number)]
            heapq.heapify(dues)
        while dues:
            known, item = dues[0]
            step = game.step_of_copy(number, item, site.due_of(item))
            if step > known:  # messages have raised it
                heapq.heapreplace(dues, (step, item))
                continue
            if step >= NEVER:
                break
            given = site.count - self._before
            return int(plan.count(number, step - turns.begun)) - given - 1
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
