"""Games of a point that are played in place of the one before have the records of games that are made anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from disttrack.mechanisms.compiler import available
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.engines.compiled import Compiled
from disttrack.simulator.game.tasks.base import Record

SIDES = [
    ("deterministic", "uniform", {}),
    ("deterministic", "bursts", {"start": 70}),
    ("deterministic-rounds", "round-robin", {}),
    ("randomized", "uniform", {}),
    ("randomized", "zipf", {"start": 9}),
    ("block", "freeze", {}),
    ("martingale", "uniform", {}),
    ("martingale", "drain", {}),
    ("robust", "coin", {}),
    ("deterministic", "uniform", {"network": {"latency": 2}}),
    ("randomized", "freeze", {"network": {"latency": 1}}),
]


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="without numba nothing is compiled")
@pytest.mark.parametrize(("protocol", "adversary", "more"), SIDES)
def test_a_game_in_place_of_the_last_one(
    protocol: str, adversary: str, more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another seed gives another game in between, and each of them is the same whatever was played before."""
    sides = {"protocol": {"kind": protocol, "alpha": 0.1}, "adversary": adversary, "engine": "compiled"}
    scenario = load({"sites": 4, "items": 300, "trials": 1, **sides, **more})
    (point,), task = scenario.points, scenario.task
    taken: list[bool] = []
    again = Compiled.again

    def noted(self: Compiled, *given: Any) -> bool:
        taken.append(again(self, *given))
        return taken[-1]

    monkeypatch.setattr(Compiled, "again", noted)
    in_place = [_plain(task.play(point, seed)) for seed in range(12)]
    assert taken == [True] * 11
    anew = [_plain(task.play(replace(point), seed)) for seed in range(12)]
    assert len(taken) == 11
    assert in_place == anew


def _plain(record: Record) -> tuple[Any, ...]:
    """Return all of a record but its time, with the order of its columns."""
    row = [(name, value) for name, value in record.row.items() if name != "seconds"]
    return row, record.series, record.kinds, record.engine_reason, record.error, record.coins, record.judged
