"""Loads: how hard they hit a quota, and those that rest, whose games have more steps than requests."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import pytest
from victims import Hit

from disttrack.adversaries import SingleSite
from disttrack.fleet import loads
from disttrack.fleet.loads import Load
from disttrack.fleet.quotas import BatchQuota, Lease, PeriodicQuota
from disttrack.fleet.task import measured
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds.registry import kinds


def column(name: str) -> Callable[[Any], float]:
    """Return a measure of a quota; the overshoot is that over the rule of thumb, if the protocol has one."""

    def measure(game: Any) -> float:
        row = measured(game)
        return float(row[name] / ((name == "overshoot" and row["rule_of_thumb"]) or 1))

    return measure


overshoot, burst, least_share = map(column, ("overshoot", "burst", "least_share"))
FLEET: Final = {"sites": 12, "items": 6_000}
LIMIT: Final = {"limit": 500, "window": 1500}
HITS: Final = (
    Hit(loads.Greedy(), PeriodicQuota(**LIMIT, every=150), overshoot, 1.4, 2.2, FLEET),
    Hit(loads.ChurnOfSites(stay=9), BatchQuota(**LIMIT, size=10), overshoot, 1.0, 2.0, FLEET),
    Hit(loads.Boundary(), Lease(**LIMIT), burst, 1.95, 2.0, FLEET),
    Hit(loads.Starving(), Lease(**LIMIT), least_share, 0.0, 0.0, FLEET),
    Hit(loads.Probing(), Lease(**LIMIT, upfront=0.5), column("utilisation"), 0.99, 1.0, FLEET, SingleSite()),
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


REQUESTS = 120
LOADS = sorted(name for name, kind in kinds("adversary").items() if kind.load().plays == Load.plays)
"""The adversaries of quotas alone."""


def point_of(adversary: object, protocol: object, **own: object) -> Any:
    quota = {"task": "quota", "sites": 4, "requests": REQUESTS, "limit": 5, "window": 30, "trials": 1}
    return load({**quota, "protocol": protocol, "adversary": adversary, **own}).points[0]


def test_the_loads_are_all_that_there_are() -> None:
    """Guard against testing nothing."""
    assert len(LOADS) >= 7


@pytest.mark.parametrize("name", LOADS)
def test_a_load_whose_games_have_more_steps_than_requests_says_that_it_rests(name: str) -> None:
    """Otherwise faults after as many steps as requests are said to be out of reach."""
    for seed in range(3):
        point = point_of(name, "lease")
        game = point.task.make().game(point, seed=seed)
        assert game.steps <= point.task.make().last_step(point)
        assert game.steps >= game.items == REQUESTS


@pytest.mark.parametrize("protocol", [{"kind": "periodic", "every": 2}, {"kind": "gossip", "every": 3}, "lease"])
@pytest.mark.parametrize("part", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("name", LOADS)
def test_messages_are_at_most_those_of_the_estimate(name: str, part: float, protocol: object) -> None:
    """Quotas send while loads rest; the estimate says where it leaves that out."""
    adversary = {"kind": name, "part": part} if "part" in kinds("adversary")[name].load().__annotations__ else name
    point = point_of(adversary, protocol)
    task = point.task.make()
    demand, game = task.demand(point), task.game(point, seed=1)
    assert demand.without_rests or game.messages <= demand.messages
    assert not demand.without_rests or math.isinf(task.last_step(point))


def test_a_window_may_be_longer_than_the_requests_of_a_load_that_rests() -> None:
    """Its game has as many steps all the same."""
    point = point_of({"kind": "flash-crowd", "part": 0.1}, "lease", window=400)
    assert dict(point.task.make().play(point, 0).row)["windows"] >= 1
