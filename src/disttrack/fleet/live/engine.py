"""Games whose sites and server are processes of their own: the simulator leads, item by item, and judges.

The engine `leap` gives items and asks the adversary as in any other game; its sites and its server are stand-ins of the
processes. After items that make a site send a message, it waits until that message and all that follow have been
received, so that items come no faster than messages travel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, ClassVar, Final

from disttrack.adversaries.base import Adversary
from disttrack.fleet.book import Note, Noted
from disttrack.fleet.engines import QuotaLeap
from disttrack.fleet.fleet import Fleet
from disttrack.fleet.live.processes import Processes
from disttrack.fleet.live.server import Row
from disttrack.fleet.live.site_state import Event
from disttrack.fleet.quotas.base import Quota
from disttrack.fleet.quotas.costs import Costs
from disttrack.protocols.base import Message, Protocol, Server, Site
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.channels import SERVER
from disttrack.simulator.game.engines import Engine, Leap
from disttrack.simulator.game.engines.alarms import Alarms
from disttrack.simulator.game.network.mail import Receivers
from disttrack.simulator.kinds.source import refuse_without_processes

SPOKEN: Final = (Message("spoken"),)
"""Returned by a stand-in if the site sends messages, which travel from process to process."""
FIELDS: Final = ("offered", "admitted", "admitted_cost", "left", "present", "waiting", "answer")
"""State of the site of a quota, after its items and its silence."""


class Remote(Site):
    """Local stand-in of a site: its silence, and events that have not been sent to it yet."""

    def __init__(self, number: int, silence: int, costs: Costs, catch_up: Callable[[], None]) -> None:
        self.number, self._silence, self._catch_up = number, silence, catch_up
        self.events: list[Event] = []
        self.costs = costs
        self._untold = 0
        self._state: Sequence[Any] = ()

    def know(self, silence: int, state: Sequence[object] = ()) -> None:
        """Take its silence after all events and messages so far, and its state."""
        self._silence, self._untold = silence, 0
        self._state = state or self._state

    def silence(self) -> int:
        return self._silence - self._untold

    def take(self, items: int) -> Sequence[Message]:
        self.events.append(("take", items))
        self._untold += items
        return SPOKEN if self._untold > self._silence else ()

    def __getattr__(self, name: str) -> Any:
        """Return a value of the site's state, or one of its methods, for the site to carry out."""
        if name in FIELDS:
            self._catch_up()
            return self._state[FIELDS.index(name)]
        if name in ("turn", "learn_costs", "flush", "join", "leave"):
            return partial(self._act, name)
        raise AttributeError(name)

    def _act(self, name: str, *values: object) -> Sequence[Message]:
        self.events.append(("act", name, *values))
        return SPOKEN


class RemoteServer(Server):
    """Local stand-in of the server."""

    def __init__(self, output: Any, turn: Callable[[], Sequence[object]]) -> None:
        self.output, self.turn = output, turn

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        raise AssertionError("messages go to the real server")


class Led(Engine):
    """Common parts of the engines: the processes, waiting for their messages, and counting these.

    Parameters
    ----------
    delay
        Seconds that each message waits before it is received.
    rate
        Items per second, for `timed.Timed`.
    """

    name: ClassVar[str] = "live"
    alarms: Alarms
    sites: Sequence[Any]
    server: Any

    def __init__(
        self, protocol: Protocol, adversary: Adversary, *, delay: float = 0.0, rate: float | None = None, **options: Any
    ) -> None:
        self.delay, self.rate = delay, rate
        network = options.get("network")
        if network is not None and not network.instant:
            raise ScenarioError("live: network must be left out: delays are those of real messages")
        if getattr(adversary, "step", None) is not None or getattr(adversary, "cost", None) is not None:
            raise ScenarioError("live: a trace must have no step and no cost: time is that of the processes")
        if adversary.sees == "state":
            raise ScenarioError("live: an adversary that sees the state cannot be played: no process shows its own")
        refuse_without_processes()
        self.processes = Processes(protocol, options["sites"], options["seed"], options["start"], self.delay)
        self.bytes = 0
        try:
            super().__init__(protocol, adversary, **options)
        except BaseException:
            self.processes.stop()
            raise
        self.rngs["sites"].random()  # its coins are tossed elsewhere: a game of another seed is another game

    def play(self) -> None:
        try:
            super().play()
        finally:
            self.processes.stop()

    def remote(self, quota: Quota | None = None) -> list[Remote]:
        """Return the stand-ins of the sites."""
        self._sent = [0] * self.k
        cycle = quota.cycle if quota else [1]
        firsts = [quota.listed.first(site, self.k) if quota else 0 for site in range(self.k)]
        sites = [Remote(site, 0, Costs(cycle, first), self.catch_up) for site, first in enumerate(firsts)]
        self._ask(sites, range(self.k))
        return sites

    def _ask(self, sites: Sequence[Remote], numbers: Iterable[int]) -> None:
        """Send sites their events, in parallel, and update their states."""
        groups: defaultdict[Connection, list[tuple[int, list[Event]]]] = defaultdict(list)
        for number in numbers:
            groups[self.processes.of_site[number]].append((number, sites[number].events))
        for pipe, events in groups.items():
            pipe.send(("events", events))
        for pipe in groups:
            for number, sent, (_, quota, *state), notes in self.processes.ask(pipe):
                self._sent[number] = sent
                self.note(sites[number], notes)
                sites[number].events = []
                sites[number].know(quota, state)

    def catch_up(self) -> None:
        """Send all pending events; no site sends a message upon them."""
        self._ask(self.sites, [site.number for site in self.sites if site.events])

    def note(self, site: Remote, notes: Sequence[Note]) -> None:
        """Take what a site has noted of its requests; only those of quotas do."""
        return

    def write(self, step: int, row: Row) -> None:
        """Count a message of a step, and write it into the transcript."""
        _, site, up, _, kind, valued, words = row
        message = Message(kind, valued or None, words)
        (self.ledger.count_up if up else self.ledger.count_down)(site, message)
        rows = self.transcript if self.watch is None else self.watch
        if rows is not None:
            ends = (site, SERVER) if up else (SERVER, site)
            rows.append((step, *ends, kind, words, self.ledger.bits_of(message)))

    def exchange(self, site: int | None) -> Sequence[int]:
        """Have a site, or for None the server, act, and wait for all messages that follow.

        Returns the sites that sent or received one.
        """
        if self.now:
            for one in self.alarms.fed():
                self.alarms.sync(one)
        silent = [one.number for one in self.sites if one.events and one.number != site]
        self._ask(self.sites, silent)
        if site is None:
            self.processes.server.send(("turn",))
        else:
            before = self._sent[site]
            self._ask(self.sites, (site,))
            if self._sent[site] == before:
                return (site,)
        number = 0 if site is None else self._sent[site]
        answer = self.processes.ask(self.processes.server, "quiet", site or 0, number)
        rows, self.server.output, self.server.rounds, self.ledger.broadcasts, self.bytes, seen = answer
        for row in rows:
            self.write(self.now, row)
        for one, (_, quota) in seen.items():
            self.sites[one].know(quota)
        return [*seen, *(() if site is None else (site,))]


class LedLeap(Led, Leap):
    """A game of a tracker."""

    def parts(self) -> Receivers:
        return Receivers(self.remote(), RemoteServer(self.processes.ask(self.processes.server, "output"), tuple))

    def _speaker(self) -> Callable[[int, Sequence[Message], int], None]:
        def speak(site: int, messages: Sequence[Message], step: int) -> None:
            self.pass_checkpoints(step - 1)
            touched = self.exchange(site)
            self.judge(step)
            self.alarms.rouse(touched)

        return speak


class LedQuota(Led, QuotaLeap):
    """A game of a quota, whose windows turn by the simulator's clock."""

    def parts(self) -> Fleet:
        fleet: Any = super().parts()
        fleet.sites, fleet.server = self.remote(self.protocol), RemoteServer(0, self._turn)
        return self.fleet

    def note(self, site: Remote, notes: Sequence[Note]) -> None:
        if notes:
            self.book.takes(notes, Noted(site.number, self.k, 0, site.costs))

    def leave_plan(self, now: int) -> None:
        super().leave_plan(now)
        self.catch_up()  # what they note is at steps of the plan that ends

    def _turn(self) -> Sequence[Any]:
        self._talked(None)
        return ()

    def send_up(self, site: int, messages: Sequence[Message], origin: object = None) -> None:
        if messages:
            self._talked(site)

    def _talked(self, site: int | None) -> None:
        touched = self.exchange(site)
        self._ask(self.sites, touched)  # for their answers
        for one in touched:
            if (answer := self.sites[one].answer) is not None:
                self.fleet.answers.give(one, answer)
        self.server.output = self.fleet.answers.changes
        self.after(None)
        self.alarms.rouse(touched)
