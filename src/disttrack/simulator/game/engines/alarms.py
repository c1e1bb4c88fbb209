"""The sleep of the sites between messages: each has an alarm for the step at which it will next send one.

Up to a *horizon* the counts of all sites are known, and so which of them reach the number at which they send their next
message. The steps of these are looked for one by one. The horizon is near enough that they are few: after a message of
the server all of them may have other numbers, and are looked for anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any, Final

import numpy as np
import simpy

from disttrack.adversaries.random_streams import RandomStream
from disttrack.adversaries.schedules import NEVER
from disttrack.protocols.base import Message, Site
from disttrack.protocols.kernel import COUNT, NEXT, Whole
from disttrack.simulator.errors import PartError, must_be
from disttrack.simulator.game.consultation import Consultation

NORMAL: Final = 1
"""SimPy's default priority, that of an item."""


def no_silence(number: int, site: Site) -> PartError:
    """Return the error of a site that states a silence below 0: its alarm would never go forward."""
    return PartError(must_be("0 or more, or FOREVER", site.silence(), f"site {number}: silence()"))


class Alarms:
    """The alarms of k sites.

    A site states how many items it may take in silence, the schedule states the step of the next one. For that step
    its alarm is set, a SimPy event; a site without further items needs none.

    Parameters
    ----------
    turns
        The plans of the adversary.
    """

    def __init__(self, env: simpy.Environment, sites: Sequence[Site], turns: Consultation) -> None:
        self._env, self._sites, self._turns = env, sites, turns
        self._credited = [0] * len(sites)
        """Items of the present plan that each site has received."""
        self._alarms: list[_Alarm | None] = [None] * len(sites)
        """The alarm of each site, made when it is first needed."""
        self._ring: list[Callable[[Any], None]] = []
        self._course: object = None
        """A new object for each plan, even if the same plan begins again."""

    def begin(self, speak: Callable[[int, Sequence[Message], int], None], each: bool = False) -> None:
        """Have `speak(site, messages, step)` called when a site sends messages, or with `each` when a silence is over.

        When an alarm rings, the site takes its items, sends its messages, and sets the alarm again: by a closure, since
        it runs once per message and avoids repeated look-ups.
        """
        credited, turns, schedule, ring = self._credited, self._turns, self._env.schedule, self._ring

        def wake(alarm: _Alarm) -> None:
            number, step = alarm.number, alarm.queued
            alarm.callbacks = ring
            if alarm.step != step:
                alarm.queued = NEVER
                self._queue(alarm)  # a later message or plan has postponed its next message
                return
            site, due = alarm.site, alarm.due
            items = due - credited[number]
            credited[number] = due
            alarm.queued = NEVER
            messages = site.take(items)
            if messages or each:
                speak(number, messages, step)
            if alarm.course is not self._course or alarm.queued < NEVER:
                return  # it is set again already, or the plan has no items for it
            due = alarm.due = credited[number] + site.silence() + 1
            if due <= credited[number]:
                raise no_silence(number, site)
            nth = alarm.nth
            if nth is None:
                nth = alarm.nth = turns.plan.of_site(number)
            following = alarm.step = turns.begun + nth(due)
            if following < NEVER:
                alarm.queued = following
                schedule(alarm, NORMAL, following - step)  # type: ignore[arg-type]

        ring.append(wake)

    # ------------------------------------------------------------------ items

    def sync(self, site: int) -> None:
        """Pass a site all of its items so far."""
        turns = self._turns
        self._give(site, turns.plan.count(site, int(self._env.now) - turns.begun))

    def _give(self, site: int, due: int) -> None:
        """Pass a site its items of the present plan, `due` by now."""
        items = due - self._credited[site]
        if not items:
            return
        self._credited[site] = due
        messages = self._sites[site].take(items)
        if messages:
            raise PartError(
                f"site {site}: silence() promised {items:,} more items, take({items}) sent {messages!r}; "
                "return at most the items before the next message"
            )

    # ------------------------------------------------------------------ plans

    def fed(self) -> Any:
        """Return the sites that receive items in the present plan."""
        support = self._turns.plan.support(len(self._sites))
        return range(len(self._sites)) if support is None else support

    def leave_plan(self, now: int) -> None:
        """Pass all sites their items of the present plan, which ends with step `now`; their alarms are to be set."""
        self._course = object()
        count, within = self._turns.plan.count, now - self._turns.begun
        for site in self.fed():
            self._give(site, count(site, within))
            self._credited[site] = 0
            alarm = self._alarms[site]
            if alarm is not None:
                alarm.step = NEVER

    # ------------------------------------------------------------------ setting

    def rouse(self, touched: Sequence[int]) -> None:
        """Set the alarms of the sites that received a message; sites without items in the plan need none."""
        fed = self.fed()
        self.set(touched if len(touched) <= len(fed) else fed)

    def set(self, sites: Iterable[int]) -> None:
        """Set the alarms of these sites."""
        alarms, credited, turns = self._alarms, self._credited, self._turns
        nth, begun, course = turns.plan.nth, turns.begun, self._course
        for number in sites:
            alarm = alarms[number]
            site = self._sites[number] if alarm is None else alarm.site
            due = credited[number] + site.silence() + 1
            if due <= credited[number]:
                raise no_silence(number, site)
            step = begun + nth(number, due)
            if alarm is None or step < alarm.queued < NEVER:
                if step >= NEVER:
                    continue
                if alarm is not None:
                    alarm.callbacks = []  # it still fires, without effect
                alarm = alarms[number] = _Alarm(self._env, number, site)
                alarm.callbacks = self._ring
            if alarm.course is not course:
                alarm.course, alarm.nth = course, None
            alarm.due, alarm.step = due, step
            if alarm.queued >= NEVER:
                self._queue(alarm)
            # a later step needs no event: the alarm fires once without effect, and is set again

    def _queue(self, alarm: _Alarm) -> None:
        if alarm.step < NEVER:
            alarm.queued = alarm.step
            self._env.schedule(alarm, NORMAL, alarm.step - self._env.now)  # type: ignore[arg-type]


class _Alarm(simpy.Event):
    """A timeout that its site reuses, rather than making a new one for each message.

    Attributes
    ----------
    number, site
        Its owner.
    step, due
        The step of the site's next message, by the present state, and the number of the plan's items at that step.
    queued
        The step at which it fires, `NEVER` if it is not set.
    course, nth
        The plan for which it was set, and the plan's step of the site's n-th item; None until it is needed.
    """

    __slots__ = ("course", "due", "nth", "number", "queued", "site", "step")

    def __init__(self, env: simpy.Environment, number: int, site: Site) -> None:
        super().__init__(env)
        self._ok, self._value = True, None
        self.number, self.site = number, site
        self.step = self.queued = NEVER
        self.due = 0
        self.course: object = None
        self.nth: Callable[[int], int] | None = None


FEWEST: Final = 8
"""Number of sites up to which a horizon is near enough."""


class Agenda:
    """The messages of all sites in the order of their steps; steps are those of the plan.

    Parameters
    ----------
    stream
        The plan.
    sites
        The sites of the compiled tracker. Their counts are kept up for a site that sends a message, and by `count`.

    Attributes
    ----------
    steps
        Step, site and item of each message up to the horizon: a heap.
    size
        Positions in the interval at whose end the horizon lies: a power of two.
    fresh
        Whether any site may have another next message.
    """

    def __init__(self, stream: RandomStream, sites: Whole) -> None:
        self._stream, self._sites = stream, sites
        self._items = np.zeros(len(sites), dtype=np.int64)
        """The items of the plan of each site, when its count was last kept up."""
        self._most = max(FEWEST, len(sites) // max(1, (len(sites) - 1).bit_length()))
        self.size = 1 << (stream.begin.bit_length() - 1)
        self._horizon = 0
        self._by_horizon: Any = self._items
        self.steps: list[tuple[int, int, int]] = []
        self.fresh = True

    def following(self, now: int, last: int) -> tuple[int, int]:
        """Return the next message after a step: its step and site; the site is -1 if there is none by the last step."""
        steps = self.steps
        if self.fresh:
            self.look_on(now, self.size)
            self.fresh = False
        elif steps and steps[0][0] == now:
            _, site, item = heappop(steps)
            self._items[site] = item
            self._plan(site)
        while not steps:
            if self._horizon >= last:
                return last, -1
            self.look_on(self._horizon, 2 * self.size)
        step, site, _ = steps[0]
        return (step, site) if step <= last else (last, -1)

    def count(self, now: int) -> None:
        """Keep up the counts of all sites; their next messages may then be changed."""
        items = self._stream.counts(now)
        self._sites[:, COUNT] += items - self._items
        if self.steps and self.steps[0][0] == now:  # its count was kept up before it sent a message
            _, site, item = self.steps[0]
            self._sites[site, COUNT] -= item - self._items[site]
        self._items, self.fresh = items, True

    def look_on(self, now: int, size: int) -> None:
        """Set the horizon after a step, and look for the messages up to it."""
        position = self._stream.begin + now
        due = self._items + (self._sites[:, NEXT] - self._sites[:, COUNT])
        size = min(size, 1 << (position.bit_length() - 1))
        while True:
            horizon = (position // size + 1) * size - self._stream.begin
            items = self._stream.counts(horizon)
            sites = np.flatnonzero(items >= due)
            if len(sites) <= self._most:  # as in a step of one item
                break
            size //= 2
        self.size, self._horizon, self._by_horizon = size, horizon, items
        self.steps[:] = [(self._stream.nth(site, due[site].item()), site, due[site].item()) for site in sites.tolist()]
        heapify(self.steps)

    def _plan(self, site: int) -> None:
        """Look for the next message of a site."""
        item = int(self._items[site] + self._sites[site, NEXT] - self._sites[site, COUNT])
        if item <= self._by_horizon[site]:
            heappush(self.steps, (self._stream.nth(site, item), site, item))
