"""Channels on which messages take time, and may be lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import simpy

from disttrack.protocols.base import Message, Server, Site
from disttrack.simulator.game.channels import SERVER, Channels, Rows
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network.voyages import Origin, Voyages
from disttrack.simulator.game.network.wires import Wires

DELIVER: Final = 2
"""Priority of an arrival: after the item of the same step, which has SimPy's default priority 1."""
FAULT: Final = 3
"""Priority of faults and timeouts: after all arrivals of the step."""


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
    delivered
        Whether it has been delivered.
    """

    __slots__ = ("delivered", "generation", "message", "origin", "site", "up")

    def __init__(self, message: Message, site: int, up: bool, origin: Origin, generation: int) -> None:
        self.message, self.site, self.up = message, site, up
        self.origin, self.generation = origin, generation
        self.delivered = False


@dataclass(frozen=True)
class Hooks:
    """Callbacks from the channels to the engine.

    Parameters
    ----------
    sync
        Called with a site's number before the site receives a message: passes it its pending items.
    items_before
        Returns the number of items at the end of the step before the present one.
    about_to_hear
        Called before the server or a site receives a message.
    heard
        Called with a site's number after it has received a message.
    stirred
        Called in each step in which a message is sent, arrives, or is lost.
    """

    sync: Callable[[int], None]
    items_before: Callable[[], int]
    about_to_hear: Callable[[], None]
    heard: Callable[[int], None]
    stirred: Callable[[], None]


class NetworkChannels(Channels):
    """Channels on which each message takes some steps, over bare wires.

    The server is a SimPy process that sleeps until its bell rings.

    Parameters
    ----------
    wires
        They determine whether and when a message arrives.
    hooks
        The engine's callbacks.

    Attributes
    ----------
    lost
        Messages that were lost in transit, or arrived at a stopped receiver.
    voyages
        The messages in transit.
    """

    def __init__(
        self,
        sites: Sequence[Site],
        server: Server,
        ledger: Ledger,
        transcript: Rows | None,
        env: simpy.Environment,
        wires: Wires,
        hooks: Hooks,
    ) -> None:
        super().__init__(sites, server, ledger, lambda: int(env.now), hooks.sync, transcript)
        self.env = env
        self.wires = wires
        self.hooks = hooks
        self.voyages = Voyages()
        self.lost = 0
        self._inbox: deque[Letter] = deque()
        self._bell = env.event()
        env.process(self._server())

    def sender(self) -> Callable[[int, Sequence[Message]], None]:
        return self.send_on

    def send_on(self, site: int, messages: Sequence[Message]) -> None:
        """Send a site's spontaneous messages to the server: a new chain."""
        if messages:
            self._answer(site, messages, self.here())

    def here(self) -> Origin:
        """Return the origin of a chain that begins now."""
        return Origin(self.clock(), self.hooks.items_before())

    def _answer(self, site: int, messages: Sequence[Message], origin: Origin) -> None:
        """Send a site's messages to the server."""
        generation = self.generation(site)
        for message in messages:
            self.ledger.count_up(site, message)
            if self.transcript is not None:
                self.note(site, SERVER, message)
            self.post(Letter(message, site, True, origin, generation))
        self.hooks.stirred()

    def send_down(self, messages: Sequence[tuple[int, Message]]) -> None:
        """Send the server's messages to the sites."""
        for receiver, message in messages:
            origin = self.voyages.oldest or self.here()
            for site in self.receivers(receiver, message):
                self.post(Letter(message, site, False, origin, self.generation(None)))

    def generation(self, site: int | None) -> int:
        """Return the number of the protocol's start for a site's messages, or for None for the server's."""
        return 0

    # ------------------------------------------------------------------ on the wires

    def post(self, letter: Letter) -> None:
        """Send a letter."""
        arrivals = self.wires.arrivals(letter.site, letter.up, self.clock())
        if not arrivals:
            self.lost += 1
            return
        self.voyages.begin(letter.origin)
        self.schedule(arrivals[0], DELIVER, partial(self._arrive, letter))
        for arrival in arrivals[1:]:
            self.schedule(arrival, DELIVER, partial(self._arrive_again, letter))

    def schedule(self, step: int, priority: int, action: Callable[[Any], None]) -> None:
        """Schedule `action(event)` at a step with a priority."""
        event = self.env.event()
        event._ok, event._value = True, None  # triggered, as a timeout is, but with its own priority
        assert event.callbacks is not None
        event.callbacks.append(action)
        self.env.schedule(event, priority=priority, delay=step - self.env.now)  # type: ignore[arg-type]

    def _arrive(self, letter: Letter, event: simpy.Event) -> None:
        if self.hears(letter.site, letter.up):
            self.hand_on(letter)
        else:
            self.lost += 1
            self.give_up(letter)

    def _arrive_again(self, letter: Letter, event: simpy.Event) -> None:
        """Receive a copy: the messages that it causes are a new chain."""
        copy = Letter(letter.message, letter.site, letter.up, self.here(), letter.generation)
        self.voyages.begin(copy.origin)
        self._arrive(copy, event)

    def give_up(self, letter: Letter) -> None:
        """Record that a letter is not in transit any more, though it was not received."""
        self.voyages.end(letter.origin)
        self.hooks.stirred()

    def forget(self, site: int) -> None:
        """Drop the state of a site's wires after one of their ends has lost its state: bare ones have none."""

    def hears(self, site: int, up: bool) -> bool:
        """Return whether the receiver on this wire is up: the server for an upward wire, else the site."""
        return True

    # ------------------------------------------------------------------ delivery

    def hand_on(self, letter: Letter) -> None:
        """Deliver a letter to its receiver."""
        letter.delivered = True
        if not letter.up:
            self._tell(letter)
            return
        self._inbox.append(letter)
        if not self._bell.triggered:
            self._bell.succeed()

    def _server(self) -> Generator[simpy.Event, Any, None]:
        while True:
            yield self._bell
            self._bell = self.env.event()
            self.hooks.about_to_hear()
            while self._inbox:
                letter = self._inbox.popleft()
                self.send_down(self.server_hears(letter))
                self.voyages.end(letter.origin)
            self.hooks.stirred()

    def _tell(self, letter: Letter) -> None:
        self.hooks.about_to_hear()
        self.sync(letter.site)
        self._answer(letter.site, self.site_hears(letter), letter.origin)
        self.voyages.end(letter.origin)
        self.hooks.heard(letter.site)

    def server_hears(self, letter: Letter) -> Sequence[tuple[int, Message]]:
        """Return the server's replies to a letter."""
        return self.server.hear(letter.site, letter.message)

    def site_hears(self, letter: Letter) -> Sequence[Message]:
        """Return a site's replies to a letter."""
        return self.sites[letter.site].hear(letter.message)
