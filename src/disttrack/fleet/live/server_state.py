"""The server as a state machine, like the sites of `site_state`: sessions, what is known of each site, and new starts.

A *start* is the initial state of a game: the count of each site, known to all. The server asks for a new start when the
present one cannot go on: a site has come back without its state, or one that the server must hear has left. It asks all
sites (``recount``), they answer (``recounted``), and all begin with these counts (``anew``). Starts are numbered, and
what a site has sent before its answer to the last question belongs to an earlier one.

A site that is *absent* (it never came, has left in order, or was given up) is played by the server: its count is known,
so the server begins with it, and its stand-in here answers what it is asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from disttrack.fleet.live.frames import REMEMBERED, NonsenseError, Session, Tickets
from disttrack.fleet.live.site_state import MOST, Event, Sent
from disttrack.fleet.quotas import Quota
from disttrack.fleet.quotas.sites import QuotaServer
from disttrack.protocols.base import EVERYONE, Message, Protocol, Site, even_start
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network.recovery import ANEW, RECOUNT, RECOUNTED

FORGOTTEN: Final = "?"
"""The name of a life that no site has: the server plays this site."""
GONE: Final = -1
"""The silence of a site that takes no items: the server knows all that it has."""

Letters = Iterable[tuple[int, Message]]
"""Receivers and messages."""


class ServerState:
    """The server of a protocol, its ends of the sessions, and the last known state of each site.

    Parameters
    ----------
    protocol, k, seed, start
        As of `SiteState`.

    Attributes
    ----------
    names
        For each site, the name of its present life, known only to a site with its state; empty before the first.
    first
        For each site, whether its present life is its first one.
    seen
        For each site, its items and its silence by its last frame; the silence is `GONE` if it has left in order.
    unknown
        For each site, an upper bound on the items that were lost with its state.
    processes
        For each site, the numbers of the last processes that were taken in as this site.
    counts
        The answers so far while all sites begin anew; otherwise None.
    patient
        Whether the server waits for sites that have not come yet; otherwise they are absent.
    """

    def __init__(self, protocol: Protocol, k: int, seed: Any, start: int = 0) -> None:
        self.protocol, self.k, self.start = protocol, k, start
        self.rng = np.random.default_rng(seed)
        self._coins = self.rng.spawn(1)[0]
        """Of the stand-ins."""
        counts = even_start(start, k)
        self.server: Any = protocol.server(k, self.rng, counts if start else ())
        self.sessions, self.tickets = [Session() for _ in range(k)], [Tickets() for _ in range(k)]
        self.ledger = Ledger(k, MOST, protocol.kind)
        self.names, self.first = [""] * k, [True] * k
        self.seen = [(count, GONE) for count in counts]
        self.items = start
        """Sum of the items in `seen`."""
        self.unknown = [0] * k
        self.processes: list[list[int]] = [[] for _ in range(k)]
        self._lives = [""] * k
        """The name of each site's last life, also of one that was given up; empty if it has never come."""
        self._here: set[int] = set()
        """Sites that have come to the present process."""
        self._missed: set[int] = set()
        """Sites that have not come since the server was found to have lost what it knew."""
        self.patient = True
        self.counts: dict[int, int] | None = None
        self._start, self._starts = counts if start else (), 0
        """The counts of the present start, and its number."""
        self._answered = [0] * k
        """For each site, the last start that it has answered for."""
        self._stand_ins: Sequence[Site] = ()
        self.above = 0
        """Number of windows of a quota, or slots, at whose end more was counted than may be admitted at once."""
        self.in_doubt, self._doubted = 0, -1
        """Number of windows, or slots, in which the server had lost what was spent, and the last one."""
        self.output, self.items_then, self.changes = self.server.output, start, 0
        """The output, the items that the server knew of when it last changed, and how often it has."""

    def _see(self, site: int, items: int, silence: int) -> None:
        self.items += items - self.seen[site][0]
        self.seen[site] = items, silence

    def unreported(self, site: int) -> int:
        """Return the maximum number of items of a connected site unknown to the server, but for messages in transit.

        It is one more than the silence of the site, the number that it takes without a message, and 0 if it takes none.
        """
        return min(MOST, self.seen[site][1] + 1)

    def apply(self, event: Event) -> Sent:
        """Apply an event, named after a method, such as ``message`` or ``turn``.

        Raises
        ------
        NonsenseError
            The protocol has no use for it. The state may have changed, the same way whenever the event is applied.
        """
        name, *values = event
        sent: Sent = []
        try:
            self._post(getattr(self, name)(*values), sent)
            self._post(self._started(), sent)
        except NonsenseError:
            raise
        except Exception as error:
            raise NonsenseError(f"a message that {self.protocol.kind} does not understand ({error!r})") from error
        for site, _, message in sent:
            self.ledger.count_down(site, message)
        if self.counts is None and self.server.output != self.output:
            self.output, self.items_then = self.server.output, self.items
            self.changes += 1
        return sent

    def _post(self, letters: Letters, sent: Sent) -> None:
        """Put messages into the sessions of their receivers; those of absent sites are answered here."""
        waiting = deque(letters)
        while waiting:
            receiver, message = waiting.popleft()
            self.ledger.broadcasts += receiver == EVERYONE
            for site in range(self.k) if receiver == EVERYONE else (receiver,):
                if not self.is_absent(site):
                    sent.append((site, self.sessions[site].send(message), message))
                elif message.kind not in (RECOUNT.kind, ANEW):
                    waiting.extend(self._answer(site, message))

    # ------------------------------------------------------------------ absent sites and new starts

    def is_absent(self, site: int) -> bool:
        """Return whether the server plays this site."""
        if isinstance(self.protocol, Quota):
            return False
        if not self.names[site]:
            return not self.patient
        return self.names[site] == FORGOTTEN or self.seen[site][1] == GONE

    def _answer(self, site: int, message: Message) -> Letters:
        """Have the stand-in of an absent site hear a message; return what the server replies to its answers."""
        if self.counts is not None:
            return ()
        if self.names[site] not in ("", FORGOTTEN):
            return self._recount()  # it has left with the state that this message is for
        self.names[site] = FORGOTTEN
        self._stand_ins = self._stand_ins or self.protocol.sites(self.k, self._coins, self._start)
        answers = self._stand_ins[site].hear(message)
        return [letter for answer in answers for letter in self.server.hear(site, answer)]

    def _recount(self, site: int = EVERYONE) -> Letters:
        """Ask all sites for their counts; if they are being asked already, only this one."""
        if self.counts is None or site == EVERYONE:
            self.counts, self._starts, site = {}, self._starts + 1, EVERYONE
            self._give_up_absent()
        else:
            self.counts.pop(site, None)
        return ((site, Message(RECOUNT.kind, self._starts)),)

    def _give_up_absent(self) -> None:
        """Drop the lives of absent sites: in the next start the server plays these sites."""
        self._stand_ins = ()
        for site in range(self.k):
            if self.is_absent(site):
                self.names[site], self.sessions[site] = FORGOTTEN, Session()

    def _started(self) -> Letters:
        """Begin anew once the answers of all sites are in that are not absent."""
        if self.counts is None or not all(site in self.counts or self.is_absent(site) for site in range(self.k)):
            return ()
        counts = [self.seen[site][0] if self.is_absent(site) else self.counts[site] for site in range(self.k)]
        self._give_up_absent()
        self.counts, self._start = None, counts
        self.server = self.protocol.server(self.k, self.rng, counts)
        return ((EVERYONE, Message(ANEW, tuple(counts), self.k)),)

    # ------------------------------------------------------------------ events

    def wake(self) -> Letters:
        """Begin a process: what it sends to a site from here on, no earlier one has sent."""
        self._here.clear()
        for session in self.sessions:
            session.limit = session.sent if session.limit is None else session.limit
        return ()

    def _come(self, site: int, process: int) -> None:
        """Note that a process is taken in as a site.

        If it was before, and another one since, they had copies of one journal: the items of that one are lost.
        """
        if process in self.processes[site][:-1]:
            self.unknown[site] = MOST
        if process not in self.processes[site][-1:]:
            self.processes[site] = [*self.processes[site][1 - REMEMBERED :], process]
        self._here.add(site)

    def doubt(self, site: int) -> Letters:
        """Note that a process of a site was refused, which was taken in before: its items may be lost."""
        self.unknown[site] = MOST
        return ()

    def _miss(self) -> None:
        """Note that the server has lost what it knew: sites that have not come since may have had items."""
        for site in set(range(self.k)) - self._here:
            self._missed |= {site} if not self.unknown[site] else set()
            self.unknown[site] = MOST

    def begin(self, site: int, name: str, items: int, kept: int, ticket: int = 0, process: int = 0) -> Letters:
        """Begin a life of a site that reports these items: its first one, or one after a loss of state.

        If the site has `kept` its state, no items are lost: either end has given up the other, or the server has lost
        its own state.
        """
        known, self.names[site] = self.names[site], name
        before, self._lives[site] = self._lives[site], name
        if kept == 1 and not (known == FORGOTTEN and before):
            self._miss()
        if kept:
            self._return(site)
        self._come(site, process)
        self.first[site] = not known and not kept
        if self.first[site]:
            self._welcomed(site, ticket)
            self._see(site, self.seen[site][0], 0)
            asked = self.counts is not None and not isinstance(self.protocol, Quota)
            return self._recount(site) if asked else ()  # it was absent when the others were asked
        if known and not kept and isinstance(self.server, QuotaServer):
            self.server.lose(site)
        if before not in ("", name) and not kept and self.seen[site][1] != GONE:  # with its name, it had no state yet
            self.unknown[site] = MOST  # cut off, it takes items beyond its silence
        if kept and isinstance(self.server, QuotaServer) and self._doubted != self.server.window:
            self.in_doubt, self._doubted = self.in_doubt + 1, self.server.window
        self.sessions[site] = Session()
        self.tickets[site] = self.tickets[site] if kept else Tickets()
        self.tickets[site].begin(ticket)
        self._see(site, max(items, self.seen[site][0]), 0)
        if isinstance(self.protocol, Quota):
            return ()
        self._answered[site] = -1
        return self._recount(site)

    def _return(self, site: int) -> None:
        """Note that a site has its state, if it was missed."""
        if site in self._missed:
            self._missed.discard(site)
            self.unknown[site] = 0

    def welcome(self, site: int, ticket: int, process: int, number: int, items: int, silence: int) -> Letters:
        """Take a site in again whose session goes on; it has received the messages up to this number."""
        self._return(site)
        self._come(site, process)
        self.sessions[site].acknowledged(number)
        self._see(site, items, silence)
        self._welcomed(site, ticket)
        return ()

    def _welcomed(self, site: int, ticket: int) -> None:
        self.tickets[site].offer(ticket)
        self.sessions[site].limit = None

    def forget(self, site: int) -> Letters:
        """Give up a disconnected site, with the messages that wait for it; it must begin another life."""
        self.names[site], self.sessions[site] = FORGOTTEN, Session()
        return () if isinstance(self.protocol, Quota) else self._recount()

    def go_on(self) -> Letters:
        """Wait no longer for sites that have not come: their stand-ins hear what was sent to them."""
        self.patient = False
        letters = []
        for site, session in enumerate(self.sessions):
            if not self.names[site] and not isinstance(self.protocol, Quota):
                letters += [(site, message) for _, message in session.waiting]
                self.sessions[site] = Session()
        return letters

    def message(self, site: int, number: int, kind: str, value: Any, words: int, items: int, silence: int) -> Letters:
        """Receive a message of a site, once."""
        self.tickets[site].confirm()
        if not self.sessions[site].is_new(number):
            return ()
        message = Message(kind, value, words)
        self._see(site, items, silence)
        self.ledger.count_up(site, message)
        if not isinstance(self.protocol, Quota):
            if kind == RECOUNTED:
                return self._recounted(site, *value)
            if self.counts is not None or self._answered[site] != self._starts:
                return ()  # of an earlier start
        letters: Letters = self.server.hear(site, message)
        return letters

    def _recounted(self, site: int, start: int, items: int) -> Letters:
        """Take a site's answer."""
        if not isinstance(items, int) or not 0 <= items <= MOST:
            raise NonsenseError("an invalid count")
        self._answered[site] = start
        if self.counts is not None and start == self._starts:
            self.counts[site] = items
        return ()

    def heard(self, site: int, number: int, items: int, silence: int) -> Letters:
        """Take a site's acknowledgement of the messages up to this number."""
        self.tickets[site].confirm()
        self.sessions[site].acknowledged(number)
        self._see(site, items, silence)
        return ()

    def leave(self, site: int, number: int, items: int) -> Letters:
        """Let a site go that takes no more items; if it has not heard all, the others begin anew without it."""
        self.heard(site, number, items, GONE)
        letters: Letters = ()
        if self.sessions[site].waiting and not isinstance(self.protocol, Quota) and self.counts is None:
            letters = self._recount()
        if self.patient and all(silence == GONE for _, silence in self.seen):
            return [*letters, *self.go_on()]  # nobody is left that could wait for them
        return letters

    def turn(self, window: int) -> Letters:
        """Begin a window of a quota, or a slot; those in between were missed by a server that was down."""
        assert isinstance(self.server, QuotaServer)
        self.above += self.server.now_spent > self.protocol.pool  # type: ignore[attr-defined]
        self.server.window = window - 1
        letters: Letters = self.server.turn()
        return letters
