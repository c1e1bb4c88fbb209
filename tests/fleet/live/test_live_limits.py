"""Header fields of a quota: what a site knows, and the seconds after which it could admit again, are honest."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

from disttrack.fleet.live.admission import limits
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
    SlidingLease(**RULE, slots=12),
    SlidingLease(**RULE, costs=3, slots=12),
    BucketLease(**RULE, depth=6, slots=12),
)


class Alone:
    """A site and its server, whose messages take no time, by a clock of one second a step."""

    def __init__(self, protocol: Quota) -> None:
        rng = np.random.default_rng(1)
        self.rule, self.now = protocol, 0
        (self.site,) = protocol.sites(1, rng)
        self.server: Any = protocol.server(1, rng)

    def send(self, messages: Any) -> None:
        up: deque[Message] = deque(messages)
        while up:
            for receiver, message in self.server.hear(0, up.popleft()):
                assert receiver in (0, EVERYONE)
                up.extend(self.site.hear(message))

    def step(self, asks: bool) -> bool:
        """Play a step, with a request or without; return whether it was admitted."""
        self.now += 1
        before = self.site.admitted
        if asks:
            self.send(self.site.take(1))
        admitted = self.site.admitted > before
        if self.now % self.rule.period == 0:
            for _, message in self.server.turn():
                self.send(self.site.hear(message))
            self.send(self.site.turn())
        if self.rule.every and self.now % self.rule.every == 0:
            self.send(self.site.flush())
        return admitted

    def fields(self) -> dict[str, str]:
        return limits(self.site, self.rule.dearest, 1.0, float(self.now))


@pytest.mark.parametrize("protocol", QUOTAS, ids=lambda protocol: f"{protocol.kind}-{protocol.shape}")
def test_a_site_alone_admits_when_it_says_and_not_before(protocol: Quota) -> None:
    """One that must ask the server knows only that it does not admit before; the others know when they do."""
    one = Alone(protocol)
    exact = protocol.shape == "window" or protocol.kind.endswith("-lease")
    refused = 0
    while refused < 20:
        if one.step(asks=True):
            continue
        refused += 1
        wait = int(one.fields()["Retry-After"])
        assert not any(one.step(asks=True) for _ in range(wait)), (one.now, wait)
        if exact:
            assert one.step(asks=True), (one.now, wait)


def test_a_site_says_what_it_may_admit_by_itself() -> None:
    one = Alone(SlidingLease(**RULE))
    assert one.step(asks=True)
    fields = one.fields()
    assert fields["RateLimit-Policy"] == '"quota";q=12;w=60'
    assert fields["RateLimit"].startswith(f'"quota";r={one.site.left};t=')
    assert limits(one.site, 1, 0.0, 0.0) == {"RateLimit": f'"quota";r={one.site.left}'}
