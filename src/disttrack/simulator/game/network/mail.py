"""The mail: carries messages over the wires of a network, where they take time and may be lost."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import simpy

from disttrack.protocols.base import Message
from disttrack.simulator.game.network.letters import DELIVER, Action, Ends, Letter, moment
from disttrack.simulator.game.network.model import Network
from disttrack.simulator.game.network.recovery import Recovery
from disttrack.simulator.game.network.voyages import Origin, Voyages
from disttrack.simulator.game.network.wires import Wires


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
    recovery
        Stops and returns of sites and server; None without them.

    Attributes
    ----------
    lost
        Messages that were lost in transit, or arrived at a stopped receiver.
    voyages
        The messages in transit.
    """

    def __init__(self, ends: Ends, network: Network, rng: Any, recovery: Recovery | None = None) -> None:
        self.ends, self.ledger, self.recovery = ends, ends.ledger, recovery
        self.wires = Wires(network, len(ends.sites), rng)
        self.voyages = Voyages()
        self.lost = 0
        if recovery is not None:
            recovery.begin(self)

    @property
    def now(self) -> int:
        """The present step."""
        return int(self.ends.env.now)

    @property
    def restarts(self) -> int:
        """Number of stops of a site or the server."""
        return 0 if self.recovery is None else self.recovery.restarts

    def schedule(self, step: int, priority: int, action: Action) -> None:
        """Schedule `action(event)` at a step with a priority."""
        moment(self.ends.env, step, priority, action)

    # ------------------------------------------------------------------ on the wires

    def post(self, message: Message, site: int, up: bool, origin: Origin | None = None) -> None:
        """Send a message from a site to the server (up), or from the server to a site.

        Without an origin, a site begins a chain, and the server continues the oldest open one.
        """
        origin = origin or (None if up else self.voyages.oldest) or self._here()
        generation = 0 if self.recovery is None else self.recovery.generation_of(site if up else None)
        self.carry(Letter(message, site, up, origin, generation))

    def _here(self) -> Origin:
        """Return the origin of a chain that begins now."""
        return Origin(self.now, self.ends.items_before())

    def carry(self, letter: Letter) -> None:
        """Carry a letter to its receiver, who may receive it once, twice or never."""
        arrivals = self.wires.arrivals(letter.site, letter.up, self.now)
        if not arrivals:
            self.lost += 1
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
            self.end(letter)

    def _arrive_again(self, letter: Letter, event: simpy.Event) -> None:
        """Receive a copy: the messages that it causes are a new chain."""
        copy = Letter(letter.message, letter.site, letter.up, self._here(), letter.generation)
        self.voyages.begin(copy.origin)
        self._arrive(copy, event)

    def forget(self, site: int) -> None:
        """Drop the state of a site's wires after one of their ends has lost its state: bare ones have none."""

    # ------------------------------------------------------------------ at the receiver

    def hears(self, site: int, up: bool) -> bool:
        """Return whether the receiver on this wire is up: the server for an upward wire, else the site."""
        return self.recovery is None or self.recovery.is_up(None if up else site)

    def hand_on(self, letter: Letter) -> None:
        """Deliver a letter to its receiver."""
        letter.delivered = True
        self.ends.deliver(letter)

    def server_hears(self, letter: Letter) -> Sequence[tuple[int, Message]]:
        """Return the server's replies to a letter."""
        if self.recovery is not None:
            return self.recovery.server_hears(letter)
        return self.ends.server.hear(letter.site, letter.message)

    def site_hears(self, letter: Letter) -> Sequence[Message]:
        """Return a site's replies to a letter."""
        if self.recovery is not None:
            return self.recovery.site_hears(letter)
        return self.ends.sites[letter.site].hear(letter.message)

    def end(self, letter: Letter) -> None:
        """Record that a letter is not in transit any more: it was received, and all replies sent, or it was lost."""
        self.voyages.end(letter.origin)
        self.ends.after(None if letter.up else letter.site)
