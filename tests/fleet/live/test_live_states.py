"""Sites and the server as folds: messages in order and once, and a state that the journal brings back."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from every_protocol import every_protocol
from quick_fleet import Fleet as QuickFleet

from disttrack.fleet.live import journal
from disttrack.fleet.live.frames import NonsenseError, Session, entry_of, protocol_of
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.requests import Pace
from disttrack.fleet.live.server_state import ServerState
from disttrack.fleet.live.site_state import MOST, SiteState
from disttrack.fleet.quotas import CountdownQuota, Lease, Quota
from disttrack.protocols import Deterministic, Martingale, PrivateCopies, Protocol, Randomized, Robust
from disttrack.protocols.base import Message
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


@pytest.mark.parametrize("kind", [CountdownQuota, Lease])
def test_longer_limits_hold_for_sites_that_come_late_and_after_missed_windows(kind: type[Quota]) -> None:
    """Seen: `countdown-quota` numbered windows from the moment at which a site came, and reports were dropped.

    And after a pause over the end of a longer window, servers went on with what was spent in the one before.
    """
    fleet = QuickFleet(kind(limit=4, window=10, limits="6/40"), k=2)  # type: ignore[call-arg]
    admitted = {}
    for window in (5, 6, 7, 9, 10, 11):
        if window in (5, 9):  # the server begins it after some that it has missed, and the sites come then
            fleet.server.window = window - 1
        for receiver, message in fleet.server.turn():
            for site in range(2) if receiver < 0 else (receiver,):
                fleet.send([(site, one) for one in fleet.sites[site].site.hear(message)])
        for site in range(2):
            if window in (5, 9):
                fleet.do(site, "act", "leave", True)
                fleet.do(site, "join", window)
            else:
                fleet.do(site, "act", "turn")
        for number in range(20):
            fleet.request(number % 2)
        admitted[window] = sum(part.site.admitted for part in fleet.sites)
    assert admitted == {5: 4, 6: 6, 7: 6, 9: 10, 10: 12, 11: 12}
