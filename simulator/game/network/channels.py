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
"""Priority of an arrival: after the item of the same step, which has SimPy's normal priority 1."""
FAULT: Final = 3
"""Priority of faults and timeouts: after all arrivals of the step."""


class Letter:
    """A message on its way.

    Attributes
    ----------
    message, site, up
        What it says, the site that sends or receives it, and whether it goes to the server.
    origin
        Where its chain began.
    generation
        The start of the protocol that it belongs to (`simulator.game.network.recovery`).
    delivered
        Whether it has been handed on.
    """

    __slots__ = ("delivered", "generation", "message", "origin", "site", "up")

    def __init__(self, message: Message, site: int, up: bool, origin: Origin, generation: int) -> None:
        self.message, self.site, self.up = message, site, up
        self.origin, self.generation = origin, generation
        self.delivered = False


@dataclass(frozen=True)
class Hooks:
    """What channels ask of the engine, or tell it.

    Parameters
    ----------
    sync
        Called with a site's number before the site hears: gives it the items it has not yet been told of.
    items_before
        Returns the number of items at the end of the step before the present one.
    about_to_hear
        Called before the server or a site hears something.
    heard
        Called with a site's number after it has heard something.
    stirred
        Called in each step in which something is sent, arrives, or is lost.
    """

    sync: Callable[[int], None]
    items_before: Callable[[], int]
    about_to_hear: Callable[[], None]
    heard: Callable[[int], None]
    stirred: Callable[[], None]


class NetworkChannels(Channels):
    """Channels on which each message is under way for some steps, over bare wires.

    The server is a SimPy process that sleeps until its bell rings.

    Parameters
    ----------
    wires
        They say when a message arrives, if it does.
    hooks
        The engine's part.

    Attributes
    ----------
    lost
        Messages that were lost on the way, or came to one who was down.
    voyages
        What is on its way.
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
        """Send what a site says of itself on its way to the server: a new chain."""
        if messages:
            self._answer(site, messages, self.here())

    def here(self) -> Origin:
        """Return the origin of a chain that begins now."""
        return Origin(self.clock(), self.hooks.items_before())

    def _answer(self, site: int, messages: Sequence[Message], origin: Origin) -> None:
        """Send a site's messages on their way to the server."""
        generation = self.generation(site)
        for message in messages:
            self.ledger.count_up(site, message)
            if self.transcript is not None:
                self.note(site, SERVER, message)
            self.post(Letter(message, site, True, origin, generation))
        self.hooks.stirred()

    def send_down(self, said: Sequence[tuple[int, Message]]) -> None:
        """Send what the server says on its way to the sites."""
        for receiver, message in said:
            origin = self.voyages.oldest or self.here()
            for site in self.receivers(receiver, message):
                self.post(Letter(message, site, False, origin, self.generation(None)))

    def generation(self, site: int | None) -> int:
        """Return the start of the protocol that a site's messages belong to, or for None the server's."""
        return 0

    # ------------------------------------------------------------------ on the wires

    def post(self, letter: Letter) -> None:
        """Send a letter on its way."""
        arrivals = self.wires.arrivals(letter.site, letter.up, self.clock())
        if not arrivals:
            self.lost += 1
            return
        self.voyages.begin(letter.origin)
        self.schedule(arrivals[0], DELIVER, partial(self._arrive, letter))
        for arrival in arrivals[1:]:
            self.schedule(arrival, DELIVER, partial(self._arrive_again, letter))

    def schedule(self, step: int, priority: int, action: Callable[[Any], None]) -> None:
        """Have `action(event)` called at a step with a priority."""
        event = self.env.event()
        event._ok, event._value = True, None  # triggered, as a timeout is, but with a priority of its own
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
        """Take a copy: what it sets off is a chain of its own."""
        copy = Letter(letter.message, letter.site, letter.up, self.here(), letter.generation)
        self.voyages.begin(copy.origin)
        self._arrive(copy, event)

    def give_up(self, letter: Letter) -> None:
        """Take note that a letter is on its way no more, though it was not heard."""
        self.voyages.end(letter.origin)
        self.hooks.stirred()

    def forget(self, site: int) -> None:
        """Drop what the wires of a site keep, one of whose ends has lost its state: bare ones keep nothing."""

    def hears(self, site: int, up: bool) -> bool:
        """Return whether the receiver on this wire is there: the server if it goes up, else the site."""
        return True

    # ------------------------------------------------------------------ heard

    def hand_on(self, letter: Letter) -> None:
        """Let the receiver hear a letter."""
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
        """Return what the server says to a letter."""
        return self.server.hear(letter.site, letter.message)

    def site_hears(self, letter: Letter) -> Sequence[Message]:
        """Return what a site says to a letter."""
        return self.sites[letter.site].hear(letter.message)
