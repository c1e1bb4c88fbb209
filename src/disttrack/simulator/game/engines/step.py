"""The step engine, the reference: a SimPy process for each site, one for the server and one for the adversary.

Each receiver has an inbox, for which its process waits. In a step, things happen in the order of their priorities: the
adversary's item, arrivals of messages, faults, and the end of the step. What happens at a receiver has SimPy's default
priority, so it is over before the next message arrives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any, ClassVar, Final

import simpy

from disttrack.adversaries.schedules import NEVER, Rest
from disttrack.simulator.game.engines.base import Engine
from disttrack.simulator.game.judge import Judge, PresentJudge
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.network.mail import Ends, Letter, Mail, mail_on, moment
from disttrack.simulator.game.network.recovery import inside

Process = Generator[simpy.Event, Any, None]

ITEM: Final = "item"
"""It comes from the adversary; all else that a site gets is letters."""
END: Final = 10
"""Priority of the end of a step: after all arrivals and faults."""


class Inbox:
    """What has arrived for one process, first in, first out; a SimPy store would take a second event for each."""

    __slots__ = ("_arrived", "_env", "_wanted")

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._arrived: deque[Any] = deque()
        self._wanted: simpy.Event | None = None

    def put(self, arrival: object) -> None:
        """Pass an arrival to the process, or keep it until the process waits."""
        wanted, self._wanted = self._wanted, None
        if wanted is None:
            self._arrived.append(arrival)
        else:
            wanted.succeed(arrival)

    def get(self) -> simpy.Event:
        """Return the event of the next arrival."""
        event = simpy.Event(self._env)
        if self._arrived:
            event.succeed(self._arrived.popleft())
        else:
            self._wanted = event
        return event


class Step(Ends, Engine):
    """The game of the papers, one step after another; slow and plain."""

    name: ClassVar[str] = "step"
    longest_silence = 0
    """The largest number of items that a site received without a message, and then spoke."""
    mail: Mail

    def make_sides(self) -> None:
        self.env = simpy.Environment()
        self.to_server = Inbox(self.env)
        self.to_site = [Inbox(self.env) for _ in range(self.k)]
        super().make_sides()
        self.mail = mail_on(self, self.network or Network(), self.rngs["network"], self.receivers)
        if self.network is not None:
            self.lag = Judge(self.protocol.accuracy, self.server.output, self.network.warm_up, self.start)
        self.given, self.given_before = 0, 0
        """Items given by now, and by the end of the last step that is over."""

    def referee_of(self) -> Any:
        return PresentJudge(self.protocol.accuracy, self.server.output)

    # ------------------------------------------------------------------ the processes

    def run(self) -> None:
        self.env.process(self.server_process())
        for site in range(self.k):
            self.env.process(self.site_process(site))
        self.env.run(until=self.env.process(self.adversary_process()))

    def adversary_process(self) -> Process:
        """Give an item, or none, in each step; when the step is over, look at the output and plan anew."""
        plans, step = self.consultation, 0
        while step < self.game_end:
            quiet = self.quiet_steps(step)
            yield self.env.timeout(quiet + 1)
            step += quiet + 1
            site = plans.plan.at(step - plans.begun)
            if site is not None:
                self.given += 1
                self.to_site[site].put(ITEM)
            yield moment(self.env, step, END)
            self.end_step(step)

    def site_process(self, site: int) -> Process:
        """Take items and hear the server's messages, and send what the protocol says."""
        silent = 0
        while True:
            got = yield self.to_site[site].get()
            if got is ITEM:
                messages = self.sites[site].take(1)
                self.send_up(site, messages)
                if messages:
                    self.longest_silence = max(self.longest_silence, silent)
                silent = 0 if messages else silent + 1
            else:
                self.send_up(site, self.receivers.site_hears(got), got.origin)
                self.mail.end(got)

    def server_process(self) -> Process:
        """Hear the sites' messages, and send what the protocol says."""
        while True:
            letter = yield self.to_server.get()
            self.send_down(self.receivers.server_hears(letter))
            self.mail.end(letter)

    def quiet_steps(self, step: int) -> int:
        """Return the next steps that are as this one, of a rest that has begun before it, and judge them at once.

        With messages that take no time nothing happens in them. The last step of a rest is played.
        """
        plans = self.consultation
        if self.network is not None or type(plans.plan) is not Rest or step == plans.begun:
            return 0
        quiet = max(0, min(plans.end, self.game_end) - step - 1)
        items = self.start + self.given
        if quiet and self.referee.error(items)[1]:
            self.referee.fail(step + 1, items, quiet)
        return quiet

    def deliver(self, letter: Letter) -> None:
        """Put a letter that has arrived into the store of its receiver."""
        (self.to_server if letter.up else self.to_site[letter.site]).put(letter)

    # ------------------------------------------------------------------ the end of a step

    def end_step(self, step: int) -> None:
        """Note a new output, ask the adversary if it is due, and judge the step."""
        changed = self.referee.hear(step, self.server.output)
        if changed:
            self.note_output(step)
        if changed or (self.watch is not None and self.watch.fresh):
            self.consultation.news(step)
        if self.given == self.items:
            self.game_end = step
        try:
            if step >= self.consultation.due:
                self.consult(step)
        finally:  # the step is over, whatever the adversary does
            self.judge(step)
            self.given_before = self.given

    def judge(self, step: int) -> None:
        """Compare the output with the items, and take the rows of the timeline."""
        items = self.start + self.given
        self.referee.judge(step, items)
        if self.lag is not None:
            self.lag.hear(step, self.referee.output)
            self.lag.judge(step, items, self.mail.voyages.oldest)
        if self.timeline.due <= items:
            ledger = self.ledger
            self.timeline.pass_by(items, step, self.referee.output, ledger.messages, ledger.words, items)

    def consult(self, step: int) -> None:
        plans = self.consultation
        if step < plans.due or step >= self.game_end:
            return
        self.show(step, self.given)
        plan = plans.ask(step)
        if plan is None:
            self.game_end = step if plans.over else self.game_end
            return
        self.leave_plan(step)
        plans.follow(plan, step)
        self.check_patience(plan, step)
        if plans.end >= NEVER and plan.step_of(self.items - self.given) >= NEVER:
            self.game_end = step  # it skips for ever, so nothing can happen any more

    # ------------------------------------------------------------------ the engine's face

    def sent(self, step: int) -> int:
        return self.given_before

    def close(self, last: int) -> None:
        """Do nothing: each step has been judged."""

    def look(self, site: int | None) -> Any:
        return inside(self.server if site is None else self.sites[site])

    def items_before(self) -> int:
        return self.start + self.given_before
