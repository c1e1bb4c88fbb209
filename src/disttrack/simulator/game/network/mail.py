"""The mail: carries messages over the wires of a network; with a reliable link, each once and in order.

The two halves of a link do not depend on clocks and wires. Every packet has a number, counted from 0 on each link and
in each direction, and each arrival is acknowledged by its number. A packet that is not acknowledged in time is sent
again, each time after a longer pause. The receiver buffers packets that come too early and drops duplicates, so that it
delivers each payload once and in order, unless every transmission is lost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np
import simpy

from disttrack.protocols.base import Message, Server, Site
from disttrack.simulator.game.channels import SERVER, TranscriptRow
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network.faults import Partition
from disttrack.simulator.game.network.listed import ListedFault
from disttrack.simulator.game.network.model import Link, Network
from disttrack.simulator.game.network.wires import Wires

Action = Callable[[object], None]
"""What happens upon an event."""

DELIVER: Final = 2
"""Priority of an arrival: after the item of the same step, which has SimPy's default priority 1."""
FAULT: Final = 3
"""Priority of faults and timeouts: after all arrivals of the step."""


class Origin(NamedTuple):
    """The origin of a chain of messages.

    Attributes
    ----------
    step
        The step in which its first message was sent.
    before
        Items, including `start`, at the end of the step before: the number known before this chain.
    """

    step: int
    before: int


@dataclass(slots=True, eq=False)
class Letter:
    """A message in transit.

    Attributes
    ----------
    message, site, up
        The message, the site that sends or receives it, and whether it goes to the server.
    origin
        Origin of its chain.
    generation
        Number of its start of the protocol (`simulator.game.network.recovery`).
    row
        Its place in the transcript; -1 without one.
    delivered
        Whether it has been delivered.
    """

    message: Message
    site: int
    up: bool
    origin: Origin
    generation: int
    row: int
    delivered: bool = False


class Ends(ABC):
    """The engine, as the network sees it. A site is its number, the server is None."""

    env: simpy.Environment
    ledger: Ledger
    sites: Sequence[Site]
    server: Server
    mail: Any
    transcribe: Callable[[int | str, int | str, Message], None]
    """Writes a message into the transcript, if there is one."""
    transcript: list[TranscriptRow] | None = None
    """The messages, if the game is recorded."""

    @property
    def now(self) -> int:
        """The present step."""
        return int(self.env.now)

    @abstractmethod
    def items_before(self) -> int:
        """Return the number of items at the end of the step before the present one."""

    def send_up(self, site: int, messages: Sequence[Message], origin: Origin | None = None) -> None:
        """Send a site's messages to the server: those of a chain, or a new one."""
        for message in messages:
            self.ledger.count_up(site, message)
            self.transcribe(site, SERVER, message)
            self.mail.post(message, site, True, origin)

    def send_down(self, messages: Sequence[tuple[int, Message]]) -> None:
        """Send the server's messages to the sites."""
        for receiver, message in messages:
            for site in self.ledger.receivers(receiver, message, self.now):
                self.ledger.count_down(site, message)
                self.transcribe(SERVER, site, message)
                self.mail.post(message, site, False)

    @abstractmethod
    def deliver(self, letter: Letter) -> None:
        """Have the receiver receive a letter."""

    def before(self, part: int | None) -> None:  # noqa: B027 - a hook that an engine of single items need not fill
        """Prepare for an effect on a site, which needs all of its items, or the server."""

    def after(self, part: int | None) -> None:  # noqa: B027
        """Handle an effect on a site, which may have another silence, or the server."""


def moment(env: simpy.Environment, step: int, priority: int, action: Action | None = None) -> simpy.Event:
    """Return an event at a step with a priority of its own, upon which `action(event)` is called."""
    event = env.event()
    event._ok, event._value, event.callbacks = True, None, [action] if action else []
    env.schedule(event, priority=priority, delay=step - env.now)  # type: ignore[arg-type]
    return event


class Voyages:
    """The messages in transit, by chain.

    A message caused by an item begins a chain. A site's reply belongs to the chain of the message that it answers, and
    a message of the server to the oldest open chain: the server may ask for information that is still in transit on
    another chain, and ignore it when it arrives. A chain is open while a message of it is in transit; a lost message
    is not.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[Origin, int] = OrderedDict()
        """Number of messages in transit of each open chain, the oldest first; chains of one step are one chain."""

    def begin(self, origin: Origin) -> None:
        """Record that a message of this chain is in transit."""
        self._open[origin] = self._open.get(origin, 0) + 1

    def end(self, origin: Origin) -> None:
        """Record that a message of this chain has arrived, after all its effects were sent, or was lost."""
        self._open[origin] -= 1
        if not self._open[origin]:
            del self._open[origin]

    @property
    def oldest(self) -> Origin | None:
        """Origin of the oldest open chain; None if nothing is in transit."""
        return next(iter(self._open), None)


class Receivers:
    """The sites and the server as they receive letters: here they are always up.

    Parameters
    ----------
    sites, server
        The engine's sites and server.

    Attributes
    ----------
    restarts
        Number of stops of a site or the server.
    stopped
        These stops, as a list of faults has them.
    """

    mail: Mail

    def __init__(self, sites: Sequence[Site], server: Server) -> None:
        self.sites, self.server = sites, server
        self.restarts = 0
        self.stopped: list[ListedFault] = []

    def begin(self, mail: Mail) -> None:
        """Schedule the first stops, on this mail."""
        self.mail = mail

    def generation_of(self, site: int | None) -> int:
        """Return the number of the present start of a site, or for None of the server."""
        return 0

    def is_up(self, site: int | None) -> bool:
        """Return whether a site, or for None the server, is up."""
        return True

    def site_hears(self, letter: Letter) -> Sequence[Message]:
        """Return a site's replies to a letter."""
        return self.sites[letter.site].hear(letter.message)

    def server_hears(self, letter: Letter) -> Sequence[tuple[int, Message]]:
        """Return the server's replies to a letter."""
        return self.server.hear(letter.site, letter.message)


class Mail:
    """Carries messages over bare wires.

    Parameters
    ----------
    ends
        The engine: sends messages, and receives them.
    network
        Its parameters.
    rng
        The game's network stream.
    receivers
        The sites and the server.

    Attributes
    ----------
    lost
        Messages that were lost in transit, or arrived at a stopped receiver.
    voyages
        The messages in transit.
    """

    def __init__(self, ends: Ends, network: Network, rng: np.random.Generator, receivers: Receivers) -> None:
        self.ends, self.ledger, self.receivers = ends, ends.ledger, receivers
        self.network = network
        self.wires = Wires(network, len(ends.sites), rng, record=ends.transcript is not None)
        self.voyages = Voyages()
        self.lost = 0
        self._lost_rows: set[int] = set()
        receivers.begin(self)

    @property
    def listed_network(self) -> dict[str, object] | None:
        """The network with the faults of this game as a list, as a scenario has it; None if they were not kept."""
        if self.wires.record is None:
            return None
        cuts = [one for one in (self.network.partition, *self.network.listed) if isinstance(one, Partition)]
        faults = [*self.wires.record, *cuts, *self.receivers.stopped]
        return self.network.with_faults(faults, len(self.ends.sites))

    @property
    def lost_rows(self) -> list[int] | None:
        """The messages that never arrived, by their places in the transcript; None without one, or without delay."""
        return None if self.wires.record is None or self.network.instant else sorted(self._lost_rows)

    @property
    def now(self) -> int:
        """The present step."""
        return int(self.ends.env.now)

    def schedule(self, step: int, priority: int, action: Action) -> None:
        """Schedule `action(event)` at a step with a priority."""
        moment(self.ends.env, step, priority, action)

    # ------------------------------------------------------------------ on the wires

    def post(self, message: Message, site: int, up: bool, origin: Origin | None = None) -> None:
        """Send a message from a site to the server (up), or from the server to a site.

        Without an origin, a site begins a chain, and the server continues the oldest open one.
        """
        origin = origin or (None if up else self.voyages.oldest) or self._here()
        row = len(self.ends.transcript or ()) - 1
        self.carry(Letter(message, site, up, origin, self.receivers.generation_of(site if up else None), row))

    def _here(self) -> Origin:
        """Return the origin of a chain that begins now."""
        return Origin(self.now, self.ends.items_before())

    def carry(self, letter: Letter) -> None:
        """Carry a letter to its receiver, who may receive it once, twice or never."""
        arrivals = self.wires.arrivals(letter.site, letter.up, self.now)
        if not arrivals:
            self.lost += 1
            self.lose(letter)
            return
        self.voyages.begin(letter.origin)
        self.schedule(arrivals[0], DELIVER, partial(self._arrive, letter))
        for arrival in arrivals[1:]:
            self.schedule(arrival, DELIVER, partial(self._arrive_again, letter))

    def _arrive(self, letter: Letter, event: simpy.Event) -> None:
        if self.hears(letter.site, letter.up):
            self.hand_on(letter)
        else:
            self.lost += 1
            self.lose(letter)
            self.end(letter)

    def _arrive_again(self, letter: Letter, event: simpy.Event) -> None:
        """Receive a copy: the messages that it causes are a new chain."""
        copy = Letter(letter.message, letter.site, letter.up, self._here(), letter.generation, letter.row)
        copy.delivered = letter.delivered
        self.voyages.begin(copy.origin)
        self._arrive(copy, event)

    def forget(self, site: int) -> None:
        """Drop the state of a site's wires after one of their ends has lost its state: bare ones have none."""

    # ------------------------------------------------------------------ at the receiver

    def hears(self, site: int, up: bool) -> bool:
        """Return whether the receiver on this wire is up: the server for an upward wire, else the site."""
        return self.receivers.is_up(None if up else site)

    def hand_on(self, letter: Letter) -> None:
        """Deliver a letter to its receiver."""
        letter.delivered = True
        self._lost_rows.discard(letter.row)
        self.ends.deliver(letter)

    def lose(self, letter: Letter) -> None:
        """Record that a letter was lost, unless its receiver has had a copy."""
        if not letter.delivered:
            self._lost_rows.add(letter.row)

    def end(self, letter: Letter) -> None:
        """Record that a letter is not in transit any more: it was received, and all replies sent, or it was lost."""
        self.voyages.end(letter.origin)
        self.ends.after(None if letter.up else letter.site)


UP: Final = True
DOWN: Final = False
Payload = TypeVar("Payload")


@dataclass(slots=True, eq=False)
class Outgoing(Generic[Payload]):
    """The sender's half: numbers its packets, and keeps each until it is acknowledged."""

    unacknowledged: dict[int, Payload] = field(default_factory=dict)
    _next: int = 0

    def send(self, payload: Payload) -> int:
        """Take a payload to send; return its number."""
        number = self._next
        self._next += 1
        self.unacknowledged[number] = payload
        return number

    def acknowledged(self, number: int) -> None:
        """Take an acknowledgement; a repeated one has no effect."""
        self.unacknowledged.pop(number, None)


@dataclass(slots=True, eq=False)
class Incoming(Generic[Payload]):
    """The receiver's half: puts packets in order, and drops duplicates."""

    _early: dict[int, Payload] = field(default_factory=dict)
    _next: int = 0

    def receive(self, number: int, payload: Payload) -> list[Payload]:
        """Take a packet; return the payloads that can be delivered now, in order."""
        if number >= self._next:
            self._early[number] = payload
        ready = []
        while self._next in self._early:
            ready.append(self._early.pop(self._next))
            self._next += 1
        return ready

    @property
    def waiting(self) -> list[Payload]:
        """The payloads that came too early."""
        return list(self._early.values())


class LinkedMail(Mail):
    """Carries messages over reliable links, two for each site.

    Words of the link are counted separately: a number with each packet, acknowledgements, and retransmissions.

    Parameters
    ----------
    link
        Its parameters; the others are as for `Mail`.
    """

    def __init__(self, link: Link, ends: Ends, network: Network, *parts: Any) -> None:
        self._link, k = link, len(ends.sites)
        self._timeout = network.default_timeout(k)
        """Default number of steps after which a packet is sent again."""
        self._epochs = [0] * k
        """Number of restarts of each site's links; packets of an earlier epoch are dropped."""
        self._out: dict[bool, list[Outgoing[Letter]]] = {up: [Outgoing() for _ in range(k)] for up in (UP, DOWN)}
        self._in: dict[bool, list[Incoming[Letter]]] = {up: [Incoming() for _ in range(k)] for up in (UP, DOWN)}
        super().__init__(ends, network, *parts)

    def carry(self, letter: Letter) -> None:
        """Carry a letter; it is in transit until it has been delivered, however often it is lost."""
        self.voyages.begin(letter.origin)
        number = self._out[letter.up][letter.site].send(letter)
        self._transmit(letter, number, 1)

    def forget(self, site: int) -> None:
        """Discard all packets of a site that has lost its half of the links; they are never delivered."""
        undelivered: dict[int, Letter] = {}
        for up in (UP, DOWN):
            for letter in (*self._out[up][site].unacknowledged.values(), *self._in[up][site].waiting):
                if not letter.delivered:
                    undelivered[id(letter)] = letter
            self._out[up][site], self._in[up][site] = Outgoing(), Incoming()
        self._epochs[site] += 1
        for letter in undelivered.values():
            self.lose(letter)
            self.end(letter)

    def _transmit(self, letter: Letter, number: int, tries: int) -> None:
        site, up = letter.site, letter.up
        self.ledger.count_link("number", up, 0, 1)
        if tries > 1:
            self.ledger.count_link("retransmission", up, 1, letter.message.words)
        epoch = self._epochs[site]
        self._fly(site, up, partial(self._packet, letter, number, epoch))
        self._wait(letter, number, epoch, tries)

    def _fly(self, site: int, up: bool, arrive: Any) -> None:
        """Put a packet or an acknowledgement on a wire."""
        arrivals = self.wires.arrivals(site, up, self.now)
        self.lost += not arrivals
        for arrival in arrivals:
            self.schedule(arrival, DELIVER, arrive)

    def _wait(self, letter: Letter, number: int, epoch: int, tries: int) -> None:
        again = self.now + self._link.pause(tries, self._timeout)
        self.schedule(again, FAULT, partial(self._timed_out, letter, number, epoch, tries))

    def _packet(self, letter: Letter, number: int, epoch: int, event: simpy.Event) -> None:
        site, up = letter.site, letter.up
        if epoch != self._epochs[site]:
            return
        if not self.hears(site, up):
            self.lost += 1
            return
        self.ledger.count_link("ack", not up, 1, 1)
        self._fly(site, not up, partial(self._acknowledged, site, up, number, epoch))
        for ready in self._in[up][site].receive(number, letter):
            self.hand_on(ready)

    def _acknowledged(self, site: int, up: bool, number: int, epoch: int, event: simpy.Event) -> None:
        if epoch != self._epochs[site]:
            return
        if self.hears(site, not up):
            self._out[up][site].acknowledged(number)
        else:
            self.lost += 1

    def _timed_out(self, letter: Letter, number: int, epoch: int, tries: int, event: simpy.Event) -> None:
        site, up = letter.site, letter.up
        if epoch != self._epochs[site] or number not in self._out[up][site].unacknowledged:
            return
        if self.hears(site, not up):
            self._transmit(letter, number, tries + 1)
        else:  # the sender is down: it continues when it is back
            self._wait(letter, number, epoch, tries)


def mail_on(ends: Ends, network: Network, *parts: Any) -> Mail:
    """Return the mail of a network; for the parameters see `Mail`."""
    return Mail(ends, network, *parts) if network.link is None else LinkedMail(network.link, ends, network, *parts)
