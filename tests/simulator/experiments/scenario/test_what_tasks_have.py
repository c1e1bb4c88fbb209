"""Plots and claims of what the games of a task leave empty are refused before anything is played."""

from __future__ import annotations

from functools import cache

import pytest
from loaded_scenarios import loaded

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.tasks.base import COST, ERROR, Task
from disttrack.simulator.kinds.point import Point

CHECKED = {*COST, *ERROR, "series.csv", "kinds.csv", "verdict"}


@cache
def cheapest() -> dict[str, list[tuple[float, str, int, Task, Point]]]:
    """Return the points of the shipped scenarios of each task, those with the shortest games first."""
    points: dict[str, list[tuple[float, str, int, Task, Point]]] = {}
    for one in loaded().values():
        for point in one.points:
            row = (one.task.demand(point).seconds, one.name, point.number, one.task, point)
            points.setdefault(one.task.kind, []).append(row)
    return {kind: sorted(rows, key=lambda row: row[:3]) for kind, rows in points.items()}


@pytest.mark.slow
def test_each_task_fills_what_it_does_not_call_empty() -> None:
    """The cheapest game of each task fills all that the task does not declare as empty."""
    assert len(cheapest()) >= 25
    for kind, rows in cheapest().items():
        filled: set[str] = set()
        for *_, task, point in rows[:1]:
            record = task.play(point, seed=1)
            filled |= {name for name, value in record.row.items() if value is not None and name != "verdict"}
            filled |= {"verdict"} if record.row["verdict"] in ("ok", "failed") else set()
            filled |= {"kinds.csv"} if any(record.kinds.values()) else set()
            filled |= {"series.csv"} if any(one is not None for one in record.series.get("rel_error", ())) else set()
        assert CHECKED - filled == {*task.empty} & CHECKED, kind


ALARMS = {
    "name": "alarms",
    "task": "threshold",
    "sites": 4,
    "threshold": 64,
    "trials": 2,
    "protocol": [{"kind": "deterministic", "alpha": alpha} for alpha in (0.1, 0.2)],
    "adversary": "uniform",
}


def test_a_plot_of_what_no_game_of_the_task_has_is_refused_with_those_it_can_have() -> None:
    with pytest.raises(ScenarioError, match="games of task threshold have no timeline of errors; ") as caught:
        load(ALARMS | {"plots": ["matrix", "timeline"]})
    assert "plots[1]" in str(caught.value)
    assert "accepted: breakdown, cost, " in str(caught.value)


def test_a_claim_on_what_no_game_of_the_task_has_is_refused() -> None:
    items = {"name": "i", "task": "item-frequency", "sites": 2, "items": 9, "adversary": "zipf-items"}
    claim = {"name": "c", "at_most": 3, "measure": "max(failing_fraction)"}
    with pytest.raises(ScenarioError, match=r"have no failing_fraction \(their own columns: "):
        load({**items, "protocol": {"kind": "frequency-sample", "alpha": 0.2}, "claims": [claim]})
