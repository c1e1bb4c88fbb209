"""Letters: messages on a network, and the parts of a game that send and receive them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import simpy

from disttrack.protocols.base import Message, Server, Site
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network.voyages import Origin

Action = Callable[[Any], None]
"""What happens upon an event."""

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


class Ends(ABC):
    """The engine, as the network sees it. A site is its number, the server is None."""

    env: simpy.Environment
    ledger: Ledger
    sites: Sequence[Site]
    server: Server

    @abstractmethod
    def items_before(self) -> int:
        """Return the number of items at the end of the step before the present one."""

    @abstractmethod
    def send_up(self, site: int, messages: Sequence[Message]) -> None:
        """Send a site's messages to the server: a new chain."""

    @abstractmethod
    def send_down(self, messages: Sequence[tuple[int, Message]]) -> None:
        """Send the server's messages to the sites."""

    @abstractmethod
    def deliver(self, letter: Letter) -> None:
        """Have the receiver receive a letter."""

    def before(self, part: int | None) -> None:  # noqa: B027 - a hook that an engine of single items need not fill
        """Prepare for an effect on a site, which needs all of its items, or the server."""

    def after(self, part: int | None) -> None:  # noqa: B027
        """Handle an effect on a site, which may have another quota, or the server."""


class Clock(Protocol):
    """The mail, as its faults see it."""

    ends: Ends

    @property
    def now(self) -> int:
        """The present step."""

    def schedule(self, step: int, priority: int, action: Action) -> None:
        """Schedule `action(event)` at a step with a priority."""

    def forget(self, site: int) -> None:
        """Drop the state of a site's wires after one of their ends has lost its state."""


def moment(env: simpy.Environment, step: int, priority: int, action: Action | None = None) -> simpy.Event:
    """Return an event at a step with a priority of its own, upon which `action(event)` is called."""
    event = env.event()
    event._ok, event._value, event.callbacks = True, None, [action] if action else []
    env.schedule(event, priority=priority, delay=step - env.now)  # type: ignore[arg-type]
    return event
