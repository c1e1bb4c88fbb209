"""Channels with a reliable link on each wire: lost messages are sent again, and duplicates are dropped."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from disttrack.simulator.game.network.channels import DELIVER, FAULT, Letter, NetworkChannels
from disttrack.simulator.game.network.link import Incoming, Link, Outgoing

UP: Final = True
DOWN: Final = False


class Links:
    """The reliable links of a game, two for each site.

    Words of the link are counted separately: a number with each packet, acknowledgements, and retransmissions.

    Parameters
    ----------
    link
        Its parameters.
    timeout
        Default number of steps after which a packet is sent again.
    channels
        The channels whose letters it carries.
    """

    def __init__(self, link: Link, timeout: int, channels: NetworkChannels) -> None:
        self._link, self._timeout, self._channels = link, timeout, channels
        k = len(channels.sites)
        self._epochs = [0] * k
        """Number of restarts of each site's links; packets of an earlier epoch are dropped."""
        self._out: dict[bool, list[Outgoing[Letter]]] = {up: [Outgoing() for _ in range(k)] for up in (UP, DOWN)}
        self._in: dict[bool, list[Incoming[Letter]]] = {up: [Incoming() for _ in range(k)] for up in (UP, DOWN)}

    def post(self, letter: Letter) -> None:
        """Send a letter; it is in transit until it has been delivered, however often it is lost."""
        self._channels.voyages.begin(letter.origin)
        number = self._out[letter.up][letter.site].send(letter)
        self._transmit(letter, number, 1)

    def begin_anew(self, site: int) -> None:
        """Discard all packets of a site that has lost its half of the links; they are never delivered."""
        undelivered: dict[int, Letter] = {}
        for up in (UP, DOWN):
            for letter in (*self._out[up][site].unacknowledged.values(), *self._in[up][site].waiting):
                if not letter.delivered:
                    undelivered[id(letter)] = letter
            self._out[up][site], self._in[up][site] = Outgoing(), Incoming()
        self._epochs[site] += 1
        for letter in undelivered.values():
            self._channels.give_up(letter)

    def _transmit(self, letter: Letter, number: int, tries: int) -> None:
        channels, site, now = self._channels, letter.site, self._channels.clock()
        channels.ledger.count_link("number", letter.up, 0, 1)
        if tries > 1:
            channels.ledger.count_link("retransmission", letter.up, 1, letter.message.words)
        epoch = self._epochs[site]
        arrivals = channels.wires.arrivals(site, letter.up, now)
        channels.lost += not arrivals
        for arrival in arrivals:
            channels.schedule(arrival, DELIVER, partial(self._packet, letter, number, epoch))
        again = now + self._link.pause(tries, self._timeout)
        channels.schedule(again, FAULT, partial(self._timed_out, letter, number, epoch, tries))

    def _packet(self, letter: Letter, number: int, epoch: int, event: Any) -> None:
        channels, site, up = self._channels, letter.site, letter.up
        if epoch != self._epochs[site]:
            return
        if not channels.hears(site, up):
            channels.lost += 1
            return
        channels.ledger.count_link("ack", not up, 1, 1)
        arrivals = channels.wires.arrivals(site, not up, channels.clock())
        channels.lost += not arrivals
        for arrival in arrivals:
            channels.schedule(arrival, DELIVER, partial(self._acknowledged, site, up, number, epoch))
        for ready in self._in[up][site].receive(number, letter):
            channels.hand_on(ready)

    def _acknowledged(self, site: int, up: bool, number: int, epoch: int, event: Any) -> None:
        if epoch != self._epochs[site]:
            return
        if self._channels.hears(site, not up):
            self._out[up][site].acknowledged(number)
        else:
            self._channels.lost += 1

    def _timed_out(self, letter: Letter, number: int, epoch: int, tries: int, event: Any) -> None:
        site, up = letter.site, letter.up
        if epoch != self._epochs[site] or number not in self._out[up][site].unacknowledged:
            return
        channels = self._channels
        if channels.hears(site, not up):
            self._transmit(letter, number, tries + 1)
        else:  # the sender is down: it continues when it is back
            again = channels.clock() + self._link.pause(tries, self._timeout)
            channels.schedule(again, FAULT, partial(self._timed_out, letter, number, epoch, tries))
