"""Header fields of a quota: what a site knows, and the seconds after which it could admit again, are honest."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

from disttrack.fleet.live.admission import limits
from disttrack.fleet.live.reservations import Reservations
from disttrack.fleet.quotas import (
    BucketLease,
    Central,
    CountdownQuota,
    HybridQuota,
    Lease,
    PeriodicQuota,
    Quota,
    SlidingLease,
    Split,
)
from disttrack.fleet.quotas.sites import QuotaSite
from disttrack.protocols.base import EVERYONE, Message

RULE = {"limit": 12, "window": 60}
QUOTAS = (
    Split(**RULE),
    Lease(**RULE),
    HybridQuota(**RULE),
    CountdownQuota(**RULE),
    PeriodicQuota(**RULE, every=10),
    PeriodicQuota(**RULE, every=10, shape="sliding"),
    PeriodicQuota(**RULE, every=10, shape="bucket", depth=6),
    Central(**RULE, shape="sliding", slots=12),
    Central(**RULE, shape="bucket", depth=6, slots=12),
    SlidingLease(**RULE, slots=12),
    SlidingLease(**RULE, costs=3, slots=12),
    BucketLease(**RULE, depth=6, slots=12),
)


class Fleet:
    """Sites and their server, whose messages take no time, by a clock of one second a step."""

    def __init__(self, protocol: Quota, k: int = 1) -> None:
        rng = np.random.default_rng(1)
        self.rule, self.now = protocol, 0
        self.sites = protocol.sites(k, rng)
        self.server: Any = protocol.server(k, rng)

    @property
    def site(self) -> Any:
        """The first site."""
        return self.sites[0]

    def send(self, sender: int, messages: Any) -> None:
        up: deque[tuple[int, Message]] = deque((sender, message) for message in messages)
        while up:
            self.deliver(self.server.hear(*up.popleft()), up)

    def deliver(self, letters: Any, up: deque[tuple[int, Message]]) -> None:
        for receiver, message in letters:
            for site in self.sites if receiver == EVERYONE else [self.sites[receiver]]:
                up.extend((site.number, answer) for answer in site.hear(message))

    def step(self, asks: bool, number: int = 0) -> bool:
        """Play a step, with a request to a site or without; return whether it was admitted."""
        self.now += 1
        site = self.sites[number]
        before = site.admitted
        if asks:
            self.send(number, site.take(1))
        admitted = bool(site.admitted > before)
        if self.now % self.rule.period == 0:
            up: deque[tuple[int, Message]] = deque()
            self.deliver(self.server.turn(), up)
            for sender, message in up:
                self.send(sender, [message])
            for one in self.sites:
                self.send(one.number, one.turn())
        for one in self.sites:
            first, every = self.rule.moments(one.number, len(self.sites)).get("flush", (0, 0))
            if every and self.now >= first and (self.now - first) % every == 0:
                self.send(one.number, one.flush())
        return admitted

    def fields(self, number: int = 0) -> dict[str, str]:
        return limits(self.sites[number], self.rule.price, 1.0, float(self.now))


@pytest.mark.parametrize("idle", [False, True])
@pytest.mark.parametrize("protocol", QUOTAS, ids=lambda protocol: f"{protocol.kind}-{protocol.shape}")
def test_a_site_alone_admits_when_it_says_and_not_before(protocol: Quota, idle: bool) -> None:
    """It is asked all the time, or at the stated moment only.

    Of `periodic` for any window, the site knows the moment once a flush has told the server of all its admissions.
    Seen: `periodic` and `central` in other shapes than windows stated the next second for 8 in which nothing came back.
    """
    one = Fleet(protocol)
    refused = 0
    while refused < 20:
        if one.step(asks=True):
            continue
        refused += 1
        wait = int(one.fields()["Retry-After"])
        assert not any(one.step(asks=not idle) for _ in range(wait)), (one.now, wait)
        flushed = protocol.every and protocol.shape != "window" and wait <= protocol.every
        assert one.step(asks=True) or flushed, (one.now, wait)


@pytest.mark.parametrize("protocol", QUOTAS, ids=lambda protocol: f"{protocol.kind}-{protocol.shape}")
def test_a_request_at_the_stated_moment_is_admitted_by_an_idle_fleet(protocol: Quota) -> None:
    """Three sites have spent the limit at different times, and rest; one states when it admits again."""
    admitted = 0
    for pause in range(24):
        fleet = Fleet(protocol, 3)
        for site in (0, 1, 2):
            while fleet.step(asks=True, number=site):
                pass
            for _ in range(pause):
                fleet.step(asks=False)
        while fleet.step(asks=True, number=2):
            pass
        for _ in range(protocol.every or 0):  # so that the server knows of all
            fleet.step(asks=False)
        if fleet.step(asks=True, number=2):
            continue
        wait = int(fleet.fields(2)["Retry-After"])
        for _ in range(wait):
            fleet.step(asks=False)
        assert fleet.step(asks=True, number=2), (pause, fleet.now, wait)
        admitted += 1
    assert admitted >= 4


def test_a_site_says_what_it_may_admit_by_itself() -> None:
    one = Fleet(SlidingLease(**RULE))
    assert one.step(asks=True)
    fields = one.fields()
    assert fields["RateLimit-Policy"] == '"quota";q=12;w=60'
    assert fields["RateLimit"].startswith(f'"quota";r={one.site.left};t=')
    assert limits(one.site, 1, 0.0, 0.0) == {"RateLimit": f'"quota";r={one.site.left}'}


@pytest.mark.parametrize("protocol", QUOTAS, ids=lambda protocol: f"{protocol.kind}-{protocol.shape}")
def test_a_window_is_stated_in_seconds_only_if_it_is_whole(protocol: Quota) -> None:
    """Seen: q=1000;w=1 for a window of half a second, half of the rate, and w=2 for one of 1.5 s."""
    site = Fleet(protocol).sites[0]
    for step, seconds in ((1.0, 60), (0.1, 6), (0.05, 3), (60.0, 3600), (0.025, None), (1 / 120, None), (1e-6, None)):
        policy = limits(site, 1, step, 0.0)["RateLimit-Policy"]
        assert policy == f'"quota";q={protocol.limit}' + (f";w={seconds}" if seconds else ""), step


def test_numbers_that_header_fields_do_not_hold_are_left_out() -> None:
    for limit, stated in ((10**15 - 1, True), (10**15, False)):
        site = PeriodicQuota(limit, 60).sites(1, np.random.default_rng(1))[0]
        fields = limits(site, 1, 1.0, 0.0)
        assert fields["RateLimit"].startswith('"quota";r=999999999999999;t=')
        assert ("RateLimit-Policy" in fields) == stated


@pytest.mark.parametrize("shape", ["sliding", "bucket"])
def test_what_a_lapse_gives_back_is_heard_of_by_a_flush(shape: str) -> None:
    """Seen: status 429 after the wait to the lapse of a reservation, which the server had not been told of."""

    class Lapsing(Reservations):
        def lapse(self, site: QuotaSite) -> int | None:
            return 2

    depth = {"depth": 6} if shape == "bucket" else {}
    rule = PeriodicQuota(**RULE, every=10, shape=shape, reserve=1, settle=7, **depth)
    site = rule.sites(1, np.random.default_rng(1))[0]
    first, every = rule.moments(0, 1)["flush"]
    for now in range(14):
        wait = int(limits(site, 1, 1.0, float(now), Lapsing(), rule.settle)["Retry-After"])
        assert (now + wait - first) % every == 0, now
        assert wait > 0


@pytest.mark.parametrize(("shape", "waits"), [("window", 14), ("sliding", 60), ("bucket", 60)])
def test_what_a_lapse_gives_to_nobody_is_not_waited_for(shape: str, waits: int) -> None:
    """Seen: status 429 after the wait to the lapse of a reservation, of which `central` keeps nothing in a shape."""
    depth = {"depth": 1} if shape == "bucket" else {}
    rule = Central(1, 60, shape=shape, reserve=1, settle=7, **depth)
    site, server = rule.sites(1, np.random.default_rng(1))[0], rule.server(1, np.random.default_rng(1))
    reservations = Reservations()
    for _ in range(2):  # the second one is refused
        (question,) = site.take(1)
        reservations.note_request(site, 1)
        ((_, answer),) = server.hear(0, question)
        site.hear(answer)
        reservations.note_answers(site)
    assert len(reservations.open) == 1
    assert int(limits(site, 1, 1.0, 0.0, reservations, rule.settle)["Retry-After"]) >= waits
    assert int(limits(site, 1, 1.0, 0.0, reservations, rule.settle)["Retry-After"]) <= waits + 1
