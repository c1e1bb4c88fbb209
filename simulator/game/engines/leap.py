"""The leap engine: one SimPy event a message, whatever the number of items between them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import simpy

from adversaries.schedules import NEVER
from simulator.game.engines.simulated import END, NORMAL, Simulated, trigger_at


class Leap(Simulated):
    """k site processes, each asleep until the step of the item at which it will speak.

    A site says how many items it may take in silence, the schedule at which step the next one comes.
    Gives the transcript of the `step` engine: the sites act at the same steps in the same
    order, so they draw the same numbers.
    """

    name: ClassVar[str] = "leap"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.credited = [0] * self.k
        """Items of the present plan that each site has been given."""
        self.alarm = [NEVER] * self.k
        """The step at which each site is to speak next, as things stand."""
        self._bells: list[simpy.Event | None] = [None] * self.k
        """What a site waits for that has nothing to come."""
        self._course: object = None
        """Another object for each plan, even where the same one is begun again."""
        self._timer = NEVER
        self._processes: list[simpy.Process] = []

    def begin(self) -> None:
        self._processes = [self.env.process(self._site(number)) for number in range(self.k)]
        self._set_timer()

    # ------------------------------------------------------------------ sites

    def _site(self, number: int) -> Generator[simpy.Event, Any, None]:
        env, alarm, credited, bells = self.env, self.alarm, self.credited, self._bells
        quota, take, speak = self.sites[number].quota, self.sites[number].take, self.speak
        schedule, clock, turns = env.schedule, _Clock(env), self.consultation
        now, course = 0, self._course
        nth, begin = turns.plan.of_site(number), turns.begun
        while True:
            if course is not self._course:
                course = self._course
                nth, begin = turns.plan.of_site(number), turns.begun
            due = credited[number] + quota() + 1
            step = alarm[number] = begin + nth(due)
            try:
                if step < NEVER:
                    clock.callbacks = []
                    schedule(clock, NORMAL, step - now)  # type: ignore[arg-type]
                    yield clock
                else:
                    bell = bells[number] = env.event()
                    yield bell
                    bells[number] = None
                    step = int(env.now)
                    due = credited[number] + quota() + 1  # it has heard something, or the plan is a new one
            except simpy.Interrupt:
                now = int(env.now)
                clock = _Clock(env)  # the other one will still ring, for nobody
                continue
            now = step
            if alarm[number] != step:
                continue  # what it has heard since has put its next message off
            if course is not self._course:
                due = credited[number] + quota() + 1
            items = due - credited[number]
            credited[number] = due
            messages = take(items)
            if messages:
                speak(number, messages, step)

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
        """Set the alarms of the sites that have heard something anew."""
        for site in self.channels.touched:
            if site != speaker:
                self._set_alarm(site)
        self.channels.touched.clear()

    def _set_alarm(self, site: int) -> None:
        items = self.credited[site] + self.sites[site].quota() + 1
        step = self.consultation.begun + self.consultation.plan.nth(site, items)
        before, self.alarm[site] = self.alarm[site], step
        if step >= before or not self._processes:
            return  # a later alarm needs no interrupt: the process wakes in vain once, and sleeps on
        bell, process = self._bells[site], self._processes[site]
        if bell is not None and not bell.triggered:
            trigger_at(self.env, bell, step)
        elif process is not self.env.active_process:
            process.interrupt()

    # ------------------------------------------------------------------ plans

    def leave_plan(self, now: int) -> None:
        if not now:
            return
        turns = self.consultation
        support, count, within = turns.plan.support(self.k), turns.plan.count, now - turns.begun
        credited, alarm = self.credited, self.alarm
        for site in range(self.k) if support is None else support:
            due = count(site, within) - credited[site]
            if due:
                self._give(site, due)
            credited[site] = 0
            alarm[site] = NEVER

    def enter_plan(self, now: int) -> None:
        self._course = object()
        if not self._processes:
            return
        support = self.consultation.plan.support(self.k)
        for site in range(self.k) if support is None else support:
            self._set_alarm(site)
        self._set_timer()

    def _set_timer(self) -> None:
        """See to it that something happens at the end of the plan and of the game."""
        due = min(self.consultation.end, self.game_end)
        if due < self._timer:
            self._timer = due
            self.at(due, END, self._on_timer)

    def _on_timer(self, event: Any) -> None:
        now = int(self.env.now)
        if now != self._timer:
            return  # an earlier one has taken its place
        self._timer = NEVER
        self.consult(now)
        if now >= self.game_end:
            self._ended.succeed()
        else:
            self._set_timer()


class _Clock(simpy.Event):
    """A timeout that its process sets again and again, rather than make a new one for each message."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._ok, self._value = True, None
