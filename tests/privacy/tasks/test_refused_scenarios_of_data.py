"""Scenarios of the games of this wing that are refused in one line before anything is played."""

from __future__ import annotations

import pytest

from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds.registry import kinds
from tests.simulator.game.tasks.test_refused_scenarios import refusal


@pytest.mark.parametrize("cells", [None, 64, 63])
@pytest.mark.parametrize("kind", ["lazy-gradient", "online-pmw"])
@pytest.mark.parametrize("analyst", sorted(kinds("task")["statistical-queries"].load().kinds("adversary")))
def test_a_sketch_is_refused_unless_its_cells_are_those_of_the_points(
    analyst: str, kind: str, cells: int | None
) -> None:
    sizes = {"samples": 64, "queries": 5, "features": 64, "trials": 1}
    keys = {"name": "s", "task": "statistical-queries", **sizes, "adversary": analyst}
    maker = kinds("adversary")[analyst].load()
    if maker.selects:
        pytest.skip("a sketch answers, and selects nothing")
    right = 64 if maker.points != "coins" else None
    scenario = {**keys, "protocol": {"kind": kind, **({"cells": cells} if cells else {})}}
    if cells == right:
        point = load(scenario).points[0]
        assert point.task.make().play(point, 0).row["max_abs_error"] >= 0
    else:
        asked = "must be 64" if right else "must be left out: points have no cells"
        assert f"protocol.cells: {asked} in games of {analyst}; got {cells}" in refusal(scenario)
