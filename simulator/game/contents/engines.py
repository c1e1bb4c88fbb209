"""The engines of games with content: `step` goes from item to item, and `leap` from message to message.

In a step one site receives one item. A site states how many further items it can receive in silence, and, for trackers
that count copies, at how many copies of each item it next speaks; the plan states the steps of these. So a game costs
its messages if its plans repeat, and its items only as far as plans list them.

They stand beside the engines of a count, with which they share channels, ledger and consultation: there an alarm
belongs to a site, here to a site and an item, and what is judged is a set of estimates and no single output. Channels
are instantaneous, so that the calendar is one heap of alarms.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from disttrack.adversaries.base import View
from disttrack.adversaries.contents import ItemAdversary, Pairs
from disttrack.adversaries.schedules import NEVER
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.channels import SERVER, Channels, TranscriptRow
from disttrack.simulator.game.consultation import Consultation
from disttrack.simulator.game.contents.problem import Problem
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.timeline import checkpoints

ROWS = 60
"""Checkpoints of a game."""
Alarm = tuple[int, int, int]
"""Step, site and item; an item of -1 is any item."""


class ContentLeap:
    """A game, played from message to message.

    Parameters
    ----------
    tracker, adversary
        The two sides; the adversary must be this game's copy.
    problem
        The class of the problem, which knows the truth.
    sites, items
        Number of sites, and of items to come.
    rngs
        The random streams by role.
    record
        Whether to keep the transcript.
    """

    name: ClassVar[str] = "leap"

    def __init__(
        self,
        tracker: ItemTracker,
        adversary: ItemAdversary,
        problem: type[Problem],
        *,
        sites: int,
        items: int,
        rngs: Mapping[str, np.random.Generator],
        record: bool = False,
    ) -> None:
        self.tracker, self.k, self.items, self.now = tracker, sites, items, 0
        self.ledger = Ledger(sites, items, tracker.kind)
        self.transcript: list[TranscriptRow] | None = [] if record else None
        self.sites = tracker.sites(sites, rngs["sites"], self.held)
        self.server = tracker.server(sites, rngs["server"])
        ends: Any = {"sites": self.sites, "server": self.server}  # those of a count have other items
        self.channels = Channels(
            **ends, ledger=self.ledger, clock=lambda: self.now, sync=self.sync, transcript=self.transcript
        )
        known = {"kind": tracker.kind, **tracker.as_mapping()}
        self.view = View(sites=sites, items=items, rng=rngs["adversary"], known=known)
        self.view.output = MappingProxyType(self.server.estimates)
        self.turns = Consultation(adversary, self.view)  # type: ignore[arg-type]  # it asks for plans only
        self.problem = problem(tracker, self.server, self.turns)
        self._before: dict[int, int] = {}
        """Copies of each item at each site, by cell, before the present plan."""
        self._credited = [0] * sites
        """Items of the present plan that each site has received."""
        self._alarms: list[Alarm] = []
        self._due: dict[tuple[int, int], int] = {}
        """The step of the alarm in force, by site and item."""
        self._rows = checkpoints(0, items, ROWS)
        self.series: dict[str, list[Any]] = {name: [] for name in ("step", "items", "rel_error", "messages", "words")}

    @property
    def plan(self) -> Any:
        """The present plan."""
        return self.turns.plan

    def held(self, site: int, item: int) -> int:
        """Return how many copies of an item a site has received."""
        cell, cells = item * self.k + site, self.plan.cells(self.k)
        return self._before.get(cell, 0) + int(cells.count(cell, self.now - self.turns.begun))

    # ------------------------------------------------------------------ playing

    def play(self) -> None:
        """Play the game to its end."""
        on = self.items > 0 and self.consult()
        while on:
            end = min(self.turns.end, self.items)
            step = self.next_step(end)
            self.take_rows(end if step > end else step - 1)
            if step <= end:
                self.now = step
                self.wake()
                on = self.judge()
            else:
                self.now = end
                on = end < self.items and self.consult()
        self.problem.leave(self.now)

    def next_step(self, end: int) -> int:
        """Return the step of the next message; a later one than `end` if there is none up to it."""
        alarms = self._alarms
        while alarms and alarms[0][0] <= end:
            step, site, item = alarms[0]
            if self._due.get((site, item)) == step:
                due = self._step_of(site, item)
                if due <= step:
                    return step
                self._set(site, item, due)  # messages have raised its quota
            heapq.heappop(alarms)
        return NEVER

    def wake(self) -> None:
        """Give the item of this step to its site, and carry the messages."""
        plan, place = self.plan, self.now - self.turns.begun
        site, item = plan.at(place), plan.items.at(place)
        silent = plan.count(site, place) - self._credited[site] - 1
        self._credited[site] += silent + 1
        self.sites[site].rest(silent)
        answers: list[Any] = []
        for message in self.sites[site].take(item):
            self.ledger.count_up(site, message)
            if self.transcript is not None:
                self.channels.note(site, SERVER, message)
            answers.extend(self.server.hear(site, message))
        self.channels.spread(answers)
        self.set_alarms([site, *self.channels.touched], [item * self.k + site] if self.tracker.per_item else ())
        self.channels.touched.clear()

    def sync(self, site: int) -> None:
        """Pass a site its items up to now."""
        due = self.plan.count(site, self.now - self.turns.begun)
        self.sites[site].rest(due - self._credited[site])
        self._credited[site] = due

    def judge(self) -> bool:
        """Judge a step with messages; return whether the game goes on."""
        changed = self.problem.news(self.now, self.server.moved)
        self.server.moved.clear()
        if not changed:
            return True
        self.view.changes, self.view.changed_at = self.view.changes + 1, self.now
        self.turns.news(self.now)
        return self.now == self.items or self.turns.due > self.now or self.consult()

    def take_rows(self, step: int) -> None:
        """Take the rows of the checkpoints up to a step, up to which no estimate has changed."""
        while self._rows and self._rows[0] <= step:
            at = self._rows.pop(0)
            row = (at, at, self.problem.error(at), self.ledger.messages, self.ledger.words)
            for column, value in zip(self.series.values(), row, strict=True):
                column.append(value)

    # ------------------------------------------------------------------ plans

    def consult(self) -> bool:
        """Ask the adversary after this step; return whether the game goes on."""
        self.view.steps = self.view.sent = self.now
        plan = self.turns.ask(self.now)
        if plan is None:
            return not self.turns.over
        if not isinstance(plan, Pairs):
            raise MoveError(f"adversary: plan() returned {plan!r} after step {self.now}; accepted: Pairs or None")
        self.problem.leave(self.now)
        if self.now:
            self._leave()
        self.turns.follow(plan, self.now)
        self._alarms, self._due = [], {}
        self.set_alarms(plan.support(self.k), plan.cells(self.k).kinds if self.tracker.per_item else ())
        return True

    def _leave(self) -> None:
        """Pass all sites their items of the present plan, and keep the copies."""
        for site in self.plan.support(self.k):
            self.sync(site)
            self._credited[site] = 0
        cells, length = self.plan.cells(self.k), self.now - self.turns.begun
        for cell in cells.kinds:
            self._before[cell] = self._before.get(cell, 0) + cells.count(cell, length)

    # ------------------------------------------------------------------ alarms

    def set_alarms(self, sites: Iterable[int], cells: Iterable[int]) -> None:
        """Set the alarms of sites, and of pairs of a site and an item."""
        for site in sites:
            self._set(site, -1, self._step_of(site, -1))
        for cell in cells:
            item, site = divmod(cell, self.k)
            self._set(site, item, self._step_of(site, item))

    def _step_of(self, site: int, item: int) -> int:
        """Return the step at which a site next sends a message, or next on account of an item."""
        if item < 0:
            return self.turns.begun + int(self.plan.nth(site, self._credited[site] + self.sites[site].quota() + 1))
        cell = item * self.k + site
        copies = self.sites[site].due_of(item) - self._before.get(cell, 0)
        return self.turns.begun + int(self.plan.cells(self.k).nth(cell, copies))

    def _set(self, site: int, item: int, step: int) -> None:
        if self._due.get((site, item)) != step:
            self._due[site, item] = step
            if step <= self.items:
                heapq.heappush(self._alarms, (step, site, item))


class ContentStep(ContentLeap):
    """The same game, item by item: every step is one of `leap` with a message."""

    name: ClassVar[str] = "step"

    def next_step(self, end: int) -> int:
        return self.now + 1

    def set_alarms(self, sites: Iterable[int], cells: Iterable[int]) -> None:
        """Set none: no step is left out."""
