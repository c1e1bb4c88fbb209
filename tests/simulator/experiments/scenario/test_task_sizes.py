"""Sizes of games by the names that their tasks give them, and columns that games of a task leave empty."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from core_kinds import core_kinds
from loaded_scenarios import loaded
from task_sizes import hold_bounds, hold_foreign, hold_needed, hold_schema, scenario

from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.experiments.scenario.schema import scenario_schema
from disttrack.simulator.game.tasks.base import COST, OF_ERROR, Task
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.registry import kinds

SIDES: Final = {
    "count": ("{kind: exact}", "round-robin"),
    "generalisation": ("{kind: block, alpha: 0.1}", "round-robin"),
    "frequent-items": ("{kind: heavy-hitters, alpha: 0.1}", "freeze-item"),
    "item-sampling": ("{kind: item-sample, alpha: 0.1}", "freeze-item"),
    "item-rank": ("{kind: frequency-sample, alpha: 0.1}", "freeze-item"),
    "item-frequency": ("{kind: frequency-sample, alpha: 0.1}", "freeze-item"),
    "threshold": ("{kind: exact}", "uniform"),
}


def test_each_task_of_the_core_is_tested() -> None:
    assert set(SIDES) == set(core_kinds("task"))


@pytest.mark.parametrize("name", SIDES)
def test_sizes_fill_their_fields_and_are_asked_for_by_their_own_names(name: str, tmp_path: Path) -> None:
    """Within their bounds; the names that they have in other tasks are refused."""
    hold_bounds(name, SIDES[name], tmp_path)
    hold_needed(name, SIDES[name], tmp_path)
    hold_foreign(name, SIDES[name], tmp_path)


def test_the_schema_has_the_sizes_of_each_task() -> None:
    hold_schema(*SIDES)


def test_sweeps_zips_and_overrides_take_the_names_of_the_task(tmp_path: Path) -> None:
    sides = SIDES["threshold"]
    path = scenario(
        "threshold", sides, tmp_path, "zip: [[sites, threshold]]", sites="[2, 4, 8]", threshold="[10, 20, 30]"
    )
    assert [(point.sites, point.items) for point in load(path).points] == [(2, 10), (4, 20), (8, 30)]
    path = scenario("threshold", sides, tmp_path, sites="[2, 4]")
    assert [(point.sites, point.items) for point in load(path, ["threshold=7"]).points] == [(2, 7), (4, 7)]


def test_claims_and_axes_take_the_names_of_the_task_and_of_the_columns(tmp_path: Path) -> None:
    claims = "claims: [{name: c, where: %s > 3, each: %s, measure: mean(words), at_most: 9}]"
    plots = "plots: [{kind: measure, x: %s, y: words, where: %s > 3}]"
    for name in ("threshold", "items"):
        more = f"{claims % (name, 'sites')}\n{plots % (name, 'sites')}"
        path = scenario("threshold", SIDES["threshold"], tmp_path, more, threshold="[5, 10]")
        assert load(path).called == {"items": "threshold"}
    path = scenario("threshold", SIDES["threshold"], tmp_path, plots % ("sites", "threshold"), threshold="[5, 10]")
    assert [one.why for one in load(path).skipped] == ["nothing here sweeps sites"]


def test_the_schema_has_every_task() -> None:
    assert {entry["if"]["properties"]["task"]["const"] for entry in scenario_schema()["allOf"]} >= set(kinds("task"))


def test_the_schema_keeps_to_the_words_of_json_schema() -> None:
    """Bounds were written as pydantic's own words once, which no editor knows."""

    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    assert not keys(scenario_schema()) & {"ge", "gt", "le", "lt", "allow_inf_nan"}


# ---------------------------------------------------------------------- what the games of a task leave empty


CHECKED = {*COST, *OF_ERROR, "series.csv", "kinds.csv", "verdict"}


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
