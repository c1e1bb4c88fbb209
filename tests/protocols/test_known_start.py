"""Trackers that promise to be right always are so after a known start too, at every step."""

from __future__ import annotations

import pytest

from disttrack.adversaries import RoundRobin, SingleSite
from disttrack.adversaries.base import Adversary
from disttrack.protocols import Deterministic, DeterministicRounds
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.play import play

ALWAYS_RIGHT = [Deterministic(alpha=0.05), Deterministic(alpha=0.05, centred=True), DeterministicRounds(alpha=0.05)]


@pytest.mark.parametrize("start", [1, 1_000, 100_000])
@pytest.mark.parametrize("engine", ["step", "leap", "bulk"])
@pytest.mark.parametrize("adversary", [RoundRobin(), SingleSite()], ids=lambda one: one.kind)
@pytest.mark.parametrize("protocol", ALWAYS_RIGHT, ids=repr)
def test_a_known_start_is_no_way_out_of_the_promise(
    protocol: Protocol, adversary: Adversary, engine: str, start: int
) -> None:
    game = play(protocol, adversary, sites=7, items=20_000, start=start, engine=engine)
    assert game.ok
    assert 0 < game.max_rel_error <= 0.05
