"""The leap engine: one SimPy event per message, for any number of items between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import simpy

from disttrack.adversaries.schedules import NEVER
from disttrack.protocols.base import Message
from disttrack.simulator.game.channels import SERVER, Channels
from disttrack.simulator.game.collector import collector_paused
from disttrack.simulator.game.engines.alarms import Alarms
from disttrack.simulator.game.engines.base import Strides
from disttrack.simulator.game.ledger import ONE
from disttrack.simulator.game.network.mail import Ends, Letter, Mail, Origin, mail_on, moment
from disttrack.simulator.game.network.recovery import inside

MANY: Final = 4096
"""Changes of the output that are postponed and judged together, while no one reads the verdict."""
SETTLE: Final = 9
"""Priority of judging a step: after all arrivals and faults of the step."""
END: Final = 10
"""Priority of a plan's end: after the step has been judged."""


class Leap(Ends, Strides):
    """k sites, each asleep until the step of the item at which it sends a message.

    Gives the transcript of the `step` engine: the sites act at the same steps in the same order, so they draw the same
    numbers.
    """

    name: ClassVar[str] = "leap"
    postpones: ClassVar[bool] = True
    """Whether changes of the output may be judged later, many at a time, while no one reads the verdict."""
    mail: Mail

    def __init__(self, *sides: object, **options: object) -> None:
        self.env = simpy.Environment()
        super().__init__(*sides, **options)
        self._ended = self.env.event()
        self._timer = NEVER
        self._begun = False
        alarms = self.alarms = Alarms(self.env, self.sites, self.consultation)
        kept = self.transcript is not None or self.watch is not None
        note = self.transcribe if kept else None
        self.channels = Channels(self.sites, self.server, self.ledger, lambda: self.now, alarms.sync, note)
        if self.network is None:
            alarms.begin(self._speaker())
            return
        self._settling = False
        self.mail = mail_on(self, self.network, self.rngs["network"], self.receivers)
        alarms.begin(self._post, each=True)

    @property
    def over(self) -> bool:
        """Whether the last step has been played."""
        return bool(self._ended.triggered)

    def run(self) -> None:
        self.begin()
        self.env.run(until=self._ended)

    def begin(self) -> None:
        """Set the alarms of the first plan."""
        self._begun = True
        with collector_paused():
            self.alarms.set(self.alarms.fed())
        self._set_timer()

    def look(self, site: int | None) -> Any:
        if site is None:
            return inside(self.server)
        if self.now:
            self.alarms.sync(site)
        return inside(self.sites[site])

    # ------------------------------------------------------------------ a step with messages

    def judge(self, step: int) -> None:
        """Judge a step with messages, and show the result to the adversary."""
        referee, output, news = self.referee, self.server.output, False
        if self.in_place or output != referee.output:
            if self.skipped:
                items, before = self.start + self.sent(step), self.start + self.sent_at(step - 1)
                news = referee.change(step, items, before, output, self.step_of)
            else:
                items = step + self.offset
                news = referee.change(step, items, items - 1, output)
            if news:
                if self.skipped:
                    self.forget_skips()
                self.note_output(step)
        if news or (self.watch is not None and self.watch.fresh):
            self.consultation.news(step)
            self.consult(step)

    def _speaker(self) -> Callable[[int, Sequence[Message], int], None]:  # noqa: C901
        """Return the function that carries the messages of a site in a step at once, and has the step judged.

        A closure, with `Ledger.count_up` inlined, since it runs once per message. While no one reads the verdict
        before the end of the game, changes of the output are judged many at a time.
        """
        timeline, referee, server, start, ledger = self.timeline, self.referee, self.server, self.start, self.ledger
        channels, rouse, judge = self.channels, self.alarms.rouse, self.judge
        hear, spread, touched, note = server.hear, channels.spread, channels.touched, channels.note
        up_sites, up, more_words = ledger.up_sites, ledger.up, ledger.more_words
        watched, in_place = self.watch is not None, self.in_place
        postpones = self.postpones and not self.consultation.reacts and self.outputs is None and self.level is None
        later_steps, later_outputs = referee.later
        note_step, note_output = later_steps.append, later_outputs.append
        standing, row = referee.output, timeline.due - start

        def speak(site: int, messages: Sequence[Message], step: int) -> None:  # noqa: C901
            nonlocal standing, row
            if step > row:  # a cheap test: there are never more items than steps
                self.pass_checkpoints(step - 1)
                row = timeline.due - start
            answers: tuple[tuple[int, Message], ...] = ()
            for message in messages:
                up_sites[site] += 1
                tally = up[message[0]]
                tally.messages += 1
                if message[1] is None:
                    tally.signals += 1
                if message[2] is not ONE:
                    tally.more_words += more_words(message, site)
                if note is not None:
                    note(site, SERVER, message)
                replies = hear(site, message)
                if replies:
                    answers = (*answers, *replies)
            if answers:
                spread(answers)
            output = server.output
            if in_place or output != standing:
                standing = output
                if postpones and not self.skipped:
                    note_step(step)
                    note_output(output)
                    if len(later_steps) == MANY:
                        referee.catch_up(self.offset)
                else:
                    judge(step)
            elif watched:
                judge(step)
            if touched:
                rouse(touched)
                touched.clear()

        return speak

    # ------------------------------------------------------------------ on a network

    def _post(self, site: int, messages: Sequence[Message], step: int) -> None:
        self.before(None)
        self.send_up(site, messages)
        self.after(None)

    def send_up(self, site: int, messages: Sequence[Message], origin: Origin | None = None) -> None:
        super().send_up(site, messages, origin)
        if messages:
            self.after(None)

    def deliver(self, letter: Letter) -> None:
        if letter.up:
            self.before(None)
            self.send_down(self.receivers.server_hears(letter))
        else:
            self.before(letter.site)
            self.send_up(letter.site, self.receivers.site_hears(letter), letter.origin)
        self.mail.end(letter)

    def items_before(self) -> int:
        return self.start + self.sent(self.now - 1)

    def before(self, part: int | None) -> None:
        """Settle the earlier steps before anything happens in this step; pass a site its pending items."""
        self.pass_checkpoints(self.now - 1)
        if part is not None:
            self.alarms.sync(part)

    def after(self, part: int | None) -> None:
        """Have this step judged after all of its messages have arrived; a site may have another silence."""
        if not self._settling:
            self._settling = True
            moment(self.env, self.now, SETTLE, self._settle)
        if part is not None:
            self.alarms.rouse((part,))

    def _settle(self, event: object) -> None:
        self._settling = False
        assert self.lag is not None
        self.lag.note(self.now, self.server.output, self.mail.voyages.oldest, self.items_at)
        self.judge(self.now)

    # ------------------------------------------------------------------ plans

    def leave_plan(self, now: int) -> None:
        super().leave_plan(now)
        if now:
            self.alarms.leave_plan(now)

    def enter_plan(self, now: int) -> None:
        if self._begun:
            self.alarms.set(self.alarms.fed())
            self._set_timer()

    def _set_timer(self) -> None:
        """Set the event at the end of the plan and of the game."""
        due = min(self.consultation.end, self.game_end)
        if due < self._timer:
            self._timer = due
            moment(self.env, due, END, self._on_timer)

    def _on_timer(self, event: object) -> None:
        now = int(self.env.now)
        if now != self._timer:
            return  # an earlier event has replaced it
        self._timer = NEVER
        self.consult(now)
        if now >= self.game_end:
            self._ended.succeed()
        else:
            self._set_timer()
