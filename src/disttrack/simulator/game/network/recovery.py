"""The return of sites and server that were down: by the rule of the protocol, or with a new start for all.

A *start* is the initial state of a game: the count of each site, known to it and the server. A new start is agreed on
by three kinds of messages: the server asks all sites (``recount``), each answers with its items (``recounted``) and
counts silently from there, and when all answers are in the server begins the protocol with these counts and sends the
sites their sum (``anew``), upon which they begin it too. All messages contain the number of their start, their
*generation*; messages of an earlier one are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from disttrack.protocols.base import EVERYONE, FOREVER, Message, Number, Protocol, Server, Site, even_start
from disttrack.simulator.game.network.faults import Crash, Restart, every
from disttrack.simulator.game.network.listed import stops
from disttrack.simulator.game.network.mail import FAULT, Letter, Mail, Receivers
from disttrack.simulator.game.network.model import Network

RESTARTED: Final = "restarted"
"""A site has returned without its state; the message contains its number of items if `readmission` is `report`."""
RECOUNT: Final = Message("recount")
RECOUNTED: Final = "recounted"
ANEW: Final = "anew"
State = Literal["up", "down", "waiting"]
"""Whether a site is up; it may wait for the announcement of a new start. Deployments store it in their journals."""
IS_UP: Final = "up"
IS_DOWN: Final = "down"
IS_WAITING: Final = "waiting"
NEVER: Final = 2**60
"""Larger than the length of any game."""


@dataclass(slots=True, eq=False)
class SiteMachine(Site):
    """A site that may stop for a while.

    Its items are stored in a log that survives, and wait there while it is down; all other state may be lost.

    Parameters
    ----------
    site
        The protocol's own site.
    items
        Items that it holds before the game.

    Attributes
    ----------
    state
        Whether it is up.
    generation
        Number of its start of the protocol.
    items
        Items received.
    missed
        Items among these that the protocol's site has not received yet.
    """

    site: Site
    items: int
    missed: int = 0
    generation: int = 0
    state: State = IS_UP
    before_crash: State = IS_UP

    def silence(self) -> int:
        return self.site.silence() if self.state == IS_UP else FOREVER

    def take(self, items: int) -> Sequence[Message]:
        self.items += items
        if self.state == IS_UP:
            return self.site.take(items)
        self.missed += items
        return ()

    def hear(self, message: Message) -> Sequence[Message]:
        return self.site.hear(message)

    def crash(self) -> None:
        """Stop."""
        assert self.state != IS_DOWN
        self.before_crash, self.state = self.state, IS_DOWN

    def wait(self) -> None:
        """Wait for a new start, which makes the present state obsolete."""
        self.state, self.missed = IS_WAITING, 0

    def go_on(self, site: Site, missed: int) -> Sequence[Message]:
        """Continue as this site of the protocol, which has not received `missed` items yet; return its messages."""
        self.state, self.site, self.missed = IS_UP, site, missed
        messages: list[Message] = []
        while self.missed:
            part = min(self.missed, self.site.silence() + 1)
            self.missed -= part
            messages += self.site.take(part)
        return messages


class ServerMachine(Server):
    """A server that may stop for a while.

    Parameters
    ----------
    server
        The protocol's own server.
    checkpoint
        Steps from one checkpoint to the next; None for none.

    Attributes
    ----------
    server
        The protocol's own server; None while it polls all sites for their counts.
    up
        Whether it receives messages.
    """

    __slots__ = ("_checkpoint", "_mark", "_rounds", "_saved", "output", "server", "up")

    def __init__(self, server: Server, checkpoint: int | None) -> None:
        self.server: Server | None = server
        self.up = True
        self.output: Number = server.output
        self._saved: Number = server.output
        self._checkpoint = checkpoint
        self._mark = 0
        self._rounds = None if server.rounds is None else 0
        """Rounds of the starts that are over, if it counts them."""

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        if self.server is None:
            return ()
        replies = self.server.hear(sender, message)
        self.output = self.server.output
        return replies

    def readmit(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        if self.server is None:
            return ()
        replies = self.server.readmit(sender, items)
        self.output = self.server.output
        return replies

    def save(self, step: int) -> None:
        """Save the output if a checkpoint has passed since the last save; called before it may change in a step."""
        if self._checkpoint is not None and step // self._checkpoint > self._mark:
            self._mark, self._saved = step // self._checkpoint, self.output

    def lose(self) -> None:
        """Lose its state, except the output saved last."""
        self._rounds = self.rounds
        self.server, self.output = None, self._saved

    def begin(self, server: Server) -> None:
        """Continue as this server of the protocol."""
        self._rounds = self.rounds
        self.server, self.output = server, server.output

    @property
    def rounds(self) -> int | None:  # type: ignore[override]
        """Rounds of all its starts, if it counts them."""
        if self.server is None or self._rounds is None or self.server.rounds is None:
            return self._rounds
        return self._rounds + self.server.rounds

    @property
    def extra(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Those of the present start."""
        return {} if self.server is None else self.server.extra


def inside(part: object) -> Any:
    """Return the protocol's own site or server, also of one on a machine."""
    if isinstance(part, SiteMachine):
        return part.site
    return part.server if isinstance(part, ServerMachine) else part


def receivers_of(protocol: Protocol, network: Network | None, k: int, start: int, rngs: Mapping[str, Any]) -> Receivers:
    """Return the k sites and the server; if the network can stop them, on machines and with their recovery."""
    begun = (even_start(start, k),) if start else ()
    sites, server = protocol.sites(k, rngs["sites"], *begun), protocol.server(k, rngs["server"], *begun)
    if network is None or not network.stops:
        return Receivers(sites, server)
    counts = even_start(start, k)
    machines = [SiteMachine(site, count) for site, count in zip(sites, counts, strict=True)]
    machine = ServerMachine(server, network.server.checkpoint if network.server else None)
    return Recovery(network, protocol, machines, machine, rngs)


class Recovery(Receivers):
    """Stops of sites and server, and their return.

    Parameters
    ----------
    network
        The faults.
    protocol
        The rules of the sites and the server.
    sites, server
        The engine's sites and server.
    rngs
        The game's random streams by role.
    """

    sites: Sequence[SiteMachine]
    server: ServerMachine

    def __init__(
        self,
        network: Network,
        protocol: Protocol,
        sites: Sequence[SiteMachine],
        server: ServerMachine,
        rngs: Mapping[str, Any],
    ) -> None:
        super().__init__(sites, server)
        self.network, self.protocol, self.rngs = network, protocol, rngs
        self.generation = 0
        """Number of the server's present start."""
        self._counts: dict[int, int] | None = None
        """The answers so far, while a new start is being agreed on."""
        self._started: list[tuple[Sequence[Site], Sequence[int]]] = []
        """For each new start, the sites that begin it and their counts."""
        drawn = any(one is not None and one.rate for one in (network.crash, network.server))
        self._times = np.random.default_rng(rngs["network"].integers(2**63, size=4)) if drawn else None

    def begin(self, mail: Mail) -> None:
        super().begin(mail)
        crash, k = self.network.crash, len(self.sites)
        self._crashing = frozenset(() if crash is None else every(crash.sites, k))
        at_steps = [one for one in (crash, self.network.server) if one is not None and one.begin]
        self._decided = stops([*self.network.listed, *at_steps], k)
        """The stops to come whose steps are not drawn."""
        for site in range(len(self.sites)):
            self._expect(site)
        self._expect(None)

    def _expect(self, part: int | None) -> None:
        """Schedule the next stop of a site, or for None of the server, if there is one."""
        step, fault = self._next_stop(part)
        if step < NEVER:
            act = partial(self._stop, fault) if part is None else partial(self._crash, fault, part)
            self.mail.schedule(step, FAULT, act)

    def _next_stop(self, part: int | None) -> tuple[int, Any]:
        """Return the step of the next stop, `NEVER` if there is none, and the fault."""
        if left := self._decided.get(part):
            fault: Any = left.pop()
            return fault.begin, fault
        fault = self.network.server if part is None else self.network.crash
        if fault is None or not fault.rate or not (part is None or part in self._crashing):
            return NEVER, fault
        assert self._times is not None
        return self.mail.now + 1 + int(min(self._times.standard_exponential() / fault.rate, NEVER)), fault

    def generation_of(self, site: int | None) -> int:
        return self.generation if site is None else self.sites[site].generation

    def is_up(self, site: int | None) -> bool:
        return self.server.up if site is None else self.sites[site].state != IS_DOWN

    # ------------------------------------------------------------------ sites

    def _crash(self, crash: Crash, site: int, event: object) -> None:
        mail = self.mail
        mail.ends.before(site)
        self.sites[site].crash()
        self.restarts += 1
        self.stopped.append(replace(crash, at=mail.now, rate=None, sites=site))
        mail.schedule(mail.now + crash.down, FAULT, partial(self._come_back, crash, site))
        mail.ends.after(site)

    def _come_back(self, crash: Crash, site: int, event: object) -> None:
        mail = self.mail
        mail.ends.before(site)  # items that came while it was down
        if crash.loses:
            mail.forget(site)
        mail.ends.send_up(site, self._restarted(crash, site))
        mail.ends.after(site)
        self._expect(site)

    def _restarted(self, crash: Crash, site: int) -> Sequence[Message]:
        """Put a site up again; return its messages."""
        k, rng, machine = len(self.sites), self.rngs["sites"], self.sites[site]
        if not crash.loses:
            if machine.before_crash == IS_UP:
                return machine.go_on(machine.site, machine.missed)
            machine.state = IS_WAITING
            return ()
        if not crash.readmit:
            return machine.go_on(self.protocol.sites(k, rng)[site], machine.missed)
        if self.protocol.readmission == "report":
            messages = machine.go_on(self.protocol.returned_site(k, rng, machine.items), 0)
            return (Message(RESTARTED, machine.items), *messages)
        machine.wait()
        return (Message(RESTARTED),)

    def site_hears(self, letter: Letter) -> Sequence[Message]:
        machine, message = self.sites[letter.site], letter.message
        if message.kind == RECOUNT.kind:
            if letter.generation < machine.generation:
                return ()
            machine.wait()
            return (Message(RECOUNTED, machine.items),)
        if message.kind == ANEW:
            if machine.generation >= letter.generation:
                return ()
            machine.generation = letter.generation
            sites, counts = self._started[letter.generation - 1]
            return machine.go_on(sites[letter.site], machine.items - counts[letter.site])
        if machine.state != IS_UP or machine.generation != letter.generation:
            return ()
        return machine.hear(message)

    # ------------------------------------------------------------------ the server

    def _stop(self, fault: Restart, event: object) -> None:
        now = self.mail.now
        self.server.save(now)
        self.server.up = False
        self.restarts += 1
        self.stopped.append(replace(fault, at=now, rate=None, checkpoint=None))
        self.mail.schedule(now + fault.down, FAULT, partial(self._resume, fault))

    def _resume(self, fault: Restart, event: object) -> None:
        mail = self.mail
        mail.ends.before(None)
        self.server.up = True
        if fault.loses:
            for site in range(len(self.sites)):
                mail.forget(site)
            self.server.lose()
            self._counts = {}
            mail.ends.send_down(((EVERYONE, RECOUNT),))
        mail.ends.after(None)
        self._expect(None)

    def server_hears(self, letter: Letter) -> Sequence[tuple[int, Message]]:
        sender, message = letter.site, letter.message
        self.server.save(self.mail.now)
        if message.kind == RESTARTED:
            return self._readmit(sender, message.value, letter.generation)
        if message.kind == RECOUNTED:
            return self._recounted(sender, message.value)
        return self.server.hear(sender, message) if letter.generation == self.generation else ()

    def _readmit(self, sender: int, items: int | None, generation: int) -> Sequence[tuple[int, Message]]:
        if self._counts is not None:  # it was asked before it stopped; requests to other sites may also have been lost
            self._counts.pop(sender, None)
            return [(site, RECOUNT) for site in range(len(self.sites)) if site not in self._counts]
        if items is not None and generation == self.generation:
            return self.server.readmit(sender, items)
        self._counts = {}
        return ((EVERYONE, RECOUNT),)

    def _recounted(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        """Take an answer; begin a new start when all answers are in."""
        if self._counts is None:
            return ()
        self._counts[sender] = items
        k = len(self.sites)
        if len(self._counts) < k:
            return ()
        counts = [self._counts[site] for site in range(k)]
        self._counts = None
        self.generation += 1
        self._started.append((self.protocol.sites(k, self.rngs["sites"], counts), counts))
        self.server.begin(self.protocol.server(k, self.rngs["server"], counts))
        return ((EVERYONE, Message(ANEW, sum(counts))),)
