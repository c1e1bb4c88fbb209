"""What the SimPy engines share: sites, server, channels and clock, and the judging of a step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final

import simpy

from protocols.base import Message, even_start
from simulator.game.channels import Channels, DelayedChannels, TranscriptRow
from simulator.game.engines.base import Engine

MANY: Final = 4096
"""Changes of the output that are put off to be judged together, while nobody looks at the verdict."""
NORMAL: Final = 1
"""SimPy's own priority, that of an item."""
SETTLE: Final = 3
"""Priority of judging a step: after all arrivals of the step."""
END: Final = 4
"""Priority of a plan's end: after the step has been judged."""


class Simulated(Engine):
    """A game whose clock is SimPy's; for what it is made of see `Engine`."""

    def __init__(self, *sides: Any, **options: Any) -> None:
        self.env = simpy.Environment()
        self._record = bool(options.get("record"))
        super().__init__(*sides, **options)
        self._settling = False
        self.speak = self._speaker()

    def make_sides(self) -> None:
        begun = (even_start(self.start, self.k),) if self.start else ()
        self.sites = self.protocol.sites(self.k, self.rngs["sites"], *begun)
        self.server = self.protocol.server(self.k, self.rngs["server"], *begun)
        common = (self.sites, self.server, self.ledger)
        if self.network is None:
            self.channels = Channels(*common, lambda: int(self.env.now), self.sync, self._record)
        else:
            delay = self.network.sampler(self.rngs["network"])
            hooks = self._heard, self._pass_by
            self.channels = DelayedChannels(*common, self.sync, self._record, self.env, delay, *hooks)

    @property
    def now(self) -> int:
        return int(self.env.now)

    @property
    def transcript(self) -> list[TranscriptRow] | None:
        return self.channels.transcript

    @abstractmethod
    def sync(self, site: int) -> None:
        """Give a site all of its items so far, before it hears a message."""

    # ------------------------------------------------------------------ a step that was not silent

    def _speaker(self) -> Callable[[int, Sequence[Message], int], None]:
        """Return what carries the words of a site in a step, and judges the step.

        A closure, since it runs once a message and looks nothing up twice.
        """
        timeline, referee, server = self.timeline, self.referee, self.server
        send_up, touched, instant, start = (
            self.channels.send_up,
            self.channels.touched,
            self.network is None,
            self.start,
        )
        change, adaptive, all_items = referee.change, not self.adversary.oblivious, self.start + self.items
        later_steps, later_outputs = referee.later
        note_step, note_output = later_steps.append, later_outputs.append
        standing = referee.output

        def speak(site: int, messages: Sequence[Message], step: int) -> None:
            nonlocal standing
            if timeline.due < step + start:  # cheap: there are never more items than steps
                self._checkpoints(start + self.sent(step - 1), step - 1)
            send_up(site, messages)
            if not instant:
                return
            output = server.output
            if output != standing:
                standing = output
                if not self._plain:
                    self.settle(step)
                elif adaptive:
                    items = step + self._offset
                    if change(step, items, items - 1, output) and items < all_items:
                        self.ask(step, items - start)
                else:
                    note_step(step)
                    note_output(output)
                    if len(later_steps) == MANY:
                        referee.catch_up(self._offset)
            if touched:
                self.rouse(site)

        return speak

    def rouse(self, speaker: int) -> None:
        """Take note that the sites in `channels.touched` have heard something."""
        self.channels.touched.clear()

    def settle(self, step: int) -> None:
        """The output of this step is a new one: judge the old, and let the adversary see it."""
        output = self.server.output
        sent = self.sent(step)
        if self._skipped:
            before = self._sent_at(step - 1)
            changed = self.referee.change(step, self.start + sent, self.start + before, output, self._step_of)
            self._segments = [(self.plan_start, self.sent_before, self.plan)]
            self._skipped = self.plan.skips
            self._plain = self.outputs is None and not self._skipped
        else:
            changed = self.referee.change(step, self.start + sent, self.start + sent - 1, output)
        if not changed:
            return
        if self.outputs is not None:
            self.outputs.append((step, self.referee.value))
        if not self.adversary.oblivious and sent < self.items:
            self.ask(step, sent)

    # ------------------------------------------------------------------ delays

    def _pass_by(self) -> None:
        """On delayed channels: before anybody hears in this step, the steps before it are settled."""
        step = int(self.env.now)
        self._checkpoints(self.start + self.sent(step - 1), step - 1)

    def _heard(self, site: int | None) -> None:
        """On delayed channels: somebody heard something in this step, which is judged at its end."""
        if site is not None:
            self.channels.touched.append(site)
            self.rouse(-1)
        elif not self._settling and self.server.output != self.referee.output:
            self._settling = True
            self.at(int(self.env.now), SETTLE, self._settle_now)

    def _settle_now(self, event: Any) -> None:
        self._settling = False
        step = int(self.env.now)
        if self.server.output != self.referee.output:
            self.settle(step)

    def at(self, step: int, priority: int, action: Any) -> None:
        """Have `action(event)` called at a step with a priority."""
        event = self.env.event()
        assert event.callbacks is not None
        event.callbacks.append(action)
        trigger_at(self.env, event, step, priority)


def trigger_at(env: simpy.Environment, event: simpy.Event, step: int, priority: int = NORMAL) -> None:
    """Make an event happen at a step: what a timeout does at birth, for one that is waited for already."""
    event._ok, event._value = True, None
    env.schedule(event, priority=priority, delay=step - env.now)  # type: ignore[arg-type]
