"""A site as a state machine: the same events give the same state and the same messages, coins included.

So a journal of the events restores it after a kill; `server_state` is the same for the server. An event is a tuple of a
method's name and its arguments. Nothing here depends on clocks or connections.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from disttrack.fleet.live.frames import Session
from disttrack.fleet.live.requests import Reservations
from disttrack.fleet.quotas.costs import Costs
from disttrack.fleet.quotas.sites import QuotaSite
from disttrack.protocols.base import Message, Protocol, even_start
from disttrack.simulator.game.network.recovery import ANEW, IS_UP, RECOUNT, RECOUNTED, SiteMachine

Event = tuple[Any, ...]
Sent = list[tuple[int, int, Message]]
"""Messages to send: the site at the other end, the number on its session, and the message."""

STARTS: Final = 100
"""Starts that a site remembers while the server does not answer."""
MOST: Final = 2**62
"""Maximum number of items of a deployment."""


class SiteState:
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
    commits
        Whether clients of a quota commit the costs of their requests, in place of settlings that know them.
    """

    def __init__(
        self, protocol: Protocol, k: int, number: int, seed: Any, start: int = 0, items: int = 0,
        returned: bool = False, *, commits: bool = False,
    ) -> None:  # fmt: skip
        self.protocol: Any = protocol
        self.k, self.number = k, number
        self.rng = np.random.default_rng(seed)
        counts = even_start(start, k)
        self.reservations = Reservations() if commits else None
        maker: Any = protocol
        if commits:
            maker = maker.charged_on_arrival()
        site = maker.sites(k, self.rng, counts if start else ())[number]
        self.machine = SiteMachine(site, items if returned else counts[number])
        self.session = Session()
        self.ticket = 0
        """That of the last connection, 0 for none."""
        self.starts: list[tuple[int, int, int]] = []
        """Of each start from the journal since the last answer of the server: process, messages and items."""
        self.source: tuple[str, int] | None = None
        """Name and checksum of the last file that it was fed with."""
        self.lines = 0
        """Lines of it that were taken."""
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
        """Its items and its silence, which each of its frames reports."""
        return self.machine.items, self.machine.silence()

    def apply(self, event: Event) -> Sent:
        """Apply an event, named after a method, such as ``take`` or ``hear``."""
        name, *values = event
        messages: Iterable[Message] = getattr(self, name)(*values)
        sent = [(self.number, self.session.send(message), message) for message in messages]
        if self.reservations is not None:
            self.reservations.note_answers(self.site)
        return sent

    def read(self, name: str, checksum: int) -> Sequence[Message]:
        """Begin a file of items."""
        self.source, self.lines = (name, checksum), 0
        return ()

    def take(self, items: int, lines: int = 0) -> Iterable[Message]:
        """Receive items, and the number of lines of the file that held them."""
        self.lines += lines
        while items:
            part = min(items, self.machine.silence() + 1)
            items -= part
            yield from self.machine.take(part)

    def hear(self, number: int, *message: Any) -> Sequence[Message]:
        """Receive a message of the server, once."""
        if not self.session.is_new(number):
            return ()
        heard, machine = Message(*message), self.machine
        if isinstance(self.site, QuotaSite):
            return machine.hear(heard)  # it has no counts to begin anew with, whatever its messages are called
        if heard.kind == RECOUNT.kind:
            machine.wait()
            return (Message(RECOUNTED, (heard.value, machine.items)),)
        if heard.kind == ANEW:
            counts = heard.value
            return machine.go_on(
                self.protocol.sites(self.k, self.rng, counts)[self.number], machine.items - counts[self.number]
            )
        return machine.hear(heard) if machine.state == IS_UP else ()

    def start(self, process: int) -> Sequence[Message]:
        """Begin a process with the state of a journal."""
        self.starts.append((process, self.session.sent, self.machine.items))
        if len(self.starts) > STARTS:
            del self.starts[1]  # the first one says how old the journal was
        return ()

    def welcome(self, ticket: int) -> Sequence[Message]:
        """Keep the ticket of a connection."""
        self.ticket = ticket
        self.starts.clear()
        return ()

    def give_up(self) -> Sequence[Message]:
        """Drop the messages that wait, which are about a state that others have left long ago.

        The next greeting says so, and the site begins anew.
        """
        self.session.drop()
        if not isinstance(self.site, QuotaSite):
            self.machine.wait()
        return ()

    def forget(self) -> Sequence[Message]:
        """Begin the session anew, with a server that does not know it."""
        self.session = Session()
        return ()

    def act(self, name: str, *values: object) -> Sequence[Message]:
        """Have a site of a quota act by its clock: turn, flush, settle, come or go."""
        messages: Sequence[Message] = getattr(self.site, name)(*values)
        return messages

    def join(self, window: int) -> Sequence[Message]:
        """Have a site of a quota come into the fleet in this window."""
        self.site.window = window
        messages: Sequence[Message] = self.site.join()
        return messages

    def request(self, cost: int, lines: int = 0) -> Sequence[Message]:
        """Receive a request of a quota, of this cost; if clients commit costs, an estimate, of at least the reserve."""
        self.lines += lines
        price = cost if self.reservations is None else max(cost, self.protocol.reserve)
        self.site.costs = Costs([price])
        messages: Sequence[Message] = self.site.take(1)
        if self.reservations is not None:
            self.reservations.note_request(self.site, price)
        return messages

    def commit(self, number: int, cost: int) -> Sequence[Message]:
        """Replace the price of an open reservation by its cost; it is reported with the next request or settling."""
        assert self.reservations is not None
        self.site.commit(*self.reservations.commit(number, cost), cost)
        return ()

    def settle(self, number: int) -> Sequence[Message]:
        """Have the reservations lapse that are due in this settling: they cost nothing."""
        assert self.reservations is not None
        for admission, price in self.reservations.settle(number):
            self.site.commit(admission, price, 0)
        return self.site.charged() if self.site.present else ()
