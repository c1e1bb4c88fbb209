"""The truth of a recorded game: who was fed at each step, under every form of plan and every engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from recorded_games import Motley, Sleeper, recorded, sites_by_step

from disttrack.adversaries import Adversary, Freeze, RoundRobin, Uniform
from disttrack.protocols import Exact, Randomized
from disttrack.simulator.shown.replay import stream as streams
from disttrack.simulator.shown.replay.stream import Stream


@pytest.mark.quick_cases(20)
@pytest.mark.parametrize(
    "adversary", [Motley(), Sleeper(), RoundRobin(), Uniform(), Freeze()], ids=lambda one: type(one).__name__
)
@pytest.mark.parametrize("engine", ["auto", "step", "leap"])
@pytest.mark.parametrize(("sites", "items", "start"), [(5, 300, 0), (5, 300, 40), (4, 1, 0), (3, 0, 0)])
def test_every_item_is_where_the_exact_tracker_heard_of_it(
    adversary: Adversary, engine: str, sites: int, items: int, start: int
) -> None:
    """With the exact tracker each item is a message, so the transcript tells who was fed in each step."""
    game, record = recorded(Exact(), adversary, sites=sites, items=items, start=start, engine=engine)
    heard = {message.step: message.sender for message in record.messages}
    stream = Stream(record)
    fed = sites_by_step(record, stream)
    assert fed == [heard.get(step, -1) for step in range(1, game.steps + 1)]
    steps = np.arange(game.steps + 1)
    assert stream.sent(steps).tolist() == [sum(site >= 0 for site in fed[:step]) for step in steps]
    for site in range(sites):
        assert stream.received(site, steps).tolist() == [fed[:step].count(site) for step in steps]


def test_long_rotations_are_counted_by_their_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    def counts(short: int) -> list[Any]:
        monkeypatch.setattr(streams, "SHORT", short)
        stream = Stream(record)
        each = [stream.received(site, np.arange(401)).tolist() for site in range(7)]
        return [stream.step_sites(np.arange(401)).tolist(), stream.sent(np.arange(401)).tolist(), each]

    for adversary in (RoundRobin(), Motley()):
        _, record = recorded(Randomized(alpha=0.2), adversary, sites=7, items=400)
        assert counts(10_000) == counts(1)
