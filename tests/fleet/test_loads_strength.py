"""How hard the loads hit a quota, as tests/adversaries/test_strength.py measures it for the other attackers."""

from __future__ import annotations

from typing import Any, Final

import pytest
from victims import Hit

from disttrack.adversaries import SingleSite
from disttrack.fleet import loads
from disttrack.fleet.quotas import BatchQuota, Lease, PeriodicQuota
from disttrack.fleet.task import measured
from disttrack.simulator.kinds.registry import kinds


def overshoot(game: Any) -> float:
    """Return the largest overshoot of a quota, over the rule of thumb if the protocol has one."""
    row = measured(game)
    return float(row["overshoot"] / (row["rule_of_thumb"] or 1))


def burst(game: Any) -> float:
    """Return the largest cost in a window's length, over the limit."""
    return float(measured(game)["burst"])


def utilisation(game: Any) -> float:
    """Return the utilisation of a quota."""
    return float(measured(game)["utilisation"])


def least_share(game: Any) -> float:
    """Return the least share of a site."""
    return float(measured(game)["least_share"])


FLEET: Final = {"sites": 12, "items": 6_000}
LIMIT: Final = {"limit": 500, "window": 1500}
HITS: Final = (
    Hit(loads.Greedy(), PeriodicQuota(**LIMIT, every=150), overshoot, 1.4, 2.2, FLEET),
    Hit(loads.ChurnOfSites(stay=9), BatchQuota(**LIMIT, size=10), overshoot, 1.0, 2.0, FLEET),
    Hit(loads.Boundary(), Lease(**LIMIT), burst, 1.95, 2.0, FLEET),
    Hit(loads.Starving(), Lease(**LIMIT), least_share, 0.0, 0.0, FLEET),
    Hit(loads.Probing(), Lease(**LIMIT, upfront=0.5), utilisation, 0.99, 1.0, FLEET, SingleSite()),
)
STREAMS: Final = {"autoscaling", "flash-crowd", "retrying"}
"""Kinds of streams that are made against nobody."""


def test_every_load_has_its_victim() -> None:
    registered = {kind.name for kind in kinds("adversary").values() if kind.reference.startswith("disttrack.fleet.")}
    assert {hit.attacker.kind for hit in HITS} | STREAMS == registered


@pytest.mark.slow
@pytest.mark.parametrize("hit", HITS, ids=lambda hit: hit.attacker.kind)
@pytest.mark.false_alarm(1e-6)
def test_how_hard_a_load_hits(hit: Hit) -> None:
    """Rates and power as in tests/adversaries/test_strength.py."""
    assert hit.inside(hit.attacker)
    assert not hit.inside(hit.harmless)
