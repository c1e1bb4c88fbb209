"""The sleep of the sites between messages: each has an alarm for the step at which it will next send one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import simpy

from disttrack.adversaries.schedules import NEVER
from disttrack.protocols.base import Message, Site
from disttrack.simulator.errors import PartError
from disttrack.simulator.game.consultation import Consultation

NORMAL: Final = 1
"""SimPy's default priority, that of an item."""


def no_silence(number: int, site: Site) -> PartError:
    """Return the error of a site that states a silence below 0: its alarm would never go forward."""
    return PartError(f"site {number} silence() is {site.silence()}; accepted: 0 or more, or FOREVER")


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
        """Have `speak(site, messages, step)` called when a site sends messages, or when its silence is over."""
        self._ring.append(self._waker(speak, each))

    def _waker(self, speak: Callable[[int, Sequence[Message], int], None], each: bool) -> Callable[[Any], None]:
        """Return the callback of an alarm: the site takes its items, sends its messages, and sets the alarm again.

        A closure, since it runs once per message and avoids repeated look-ups.
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

        return wake

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
                f"site {site} spoke within its silence: silence() promised {items:,} more items, and "
                f"take({items}) sent {messages!r}; return at most the items before the next message"
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
