"""Loads that rest: their games have more steps than requests, which bounds, estimates and faults take into account."""

from __future__ import annotations

import math
from typing import Any

import pytest

from disttrack.fleet.loads import PLAYS
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds.registry import kinds

REQUESTS = 120
LOADS = sorted(name for name, kind in kinds("adversary").items() if kind.load().plays == PLAYS)
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
