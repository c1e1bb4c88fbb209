"""Sites and the server as folds: messages in order and once, and a state that the journal brings back."""

from __future__ import annotations

import itertools
import random
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from every_protocol import every_protocol

from disttrack.fleet.live import journal
from disttrack.fleet.live.entries import entry_of, protocol_of
from disttrack.fleet.live.frames import VERSION, NonsenseError, pack
from disttrack.fleet.live.greeting import Greeting, event_of
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.requests import Pace
from disttrack.fleet.live.server_state import ServerState
from disttrack.fleet.live.session import Session
from disttrack.fleet.live.site_state import MOST, SiteState
from disttrack.fleet.quotas import CountdownQuota, Quota
from disttrack.protocols import Deterministic, Martingale, PrivateCopies, Protocol, Randomized, Robust
from disttrack.protocols.sites import Message
from disttrack.simulator.errors import RunError

K = 3
TRACKERS = (
    Deterministic(alpha=0.1), Martingale(alpha=0.1), Randomized(alpha=0.1), Robust(alpha=0.1, delta=0.05),
    PrivateCopies(alpha=0.1, delta=0.05),
)  # fmt: skip
"""The last two have a state that cannot be stored: their journals keep all events."""


class Fleet:
    """A server and its sites, each with a journal, whose messages travel at once; any of them may be brought back."""

    def __init__(self, protocol: Protocol, folder: Path | None, seed: int) -> None:
        self.folder = folder
        self.server = self._kept("server")
        self.server.begin(ServerState, {}, protocol=protocol, k=K, seed=[seed, K])
        self.sites = []
        for number in range(K):
            kept = self._kept(str(number))
            kept.begin(SiteState, {"site": number}, protocol=protocol, k=K, number=number, seed=[seed, number])
            self.sites.append(kept)
            self.server.apply(("begin", number, f"life {number}", 0, 0))
        self.heard: list[Any] = []

    def _kept(self, name: str) -> Kept:
        return Kept(None if self.folder is None else self.folder / name)

    def bring_back(self, which: int) -> None:
        """Replace the server (-1) or a site by what its journal says."""
        kept = self.server if which < 0 else self.sites[which]
        kept.close()
        again = self._kept("server" if which < 0 else str(which))
        if which < 0:
            self.server = again
        else:
            self.sites[which] = again

    def take(self, site: int, items: int) -> None:
        """Give a site items, and deliver until all is quiet."""
        ups = self._up(site, self.sites[site].apply(("take", items)))
        while ups:
            where, number, message = ups.pop(0)
            self.heard.append((where, message.kind))
            downs = self.server.apply(("message", where, number, *message, *self.sites[where].part.state))
            self.server.commit()
            self.sites[where].part.session.acknowledged(number)
            for receiver, down, told in downs:
                ups += self._up(receiver, self.sites[receiver].apply(("hear", down, *told)))
                self.server.apply(("heard", receiver, down, *self.sites[receiver].part.state))

    def _up(self, site: int, sent: Any) -> list[tuple[int, int, Message]]:
        self.sites[site].commit()
        return [(site, number, message) for _, number, message in sent]


@pytest.mark.parametrize("protocol", TRACKERS, ids=lambda one: one.kind)
def test_what_a_journal_brings_back_goes_on_as_if_nothing_had_happened(
    protocol: Protocol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Coins included: both fleets have the same seeds, and one of them is brought back after each item or so."""
    monkeypatch.setattr(journal, "EVERY", 50)  # so that states are stored too
    rng = random.Random(5)
    plain, kept = Fleet(protocol, None, seed=7), Fleet(protocol, tmp_path, seed=7)
    for _ in range(200):
        site, items = rng.randrange(K), rng.choice((1, 1, 2, 30))
        plain.take(site, items)
        kept.take(site, items)
        if rng.random() < 0.2:
            kept.bring_back(rng.randrange(-1, K))
        assert kept.heard == plain.heard
        assert float(kept.server.part.output) == float(plain.server.part.output)
    assert kept.server.part.seen == plain.server.part.seen


def test_a_journal_is_refused_in_one_line_if_it_is_none_or_in_use(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no journal " * 100)
    with pytest.raises(RunError, match="text: no journal of this version"):
        Kept(tmp_path / "text")
    with pytest.raises(RunError, match="cannot be used as a journal"):
        Kept(tmp_path / "nowhere" / "file")
    first = Kept(tmp_path / "good")
    first.begin(SiteState, {}, protocol=TRACKERS[0], k=1, number=0, seed=1)
    with pytest.raises(RunError, match="cannot be used as a journal: another process uses it"):
        Kept(tmp_path / "good")
    first.close()
    assert Kept(tmp_path / "good").part.machine.items == 0


def test_messages_come_in_order_and_once() -> None:
    session = Session()
    assert [session.is_new(number) for number in (1, 1, 2, 1, 3)] == [True, False, True, False, True]
    with pytest.raises(NonsenseError, match="message 5 after message 3"):
        session.is_new(5)
    assert [session.send(Message("bit")) for _ in range(3)] == [1, 2, 3]
    session.acknowledged(2)
    assert [number for number, _ in session.waiting] == [3]
    with pytest.raises(NonsenseError, match="acknowledgement of message 4"):
        session.acknowledged(4)


@pytest.mark.parametrize("protocol", TRACKERS[:2], ids=lambda one: one.kind)
def test_a_site_without_its_state_makes_all_begin_anew_with_what_was_known(protocol: Protocol) -> None:
    fleet = Fleet(protocol, None, seed=3)
    for step in range(3_000):
        fleet.take(step % K, 1)
    known, quota = fleet.server.part.seen[1]
    lost = fleet.sites[1].part.machine.items - known
    sent = fleet.server.apply(("begin", 1, "another life", 0, 0))
    assert fleet.server.part.unknown[1] == MOST > quota  # cut off, it may have taken any number
    fleet.sites[1].begin(
        SiteState, {}, protocol=protocol, k=K, number=1, seed=9, items=fleet.server.part.seen[1][0], returned=True
    )
    ups = []
    for receiver, number, message in sent:
        fleet.take(receiver, 10)  # items go on coming
        ups += [(receiver, *one[1:]) for one in fleet.sites[receiver].apply(("hear", number, *message))]
    for where, number, message in ups:
        for receiver, down, told in fleet.server.apply(("message", where, number, *message, 0, 0)):
            fleet.sites[receiver].apply(("hear", down, *told))
    assert fleet.server.part.counts is None
    counted = sum(site.part.machine.items for site in fleet.sites)
    assert counted == 3_000 - lost + 10 * K
    assert abs(fleet.server.part.output - counted) <= 0.1 * counted


def test_nonsense_leaves_a_line_and_a_server_that_goes_on() -> None:
    fleet = Fleet(Deterministic(alpha=0.1), None, seed=1)
    fleet.take(0, 100)
    for value in ("many", None, (1, 2), -1.5):
        number = fleet.server.part.sessions[0].received + 1
        with suppress(NonsenseError):
            fleet.server.apply(("message", 0, number, "report", value, 1, 0, 0))
    with pytest.raises(NonsenseError, match="a message that deterministic does not understand"):
        fleet.server.apply(("message", 7, 1, "report", None, 1, 0, 0))
    fleet.take(1, 50)
    assert fleet.server.part.server.output > 0


def test_every_shipped_protocol_can_be_named_to_a_site() -> None:
    named = every_protocol()
    assert len(named) > 15
    for name, protocol in named.items():
        assert protocol_of(entry_of(protocol)) == protocol, name
    others = {"kind": "frequency-deterministic", "alpha": 0.1}, {"kind": "binary", "epsilon": 1, "horizon": 9}
    wrong = {"kind": "deterministic"}, {"kind": "deterministic", "alpha": 7}, {}
    for entry in ({"kind": "own.py:Mine"}, *wrong, *others):
        with pytest.raises(NonsenseError):
            protocol_of(entry)


def test_what_a_message_cannot_carry_is_refused_when_it_is_packed() -> None:
    with pytest.raises(TypeError, match="cannot carry a generator"):
        pack(one for one in itertools.count())


def test_windows_above_the_limit_and_steps_with_several_requests_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """`countdown` admits more than its limit when requests share a step; these requests are counted and stated."""
    protocol, k = CountdownQuota(limit=50, window=1_000), 3
    server = ServerState(protocol, k, seed=1)
    sites = [SiteState(protocol, k, number, seed=1) for number in range(k)]
    for number in range(k):
        server.apply(("begin", number, f"life {number}", 0, 0))
    sent = [message for site in sites for _ in range(60) for message in site.apply(("request", 1))]
    assert sum(site.site.admitted for site in sites) == 150
    for number, place, message in sent:
        server.apply(("message", number, place, *message, 0, 0))
    assert server.above == 0
    server.apply(("turn", 1))
    server.apply(("turn", 2))
    assert server.above == 1
    pace, now = Pace(), iter((0.0, 0.0004, 0.0011, 0.0012, 0.0013, 0.0031))
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    for _ in range(6):
        pace.request(0.001)
    assert pace.crowded == 3


def test_a_site_that_died_while_it_was_cut_off_leaves_no_bound() -> None:
    """Seen: 956 stated, where 2,000,000 were true."""
    fleet = Fleet(Deterministic(alpha=0.1), None, seed=1)
    fleet.take(0, 900)
    for _ in range(5):
        fleet.sites[0].apply(("take", 400_000))  # what it sends does not arrive
    fleet.server.apply(("begin", 0, "another life", 0, 0))
    assert fleet.server.part.unknown[0] == MOST


def test_a_server_that_is_asked_twice_drops_what_belongs_to_an_earlier_start() -> None:
    """An answer to the first question, and what was sent after it, must not be taken for the second one's."""
    server = ServerState(Deterministic(alpha=0.1), 2, seed=1)
    for number in range(2):
        server.apply(("begin", number, f"life {number}", 0, 0))
    server.apply(("message", 0, 1, "report", None, 1, 1, 0))
    assert server.output == 1
    server.apply(("forget", 0))
    asked = server.apply(("begin", 0, "again", 5, 1))
    assert [message.value for _, _, message in asked] == [1]  # only this one: the other has been asked
    server.apply(("forget", 0))
    server.apply(("begin", 0, "once more", 7, 1))
    server.apply(("message", 1, 1, "recounted", (1, 3), 1, 3, 0))  # of the question before
    server.apply(("message", 0, 1, "recounted", (2, 7), 1, 7, 0))
    assert server.counts == {0: 7}
    server.apply(("message", 1, 2, "recounted", (2, 4), 1, 4, 0))
    assert server.counts is None
    assert server.output == 11
    with pytest.raises(NonsenseError):
        server.apply(("message", 1, 3, "recounted", (2, -4), 1, 4, 0))


@pytest.mark.parametrize("kind", ["anew", "recount"])
@pytest.mark.parametrize("protocol", [one for one in every_protocol().values() if isinstance(one, Quota)], ids=str)
def test_a_message_of_a_quota_is_none_of_the_deployment(protocol: Quota, kind: str) -> None:
    """Seen: `anew` of tokens, after a cut of several windows, was taken for a new start of a tracker.

    It replaced the site by one whose clock stood at 0, and each later request waited for that to catch up.
    """
    part = SiteState(protocol, 2, 0, seed=1)
    part.apply(("join", 700))
    before, own = part.site.window, part.site
    with suppress(Exception):  # not of its kind
        part.apply(("hear", 1, kind, (0, 0, 0), 1))
    assert part.site is own
    assert part.site.window == before == 700


def test_greetings_of_given_up_connections_may_come_late() -> None:
    """They come before the one that the site waits on, or after it: only the last ticket that the site has counts."""
    server, new = ServerState(Deterministic(alpha=0.1), 1, seed=1), itertools.count(1)

    def greet(ticket: int) -> int:
        given = next(new)
        event, _ = event_of(server, Greeting(VERSION, "", 0, "life", 5, 1, ticket, 0, 0, 0, 0, 0, ()), given)
        server.apply(event)
        return given

    assert [greet(0), greet(0), greet(1), greet(2), greet(0)] == [1, 2, 3, 4, 5]
    server.apply(("heard", 0, 0, 0, 0))
    for ticket in range(5):
        with pytest.raises(NonsenseError, match="a copy with which another process has gone on"):
            greet(ticket)
    assert greet(5) > 5


def test_a_server_that_has_lost_its_state_states_what_absent_sites_may_have_had() -> None:
    """Seen: a site had left with 6,000 items, the server lost its journal, and stated that nothing was unknown."""
    server = ServerState(Deterministic(alpha=0.1), 3, seed=1)
    server.apply(("wake",))
    server.apply(("begin", 0, "life", 0, 0, 1, 10))
    assert not any(server.unknown)
    server.apply(("begin", 1, "with its state", 900, 1, 2, 11))
    assert server.unknown == [0, 0, MOST]  # site 0 has come to this process, site 2 may have had items
    server.apply(("begin", 2, "with its state too", 6_000, 1, 3, 12))
    assert not any(server.unknown)
    server.apply(("forget", 2))
    server.apply(("begin", 2, "with its state too", 6_000, 1, 4, 12))  # it was given up: the server has lost nothing
    server.apply(("wake",))
    server.apply(("begin", 0, "life", 50, 2, 5, 10))  # it has given up its session: the server has lost nothing
    assert not any(server.unknown)


@pytest.mark.parametrize("refused", [False, True])
def test_items_of_a_process_that_a_copy_has_displaced_are_stated(refused: bool) -> None:
    """Seen: a copy was taken in for 0.1 s while the first was cut off; its 700 items were lost without a word."""
    server = ServerState(Deterministic(alpha=0.1), 1, seed=1)
    server.apply(("begin", 0, "life", 0, 0, 1, 10))
    for process in (11, 12, 12):  # started again
        server.apply(("welcome", 0, 2, process, 0, 5, 0))
    assert not any(server.unknown)
    server.apply(("doubt", 0) if refused else ("welcome", 0, 3, 11, 0, 5, 0))
    assert server.unknown == [MOST]


def test_a_site_that_first_comes_while_the_others_are_asked_is_asked_too() -> None:
    """Seen: the server waited for its answer for ever, and the estimate stayed at 0."""
    server = ServerState(Deterministic(alpha=0.1), 2, seed=1)
    server.apply(("wake",))
    server.apply(("begin", 0, "with its state", 900, 1, 1, 10))  # the server has lost its own
    server.apply(("go_on",))
    asked = server.apply(("begin", 1, "new", 0, 0, 2, 11))
    assert [(site, message.kind) for site, _, message in asked] == [(1, "recount")]
    server.apply(("message", 0, 1, "recounted", (1, 900), 1, 900, 0))
    server.apply(("message", 1, 1, "recounted", (1, 0), 1, 0, 0))
    assert server.counts is None
    assert server.output == 900


def test_a_site_whose_first_answer_was_lost_has_lost_nothing() -> None:
    """Seen: the server had played it, its answer to the greeting was lost, and its items were stated as unknown."""
    server = ServerState(Deterministic(alpha=0.1), 2, seed=1)
    server.apply(("begin", 0, "life", 0, 0, 1, 10))
    server.apply(("forget", 1))
    for ticket in (2, 3):
        server.apply(("begin", 1, "new", 0, 0, ticket, 11))
    assert not any(server.unknown)
    server.apply(("begin", 1, "newer", 0, 0, 4, 12))
    assert server.unknown == [0, MOST]


@pytest.mark.parametrize("forgotten", [False, True])
def test_an_older_journal_is_recognised_whatever_its_site_has_taken_since(forgotten: bool) -> None:
    """Seen: while the server was down it took more items than had been lost, and these were lost without a word."""
    server, site = ServerState(Deterministic(alpha=0.1), 1, seed=1), SiteState(Deterministic(alpha=0.1), 1, 0, seed=2)
    server.apply(("begin", 0, "life", 0, 0, 1, 10))
    site.apply(("welcome", 1))
    old = deepcopy(site)

    def greet(one: SiteState, process: int) -> None:
        starts = tuple(itertools.chain.from_iterable(one.starts))
        hello = Greeting(VERSION, "", 0, "life", process, 1, 1, *one.session.numbers, *one.state, starts)
        server.apply(event_of(server, hello, 2)[0])

    for _, number, message in site.apply(("take", 100)):
        server.apply(("message", 0, number, *message, *site.state))
    if forgotten:
        server.apply(("forget", 0))
    for process in (11, 12):  # it starts, takes items, and starts again
        old.apply(("start", process))
        old.apply(("take", 500))
        with pytest.raises(NonsenseError, match="its journal is older than what the server knows"):
            greet(old, process)
    for process in (13, 14):  # the answers to its greetings are lost
        site.apply(("start", process))
        site.apply(("take", 500))
        for _ in range(2):
            greet(site, process)
