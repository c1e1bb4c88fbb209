"""Channels on which messages take time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, Final

import simpy

from protocols.base import Message, Server, Site
from simulator.game.channels import SERVER, Channels, Rows
from simulator.game.ledger import Ledger
from simulator.game.network.voyages import Origin, Voyages

DELIVER: Final = 2
"""Priority of an arrival: after the item of the same step, which has SimPy's normal priority 1."""


class NetworkChannels(Channels):
    """Channels on which each message is under way for some steps.

    The server is a SimPy process that sleeps until its bell rings. Each channel is first in, first out.

    Parameters
    ----------
    delay
        Draws the delay of a message in steps.
    items_before
        Returns the number of items at the end of the step before the present one.
    about_to_hear
        Called before the server or a site hears something.
    heard
        Called with a site's number after it has heard something.
    stirred
        Called in each step in which something is sent or arrives.
    """

    def __init__(
        self,
        sites: Sequence[Site],
        server: Server,
        ledger: Ledger,
        sync: Callable[[int], None],
        transcript: Rows | None,
        env: simpy.Environment,
        delay: Callable[[], int],
        items_before: Callable[[], int],
        about_to_hear: Callable[[], None],
        heard: Callable[[int], None],
        stirred: Callable[[], None],
    ) -> None:
        super().__init__(sites, server, ledger, lambda: int(env.now), sync, transcript)
        self.env = env
        self.delay = delay
        self.items_before = items_before
        self.about_to_hear = about_to_hear
        self.heard = heard
        self.stirred = stirred
        self.voyages = Voyages()
        self._last_up = [0] * len(sites)
        self._last_down = [0] * len(sites)
        self._inbox: deque[tuple[int, Message, Origin]] = deque()
        self._bell = env.event()
        env.process(self._server())

    def sender(self) -> Callable[[int, Sequence[Message]], None]:
        return self._send_items

    def _send_items(self, site: int, messages: Sequence[Message]) -> None:
        """Send what an item has set off on its way to the server."""
        if messages:
            self._send_up(site, messages, Origin(self.clock(), self.items_before()))

    def _send_up(self, site: int, messages: Sequence[Message], origin: Origin) -> None:
        """Send a site's messages on their way to the server."""
        for message in messages:
            self.ledger.count_up(site, message)
            if self.transcript is not None:
                self.note(site, SERVER, message)
            arrival = self._last_up[site] = max(self.clock() + self.delay(), self._last_up[site])
            self.voyages.begin(origin)
            self._schedule(arrival, partial(self._ring, site, message, origin))
        self.stirred()

    def _schedule(self, arrival: int, action: Callable[[Any], None]) -> None:
        event = self.env.event()
        event._ok, event._value = True, None  # triggered, as a timeout is, but with a priority of its own
        assert event.callbacks is not None
        event.callbacks.append(action)
        self.env.schedule(event, priority=DELIVER, delay=arrival - self.env.now)  # type: ignore[arg-type]

    def _ring(self, site: int, message: Message, origin: Origin, event: simpy.Event) -> None:
        self._inbox.append((site, message, origin))
        if not self._bell.triggered:
            self._bell.succeed()

    def _server(self) -> Generator[simpy.Event, Any, None]:
        while True:
            yield self._bell
            self._bell = self.env.event()
            self.about_to_hear()
            while self._inbox:
                sender, message, origin = self._inbox.popleft()
                self._send_down(self.server.hear(sender, message))
                self.voyages.end(origin)
            self.stirred()

    def _send_down(self, said: Sequence[tuple[int, Message]]) -> None:
        """Send what the server says on its way to the sites."""
        for receiver, message in said:
            origin = self.voyages.oldest
            assert origin is not None  # what it has just heard
            for site in self.receivers(receiver, message):
                arrival = self._last_down[site] = max(self.clock() + self.delay(), self._last_down[site])
                self.voyages.begin(origin)
                self._schedule(arrival, partial(self._tell, site, message, origin))

    def _tell(self, site: int, message: Message, origin: Origin, event: simpy.Event) -> None:
        self.about_to_hear()
        self.sync(site)
        self._send_up(site, self.sites[site].hear(message), origin)
        self.voyages.end(origin)
        self.heard(site)
