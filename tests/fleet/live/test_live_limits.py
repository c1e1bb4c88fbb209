"""Header fields of a quota: what a site knows, and the seconds after which it could admit again, are honest."""

from __future__ import annotations

import numpy as np
import pytest
from quick_fleet import Fleet

from disttrack.fleet import quotas as by
from disttrack.fleet.live.admission import limits
from disttrack.fleet.live.requests import Reservations
from disttrack.fleet.quotas.sites import QuotaSite

RULE = {"limit": 12, "window": 60}
QUOTAS = (
    by.Split(**RULE),
    by.Lease(**RULE),
    by.HybridQuota(**RULE),
    by.CountdownQuota(**RULE),
    by.PeriodicQuota(**RULE, every=10),
    by.PeriodicQuota(**RULE, every=10, shape="sliding"),
    by.PeriodicQuota(**RULE, every=10, shape="bucket", depth=6),
    by.Central(**RULE, shape="sliding", slots=12),
    by.Central(**RULE, shape="bucket", depth=6, slots=12),
    by.SlidingLease(**RULE, slots=12),
    by.SlidingLease(**RULE, costs=3, slots=12),
    by.BucketLease(**RULE, depth=6, slots=12),
)


def fields(fleet: Fleet, number: int = 0) -> dict[str, str]:
    """Return the header fields of a site's answer."""
    return limits(fleet.sites[number].site, fleet.rule.price, 1.0, float(fleet.now))


@pytest.mark.parametrize("idle", [False, True])
@pytest.mark.parametrize("protocol", QUOTAS, ids=lambda protocol: f"{protocol.kind}-{protocol.shape}")
def test_a_site_alone_admits_when_it_says_and_not_before(protocol: by.Quota, idle: bool) -> None:
    """It is asked all the time, or at the stated moment only.

    Of `periodic` for any window, the site knows the moment once a flush has told the server of all its admissions.
    Seen: `periodic` and `central` in other shapes than windows stated the next second for 8 in which nothing came back.
    """
    one = Fleet(protocol, k=1)
    refused = 0
    while refused < 20:
        if one.step(asks=True):
            continue
        refused += 1
        wait = int(fields(one)["Retry-After"])
        assert not any(one.step(asks=not idle) for _ in range(wait)), (one.now, wait)
        flushed = protocol.every and protocol.shape != "window" and wait <= protocol.every
        assert one.step(asks=True) or flushed, (one.now, wait)


@pytest.mark.parametrize("protocol", QUOTAS, ids=lambda protocol: f"{protocol.kind}-{protocol.shape}")
def test_a_request_at_the_stated_moment_is_admitted_by_an_idle_fleet(protocol: by.Quota) -> None:
    """Three sites have spent the limit at different times, and rest; one states when it admits again."""
    admitted = 0
    for pause in range(24):
        fleet = Fleet(protocol)
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
        wait = int(fields(fleet, 2)["Retry-After"])
        for _ in range(wait):
            fleet.step(asks=False)
        assert fleet.step(asks=True, number=2), (pause, fleet.now, wait)
        admitted += 1
    assert admitted >= 4


def test_a_site_says_what_it_may_admit_by_itself() -> None:
    one = Fleet(by.SlidingLease(**RULE), k=1)
    assert one.step(asks=True)
    stated, site = fields(one), one.sites[0].site
    assert stated["RateLimit-Policy"] == '"quota";q=12;w=60'
    assert stated["RateLimit"].startswith(f'"quota";r={site.left};t=')
    assert limits(site, 1, 0.0, 0.0) == {"RateLimit": f'"quota";r={site.left}'}


@pytest.mark.parametrize("protocol", QUOTAS, ids=lambda protocol: f"{protocol.kind}-{protocol.shape}")
def test_a_window_is_stated_in_seconds_only_if_it_is_whole(protocol: by.Quota) -> None:
    """Seen: q=1000;w=1 for a window of half a second, half of the rate, and w=2 for one of 1.5 s."""
    site = protocol.sites(1, np.random.default_rng(1))[0]
    for step, seconds in ((1.0, 60), (0.1, 6), (0.05, 3), (60.0, 3600), (0.025, None), (1 / 120, None), (1e-6, None)):
        policy = limits(site, 1, step, 0.0)["RateLimit-Policy"]
        assert policy == f'"quota";q={protocol.limit}' + (f";w={seconds}" if seconds else ""), step


def test_numbers_that_header_fields_do_not_hold_are_left_out() -> None:
    for limit, stated in ((10**15 - 1, True), (10**15, False)):
        site = by.PeriodicQuota(limit, 60).sites(1, np.random.default_rng(1))[0]
        named = limits(site, 1, 1.0, 0.0)
        assert named["RateLimit"].startswith('"quota";r=999999999999999;t=')
        assert ("RateLimit-Policy" in named) == stated


@pytest.mark.parametrize("shape", ["sliding", "bucket"])
def test_what_a_lapse_gives_back_is_heard_of_by_a_flush(shape: str) -> None:
    """Seen: status 429 after the wait to the lapse of a reservation, which the server had not been told of."""

    class Lapsing(Reservations):
        def lapse(self, site: QuotaSite) -> int | None:
            return 2

    depth = {"depth": 6} if shape == "bucket" else {}
    rule = by.PeriodicQuota(**RULE, every=10, shape=shape, reserve=1, settle=7, **depth)
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
    rule = by.Central(1, 60, shape=shape, reserve=1, settle=7, **depth)
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
