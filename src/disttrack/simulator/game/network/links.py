"""The mail with a reliable link on each wire: lost messages are sent again, and duplicates are dropped.

The two halves of a link do not depend on clocks and wires. Every packet has a number, counted from 0 on each link and
in each direction, and each arrival is acknowledged by its number. A packet that is not acknowledged in time is sent
again, each time after a longer pause. The receiver buffers packets that come too early and drops duplicates, so that it
delivers each payload once and in order, unless every transmission is lost.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, Generic, TypeVar

import simpy

from disttrack.simulator.game.network.mail import DELIVER, FAULT, Ends, Letter, Mail
from disttrack.simulator.game.network.model import Link, Network, default_timeout

UP: Final = True
DOWN: Final = False
Payload = TypeVar("Payload")


class Outgoing(Generic[Payload]):
    """The sender's half: numbers its packets, and keeps each until it is acknowledged."""

    __slots__ = ("_next", "unacknowledged")

    def __init__(self) -> None:
        self._next = 0
        self.unacknowledged: dict[int, Payload] = {}

    def send(self, payload: Payload) -> int:
        """Take a payload to send; return its number."""
        number = self._next
        self._next += 1
        self.unacknowledged[number] = payload
        return number

    def acknowledged(self, number: int) -> None:
        """Take an acknowledgement; a repeated one has no effect."""
        self.unacknowledged.pop(number, None)


class Incoming(Generic[Payload]):
    """The receiver's half: puts packets in order, and drops duplicates."""

    __slots__ = ("_early", "_next")

    def __init__(self) -> None:
        self._next = 0
        self._early: dict[int, Payload] = {}

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
        self._timeout = default_timeout(network, k)
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
