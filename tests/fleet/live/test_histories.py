"""Random histories of connections, kills, old journals and copies, as states alone: what was taken is counted once."""

from __future__ import annotations

import random
from collections import Counter
from copy import deepcopy

import pytest

from disttrack.fleet.live.frames import VERSION, NonsenseError
from disttrack.fleet.live.greeting import Greeting, event_of
from disttrack.fleet.live.server_state import ServerState
from disttrack.fleet.live.site_state import SiteState
from disttrack.protocols import Deterministic, Martingale, Protocol

K = 2


class History:
    """A server and its sites as their journals say, and what happens to them.

    Attributes
    ----------
    copied
        The sites that have gone on from an old journal or a copy.
    happened
        How often each of the rare things did.
    """

    def __init__(self, protocol: Protocol, seed: int) -> None:
        self.rng = random.Random(seed)
        self.server = ServerState(protocol, K, seed=[seed, K])
        self.sites = [SiteState(protocol, K, number, seed=[seed, number]) for number in range(K)]
        self.copied: set[int] = set()
        self.refused: set[int] = set()
        self.happened: Counter[str] = Counter()
        self._backups = [deepcopy(self.server)], [[deepcopy(site)] for site in self.sites]
        for number in range(K):
            self.connect(number, whole=True)

    def connect(self, number: int, whole: bool) -> None:
        """Have a site greet the server; unless it is a `whole` connection, that may break at any message."""
        site = self.sites[number]
        hello = Greeting(
            VERSION, "", number, f"life {number}", 1, 1, site.ticket, *site.session.numbers, *site.state, ()
        )
        ticket = self.rng.getrandbits(60)
        try:
            event, known = event_of(self.server, hello, ticket)
        except NonsenseError:
            self.refused.add(number)
            return
        self.happened["begins anew"] += not known
        self.server.apply(event)
        if not whole and self.rng.random() < 0.3:
            self.happened["welcome lost"] += 1
            return
        if not known:
            site.apply(("forget",))
        session = self.server.sessions[number]
        site.apply(("welcome", ticket))
        site.session.acknowledged(session.received)
        self.server.apply(("heard", number, site.session.received, *site.state))
        self._talk(number, whole)

    def _talk(self, number: int, whole: bool) -> None:
        """Exchange messages until none waits, or until the connection breaks."""
        site = self.sites[number]
        while site.session.waiting or self.server.sessions[number].waiting:
            for place, message in tuple(site.session.waiting):
                if not whole and self.rng.random() < 0.1:
                    return
                self.server.apply(("message", number, place, *message, *site.state))
            site.session.acknowledged(self.server.sessions[number].received)
            for place, message in tuple(self.server.sessions[number].waiting):
                if not whole and self.rng.random() < 0.1:
                    return
                site.apply(("hear", place, *message))
            self.server.apply(("heard", number, site.session.received, *site.state))

    def step(self) -> None:
        """Have something happen."""
        number = self.rng.randrange(K)
        match self.rng.choice(
            ["take", "take", "connect", "connect", "save", "server", "old server", "old site", "drop"]
        ):
            case "take":
                self.sites[number].apply(("take", self.rng.choice([1, 5, 200])))
            case "connect":
                self.connect(number, whole=False)
            case "save":
                self._backups[0].append(deepcopy(self.server))
                self._backups[1][number].append(deepcopy(self.sites[number]))
            case "server":
                self.server.apply(("wake",))
            case "drop" if self.rng.random() < 0.3:
                self.sites[number].apply(("give_up",))
            case "old server" if self.rng.random() < 0.3:
                self.server = deepcopy(self.rng.choice(self._backups[0]))
                self.server.apply(("wake",))
                self.happened["old server"] += 1
            case "old site" if self.rng.random() < 0.1:
                self.sites[number] = deepcopy(self.rng.choice(self._backups[1][number]))
                self.sites[number].apply(("start", 1))
                self.copied.add(number)
                self.happened["old site"] += 1


def check(protocol: Protocol, seed: int, happened: Counter[str]) -> None:
    """Play a history, connect all, and hold the count against what the sites have."""
    history = History(protocol, seed)
    for _ in range(history.rng.choice([5, 20, 60])):
        history.step()
        if history.refused:
            break
    for _ in range(3):  # a site that begins anew asks the others, too
        for number in range(K):
            if number not in history.refused:
                history.connect(number, whole=True)
    happened += history.happened
    happened["refused"] += bool(history.refused)
    assert history.refused <= history.copied
    if history.refused:
        return
    server, counted = history.server, sum(site.machine.items for site in history.sites)
    assert server.counts is None
    assert server.items == counted
    assert abs(float(server.output) - counted) <= 0.1 * counted


@pytest.mark.parametrize(
    "protocol", [Deterministic(alpha=0.1), Martingale(alpha=0.1, delta=1e-9)], ids=lambda one: one.kind
)
def test_what_sites_have_is_counted_whatever_has_happened_to_journals(protocol: Protocol) -> None:
    """Only a site that goes on from an old journal is refused, and none is cut off for ever."""
    happened: Counter[str] = Counter()
    for seed in range(150):
        check(protocol, seed, happened)
    least = {"begins anew": 50, "welcome lost": 100, "old server": 50, "old site": 20, "refused": 10}
    assert {name: number for name, number in least.items() if happened[name] < number} == {}
