"""Common parts of the SimPy engines: sites, server, channels and clock, and the judging of a step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final

import simpy

from disttrack.protocols.base import Message, even_start
from disttrack.simulator.game.channels import Channels, Rows
from disttrack.simulator.game.engines.base import Engine
from disttrack.simulator.game.engines.watch import Watch, watches
from disttrack.simulator.game.ledger import ONE
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.network.channels import Hooks
from disttrack.simulator.game.network.faulty import FaultyChannels
from disttrack.simulator.game.network.machines import ServerMachine, SiteMachine
from disttrack.simulator.game.network.recovery import Recovery

MANY: Final = 4096
"""Changes of the output that are postponed and judged together, while no one reads the verdict."""
NORMAL: Final = 1
"""SimPy's default priority, that of an item."""
SETTLE: Final = 4
"""Priority of judging a step: after all arrivals and faults of the step."""
END: Final = 5
"""Priority of a plan's end: after the step has been judged."""


class Simulated(Engine):
    """A game whose clock is SimPy's; for its parameters see `Engine`."""

    def __init__(self, *sides: Any, **options: Any) -> None:
        self.env = simpy.Environment()
        self._ended = self.env.event()
        self._settling = False
        super().__init__(*sides, **options)
        self.speak = self._speaker()

    def make_sides(self) -> None:
        begun = (even_start(self.start, self.k),) if self.start else ()
        stops = self.network is not None and self.network.stops
        make_server = self.protocol.recoverable_server if stops else self.protocol.server
        self.sites = self.protocol.sites(self.k, self.rngs["sites"], *begun)
        self.server = make_server(self.k, self.rngs["server"], *begun)
        if watches(self.adversary):
            # on instantaneous channels the step is judged as soon as no message is left
            on_message = self._judge_later if self.network is not None else _nothing
            self.watch = Watch(self.adversary.sees, self.transcript, self._look, on_message)
        rows = self.transcript if self.watch is None else self.watch
        if self.network is None:
            clock = lambda: int(self.env.now)  # noqa: E731
            self.channels: Channels = Channels(self.sites, self.server, self.ledger, clock, self.sync, rows)
        else:
            self.channels = self.on_network = self._on(self.network, rows, *begun)

    def _on(self, network: Network, rows: Rows | None, start: Sequence[int] = ()) -> FaultyChannels:
        """Return the channels on a network; if faults can stop sites or server, put them on machines."""
        recovery = None
        if network.stops:
            machines = [SiteMachine(site, start[place] if start else 0) for place, site in enumerate(self.sites)]
            server = ServerMachine(self.server, network.server.checkpoint if network.server else None)
            recovery = Recovery(network, self.protocol, machines, server, self.rngs)
            self.sites, self.server = machines, server
        hooks = Hooks(self.sync, self._items_before, self._pass_by, self._heard, self._judge_later)
        rng = self.rngs["network"]
        return FaultyChannels(self.sites, self.server, self.ledger, rows, self.env, network, rng, hooks, recovery)

    @property
    def now(self) -> int:
        return int(self.env.now)

    @property
    def lost(self) -> int:
        return 0 if self.network is None else self.on_network.lost

    @property
    def restarts(self) -> int:
        return 0 if self.network is None else self.on_network.restarts

    @property
    def over(self) -> bool:
        """Whether the last step has been played."""
        return bool(self._ended.triggered)

    def run(self) -> None:
        self.begin()
        self.env.run(until=self._ended)

    @abstractmethod
    def begin(self) -> None:
        """Start the source of the sites' items; the first plan is in force."""

    @abstractmethod
    def sync(self, site: int) -> None:
        """Pass a site all of its items so far, before it receives a message."""

    def _look(self, site: int | None) -> Any:
        if site is None:
            return self.server.server if isinstance(self.server, ServerMachine) else self.server
        if self.now:
            self.sync(site)  # pass the pending items to a sleeping site
        current = self.sites[site]
        return current.site if isinstance(current, SiteMachine) else current

    # ------------------------------------------------------------------ a step with messages

    def judge(self, step: int) -> None:
        """Judge a step with messages, and show the result to the adversary."""
        referee, output, news = self.referee, self.server.output, False
        if output != referee.output:
            if self.skipped:
                items, before = self.start + self.sent(step), self.start + self.sent_at(step - 1)
                news = referee.change(step, items, before, output, self.step_of)
            else:
                items = step + self.offset
                news = referee.change(step, items, items - 1, output)
            if news:
                if self.skipped:
                    self.forget_skips()
                if self.outputs is not None:
                    self.outputs.append((step, referee.value))
        if news or (self.watch is not None and self.watch.fresh):
            self.consultation.news(step)
            self.consult(step)

    def _speaker(self) -> Callable[[int, Sequence[Message], int], None]:
        """Return the function that carries the messages of a site in a step, and has the step judged.

        A closure, since it runs once per message and avoids repeated look-ups.
        """
        timeline, referee, server, judge = self.timeline, self.referee, self.server, self.judge
        send_up, touched, start = self.channels.send_up, self.channels.touched, self.start
        instant, watched = self.network is None, self.watch is not None
        if instant and not self.consultation.reacts and self.outputs is None:
            return self._quick_speaker()
        standing, row = referee.output, timeline.due - start

        def speak(site: int, messages: Sequence[Message], step: int) -> None:
            nonlocal standing, row
            if step > row:  # a cheap test: there are never more items than steps
                self.pass_checkpoints(step - 1)
                row = timeline.due - start
            send_up(site, messages)
            if not instant:
                return
            output = server.output
            if output != standing:
                standing = output
                judge(step)
            elif watched:
                judge(step)
            if touched:
                self.rouse(site)

        return speak

    def _quick_speaker(self) -> Callable[[int, Sequence[Message], int], None]:
        """Return the same for a game whose verdict is read only at its end: changes are judged many at a time.

        `Channels.send_up` and `Ledger.count_up` are inlined, since each call takes a fortieth of a message's time.
        """
        timeline, referee, server, start, ledger = self.timeline, self.referee, self.server, self.start, self.ledger
        hear, deliver, touched = server.hear, self.channels.deliver, self.channels.touched
        up_sites, up, more_words = ledger.up_sites, ledger.up, ledger.more_words
        later_steps, later_outputs = referee.later
        note_step, note_output = later_steps.append, later_outputs.append
        standing, row = referee.output, timeline.due - start

        def speak(site: int, messages: Sequence[Message], step: int) -> None:
            nonlocal standing, row
            if step > row:
                self.pass_checkpoints(step - 1)
                row = timeline.due - start
            answers: Sequence[Any] = ()
            for message in messages:
                up_sites[site] += 1
                tally = up[message[0]]
                tally.messages += 1
                if message[1] is None:
                    tally.signals += 1
                if message[2] is not ONE:
                    tally.more_words += more_words(message, site)
                replies = hear(site, message)
                if replies:
                    answers = (*answers, *replies)
            if answers:
                deliver(answers)
            output = server.output
            if output != standing:
                standing = output
                if self.skipped:
                    self.judge(step)
                else:
                    note_step(step)
                    note_output(output)
                    if len(later_steps) == MANY:
                        referee.catch_up(self.offset)
            if touched:
                self.rouse(site)

        return speak

    def rouse(self, speaker: int) -> None:
        """Handle the messages received by the sites in `channels.touched`."""
        self.channels.touched.clear()

    # ------------------------------------------------------------------ delays

    def _pass_by(self) -> None:
        """On delayed channels: settle the earlier steps before any message is received in this step."""
        self.pass_checkpoints(self.now - 1)

    def _items_before(self) -> int:
        """Return the number of items at the end of the step before the present one."""
        return self.start + self.sent(self.now - 1)

    def _heard(self, site: int) -> None:
        """On delayed channels: a site received a message, and may have another quota."""
        self.channels.touched.append(site)
        self.rouse(-1)

    def _judge_later(self) -> None:
        """On delayed channels: have this step judged after all of its messages have arrived."""
        if not self._settling:
            self._settling = True
            self.at(self.now, SETTLE, self._judge_now)

    def _judge_now(self, event: simpy.Event) -> None:
        self._settling = False
        if self.lag is not None:
            self.lag.note(self.now, self.server.output, self.on_network.voyages.oldest, self.items_at, self.step_at)
        self.judge(self.now)

    def at(self, step: int, priority: int, action: Callable[[simpy.Event], None]) -> None:
        """Schedule `action(event)` at a step with a priority."""
        event = self.env.event()
        assert event.callbacks is not None
        event.callbacks.append(action)
        trigger_at(self.env, event, step, priority)


def trigger_at(env: simpy.Environment, event: simpy.Event, step: int, priority: int = NORMAL) -> None:
    """Trigger an existing event at a step, as a timeout does for a new one."""
    event._ok, event._value = True, None
    env.schedule(event, priority=priority, delay=step - env.now)  # type: ignore[arg-type]


def _nothing() -> None:
    """Do nothing."""
