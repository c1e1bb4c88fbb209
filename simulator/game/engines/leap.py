"""The leap engine: one SimPy event per message, for any number of items between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import simpy

from disttrack.adversaries.schedules import NEVER
from disttrack.protocols.base import Site
from disttrack.simulator.game.collector import collector_paused
from disttrack.simulator.game.engines.simulated import END, NORMAL, Simulated


class Leap(Simulated):
    """k sites, each asleep until the step of the item at which it sends a message.

    A site states how many items it may take in silence, the schedule states the step of the next one. For that step it
    sets its alarm, a SimPy event; a site without further items needs none. Gives the transcript of the `step`
    engine: the sites act at the same steps in the same order, so they draw the same numbers.
    """

    name: ClassVar[str] = "leap"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.credited = [0] * self.k
        """Items of the present plan that each site has received."""
        self._alarms: list[_Alarm | None] = [None] * self.k
        """The alarm of each site, made when it is first needed."""
        self._ring: list[Callable[[Any], None]] = []
        self._ring.append(self._waker())
        self._course: object = None
        """A new object for each plan, even if the same plan begins again."""
        self._timer = NEVER
        self._begun = False

    def begin(self) -> None:
        self._begun = True
        with collector_paused():
            self._set_alarms(self._fed())
        self._set_timer()

    # ------------------------------------------------------------------ sites

    def _waker(self) -> Callable[[Any], None]:
        """Return the callback of an alarm: the site takes its items, sends its messages, and sets the alarm again.

        A closure, since it runs once per message and avoids repeated look-ups.
        """
        credited, speak, turns, schedule, ring = (
            self.credited,
            self.speak,
            self.consultation,
            self.env.schedule,
            self._ring,
        )

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
            if messages:
                speak(number, messages, step)
            if alarm.course is not self._course or alarm.queued < NEVER:
                return  # it is set again already, or the plan has no items for it
            due = alarm.due = credited[number] + site.quota() + 1
            nth = alarm.nth
            if nth is None:
                nth = alarm.nth = turns.plan.of_site(number)
            following = alarm.step = turns.begun + nth(due)
            if following < NEVER:
                alarm.queued = following
                schedule(alarm, NORMAL, following - step)  # type: ignore[arg-type]

        return wake

    def sync(self, site: int) -> None:
        turns = self.consultation
        due = turns.plan.count(site, int(self.env.now) - turns.begun) - self.credited[site]
        if due:
            self._give(site, due)

    def _give(self, site: int, items: int) -> None:
        self.credited[site] += items
        messages = self.sites[site].take(items)
        if messages:
            raise RuntimeError(f"site {site} spoke within its quota: {messages!r}")

    def rouse(self, speaker: int) -> None:
        """Set the alarms of the sites that received a message; sites without items in the plan need none."""
        touched, fed = self.channels.touched, self._fed()
        self._set_alarms(touched if len(touched) <= len(fed) else fed)
        touched.clear()

    def _fed(self) -> Any:
        """Return the sites that receive items in the present plan."""
        support = self.consultation.plan.support(self.k)
        return range(self.k) if support is None else support

    def _set_alarms(self, sites: Iterable[int]) -> None:
        alarms, credited, turns = self._alarms, self.credited, self.consultation
        nth, begun, course = turns.plan.nth, turns.begun, self._course
        for number in sites:
            alarm = alarms[number]
            site = self.sites[number] if alarm is None else alarm.site
            due = credited[number] + site.quota() + 1
            step = begun + nth(number, due)
            if alarm is None or step < alarm.queued < NEVER:
                if step >= NEVER:
                    continue
                if alarm is not None:
                    alarm.callbacks = []  # it still fires, without effect
                alarm = alarms[number] = _Alarm(self.env, number, site)
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
            self.env.schedule(alarm, NORMAL, alarm.step - self.env.now)  # type: ignore[arg-type]

    # ------------------------------------------------------------------ plans

    def leave_plan(self, now: int) -> None:
        if not now:
            return
        turns = self.consultation
        count, within = turns.plan.count, now - turns.begun
        credited, alarms = self.credited, self._alarms
        for site in self._fed():
            due = count(site, within) - credited[site]
            if due:
                self._give(site, due)
            credited[site] = 0
            alarm = alarms[site]
            if alarm is not None:
                alarm.step = NEVER

    def enter_plan(self, now: int) -> None:
        self._course = object()
        if self._begun:
            self._set_alarms(self._fed())
            self._set_timer()

    def _set_timer(self) -> None:
        """Set the event at the end of the plan and of the game."""
        due = min(self.consultation.end, self.game_end)
        if due < self._timer:
            self._timer = due
            self.at(due, END, self._on_timer)

    def _on_timer(self, event: Any) -> None:
        now = int(self.env.now)
        if now != self._timer:
            return  # an earlier event has replaced it
        self._timer = NEVER
        self.consult(now)
        if now >= self.game_end:
            self._ended.succeed()
        else:
            self._set_timer()


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
