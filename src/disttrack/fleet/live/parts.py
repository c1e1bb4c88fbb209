"""A site and the server as state machines: the same events give the same state and the same messages, coins included.

So a journal of the events restores either after a kill. An event is a tuple of a method's name and its arguments.
Nothing here depends on clocks or connections.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from disttrack.fleet.live.frames import NonsenseError
from disttrack.fleet.live.session import Session
from disttrack.fleet.quotas import Quota
from disttrack.fleet.quotas.costs import Costs
from disttrack.fleet.quotas.parts import QuotaServer, QuotaSite
from disttrack.protocols.base import EVERYONE, Message, Protocol, even_start
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network.machines import SiteMachine
from disttrack.simulator.game.network.recovery import ANEW, RECOUNT, RECOUNTED

Event = tuple[Any, ...]
Sent = list[tuple[int, int, Message]]
"""Messages to send: the site at the other end, the number on its session, and the message."""

MOST: Final = 2**62
"""Maximum number of items of a deployment."""
FORGOTTEN: Final = "?"
"""The name of a life that no site has."""


class SitePart:
    """One site of a protocol, its end of the session, and the number of its items.

    Parameters
    ----------
    protocol, k, number
        The protocol, the number of sites, and which of them it is.
    seed
        Of its coins: whatever `numpy.random.default_rng` takes.
    start
        Items counted before, spread evenly and known to all.
    items
        With `returned`, the items that it is known to have had.
    returned
        Whether it has lost its state: it waits until all sites begin anew, or in a quota until it joins.
    """

    def __init__(
        self, protocol: Protocol, k: int, number: int, seed: Any, start: int = 0, items: int = 0, returned: bool = False
    ) -> None:
        self.protocol: Any = protocol
        self.k, self.number = k, number
        self.rng = np.random.default_rng(seed)
        counts = even_start(start, k)
        site = protocol.sites(k, self.rng, counts if start else ())[number]
        self.machine = SiteMachine(site, items if returned else counts[number])
        self.session = Session()
        if returned and isinstance(site, QuotaSite):
            site.leave(dies=True)
        elif returned:
            self.machine.wait()

    @property
    def site(self) -> Any:
        """The protocol's own site."""
        return self.machine.site

    @property
    def state(self) -> tuple[int, int]:
        """Its items and its quota, which each of its frames reports."""
        return self.machine.items, self.machine.quota()

    def apply(self, event: Event) -> Sent:
        """Apply an event, named after a method: take, hear, forget, act, join, request."""
        name, *values = event
        messages: Iterable[Message] = getattr(self, name)(*values)
        return [(self.number, self.session.send(message), message) for message in messages]

    def take(self, items: int) -> Iterable[Message]:
        """Receive items."""
        while items:
            part = min(items, self.machine.quota() + 1)
            items -= part
            yield from self.machine.take(part)

    def hear(self, number: int, *message: Any) -> Sequence[Message]:
        """Receive a message of the server, once."""
        if not self.session.is_new(number):
            return ()
        heard, machine = Message(*message), self.machine
        if heard.kind == RECOUNT.kind:
            machine.wait()
            return (Message(RECOUNTED, machine.items),)
        if heard.kind == ANEW:
            counts = heard.value
            return machine.go_on(
                self.protocol.sites(self.k, self.rng, counts)[self.number], machine.items - counts[self.number]
            )
        return machine.hear(heard) if machine.state == "up" else ()

    def forget(self) -> Sequence[Message]:
        """Begin the session anew, with a server that does not know it."""
        self.session = Session()
        return ()

    def act(self, name: str, *values: Any) -> Sequence[Message]:
        """Have a site of a quota act by its clock: turn, flush, settle, come or go."""
        messages: Sequence[Message] = getattr(self.site, name)(*values)
        return messages

    def join(self, window: int) -> Sequence[Message]:
        """Have a site of a quota come into the fleet in this window."""
        self.site.window = window
        messages: Sequence[Message] = self.site.join()
        return messages

    def request(self, cost: int) -> Sequence[Message]:
        """Receive a request of a quota, of this cost."""
        self.site.costs = Costs([cost])
        return self.site.take(1)  # type: ignore[no-any-return]


class ServerPart:
    """The server of a protocol, its ends of the sessions, and the last known state of each site.

    Parameters
    ----------
    protocol, k, seed, start
        As of `SitePart`.

    Attributes
    ----------
    names
        For each site, the name of its present life, known only to a site with its state; empty before the first.
    seen
        For each site, its items and its quota by its last frame.
    unknown
        For each site, an upper bound on the items that were lost with its state.
    counts
        The answers so far while all sites begin anew; otherwise None.
    """

    def __init__(self, protocol: Protocol, k: int, seed: Any, start: int = 0) -> None:
        self.protocol, self.k, self.start = protocol, k, start
        self.rng = np.random.default_rng(seed)
        counts = even_start(start, k)
        self.server: Any = protocol.server(k, self.rng, counts if start else ())
        self.sessions = [Session() for _ in range(k)]
        self.ledger = Ledger(k, MOST, protocol.kind)
        self.names = [""] * k
        self.seen = [(count, 0) for count in counts]
        self.items = start
        """Sum of the items in `seen`."""
        self.unknown = [0] * k
        self.counts: dict[int, int] | None = None
        self.output, self.items_then, self.changes = self.server.output, start, 0
        """The output, the items that the server knew of when it last changed, and how often it has."""

    def _see(self, site: int, items: int, quota: int) -> None:
        self.items += items - self.seen[site][0]
        self.seen[site] = items, quota

    def unknown_of(self, site: int) -> int:
        """Return the maximum number of items of a site unknown to the server, if the site stopped now.

        A message may die with its site, and the item that caused it: so it is one more than the site's quota. A site
        that has left in order has quota -1: the server knows all of its items.
        """
        quota = self.seen[site][1]
        return MOST if quota >= MOST else quota + 1

    def apply(self, event: Event) -> Sent:
        """Apply an event, named after a method: begin, forget, message, heard, turn.

        Raises
        ------
        NonsenseError
            The protocol has no use for it. The state may have changed, the same way whenever the event is applied.
        """
        name, *values = event
        try:
            replies: Sequence[tuple[int, Message]] = getattr(self, name)(*values)
            self.ledger.broadcasts += sum(receiver == EVERYONE for receiver, _ in replies)
            sent = [
                (site, self.sessions[site].send(message), message)
                for receiver, message in replies
                for site in (range(self.k) if receiver == EVERYONE else (receiver,))
            ]
        except NonsenseError:
            raise
        except Exception as error:
            raise NonsenseError(f"nothing that {self.protocol.kind} understands ({error!r})") from error
        for site, _, message in sent:
            self.ledger.count_down(site, message)
        if self.counts is None and self.server.output != self.output:
            self.output, self.items_then = self.server.output, self.items
            self.changes += 1
        return sent

    def is_first(self, site: int, items: int) -> bool:
        """Return whether a site that reports these items begins its first life."""
        return not self.names[site] and items in (0, self.seen[site][0])

    def begin(self, site: int, name: str, items: int) -> Sequence[tuple[int, Message]]:
        """Begin a life of a site that reports these items: its first one, or one after a loss of state.

        If it reports any items, the state was lost by the server, and no items are lost.
        """
        known = bool(self.names[site])
        first, self.names[site] = self.is_first(site, items), name
        if first:
            return ()
        if known:
            self.unknown[site] += 0 if items else self.unknown_of(site)
            self.sessions[site] = Session()
        self._see(site, max(items, self.seen[site][0]), 0)
        if isinstance(self.protocol, Quota):
            return ()
        self.counts = {}
        return ((EVERYONE, RECOUNT),)

    def forget(self, site: int) -> Sequence[tuple[int, Message]]:
        """Drop the session of a disconnected site, with the messages that wait; it must begin another life."""
        self.names[site], self.sessions[site] = FORGOTTEN, Session()
        return ()

    def message(self, site: int, number: int, kind: str, value: Any, words: int, items: int, quota: int) -> Any:
        """Receive a message of a site, once."""
        if not self.sessions[site].is_new(number):
            return ()
        message = Message(kind, value, words)
        self._see(site, items, quota)
        self.ledger.count_up(site, message)
        if self.counts is None:
            return self.server.hear(site, message)
        return self._recounted(site, value) if kind == RECOUNTED else ()

    def _recounted(self, site: int, items: int) -> Sequence[tuple[int, Message]]:
        """Take a site's answer; when all are in, begin anew with what they say."""
        assert self.counts is not None
        self.counts[site] = items
        if len(self.counts) < self.k:
            return ()
        counts, self.counts = [self.counts[site] for site in range(self.k)], None
        self.server = self.protocol.server(self.k, self.rng, counts)
        return ((EVERYONE, Message(ANEW, tuple(counts), self.k)),)

    def heard(self, site: int, number: int, items: int, quota: int) -> Sequence[tuple[int, Message]]:
        """Take a site's acknowledgement of the messages up to this number."""
        self.sessions[site].acknowledged(number)
        self._see(site, items, quota)
        return ()

    def turn(self, window: int) -> Sequence[tuple[int, Message]]:
        """Begin a window of a quota; those in between were missed by a server that was down."""
        assert isinstance(self.server, QuotaServer)
        self.server.window = window - 1
        return self.server.turn()
