"""The sizes of games by the names that their tasks give them: keys, bounds, sweeps, messages, claims, axes, schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from core_kinds import core_kinds

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.experiments.scenario.schema import scenario_schema
from disttrack.simulator.game.columns import TRIALS
from disttrack.simulator.game.tasks import Size, Task
from disttrack.simulator.game.tasks.base import COLUMNS
from disttrack.simulator.kinds.point import Point

SIDES = {
    "count": ("{kind: exact}", "round-robin"),
    "generalisation": ("{kind: block, alpha: 0.1}", "round-robin"),
    "audit": ("{kind: per-item}", "round-robin"),
    "audit-tracker": ("{kind: robust, alpha: 0.1}", "round-robin"),
    "continual-count": ("{kind: per-item, epsilon: 1}", "round-robin"),
    "threshold-monitor": ("{kind: sparse-vector-monitor, epsilon: 1, k: 8}", "round-robin"),
    "threshold-queries": ("{kind: release-queries, delta: 0.1}", "round-robin"),
    "density": ("{kind: pan-private-density, epsilon: 1}", "round-robin"),
    "experts": ("{kind: perturbed-leader}", "biased"),
    "second-moment": ("{kind: ams, rows: 8}", "fresh-items"),
    "distinct-count": ("{kind: kmv, size: 8}", "fresh-items"),
    "frequency": ("{kind: count-min, width: 8}", "fresh-items"),
    "resettable-sum": ("{kind: reset-sample, size: 8}", "reset-sampled"),
    "frequent-items": ("{kind: heavy-hitters, alpha: 0.1}", "freeze-item"),
    "item-sampling": ("{kind: item-sample, alpha: 0.1}", "freeze-item"),
    "item-rank": ("{kind: frequency-sample, alpha: 0.1}", "freeze-item"),
    "item-frequency": ("{kind: frequency-sample, alpha: 0.1}", "freeze-item"),
    "statistical-queries": ("{kind: empirical}", "fixed-queries"),
    "sample-size": ("{kind: splitting}", "fixed-queries"),
    "worst-of-many": ("{kind: empirical}", "speller"),
    "threshold": ("{kind: exact}", "uniform"),
    "prediction": ("{kind: plain}", "contrary"),
    "mirror": ("{kind: jdp-mirror, epsilon: 1}", "round-robin"),
    "joint-privacy": ("{kind: jdp-mirror, epsilon: 1}", "round-robin"),
    "static-queries": ("{kind: laplace, epsilon: 1}", "grow"),
    "dynamic-queries": ("{kind: fully-dynamic, epsilon: 1}", "churn"),
}

TRACES = ("count", "generalisation", "threshold")
"""Tasks whose sizes a trace can say, beside those of items."""


def tasks() -> dict[str, type[Task]]:
    return {name: kind.load() for name, kind in core_kinds("task").items()}


def scenario(name: str, folder: Path, more: str = "", **sizes: Any) -> Path:
    """Return a scenario of a task with these sizes, by their keys; the usual ones for the others."""
    protocol, adversary = SIDES[name]
    given = {size.key: 9 for size in tasks()[name].sizes if size.column != "start" or size.needed} | sizes
    lines = [f"task: {name}", f"protocol: {protocol}", f"adversary: {adversary}", more]
    path = folder / "small.yaml"
    path.write_text("\n".join(lines + [f"{key}: {value}" for key, value in given.items()]) + "\n", encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_each_task_is_tested() -> None:
    assert set(SIDES) == set(tasks())
    for task in tasks().values():
        for size in task.sizes:
            assert size.says
            assert size.key == size.column or size.key not in TRIALS  # no other column goes by this name


@pytest.mark.parametrize("name", SIDES)
def test_a_size_fills_its_field_of_a_point_and_keeps_its_bound(name: str, tmp_path: Path) -> None:
    for size in tasks()[name].sizes:
        value = max(9, size.least)
        point: Point = load(scenario(name, tmp_path, **{size.key: value})).points[0]
        assert getattr(point, size.column) == value
        assert f"{value:,} {size.key}" in point.describe() or size.key == "start"
        low = refusal(scenario(name, tmp_path, **{size.key: size.least - 1}))
        assert f"{size.key}: must be at least {size.least}; got {size.least - 1}" in low
        half = refusal(scenario(name, tmp_path, **{size.key: 2.5}))
        assert f"{size.key}: must be a whole number" in half


@pytest.mark.parametrize("name", SIDES)
def test_a_size_that_is_needed_is_asked_for_by_its_name(name: str, tmp_path: Path) -> None:
    for size in tasks()[name].sizes:
        path = scenario(name, tmp_path)
        path.write_text("".join(line for line in path.open() if not line.startswith(f"{size.key}:")))
        if size.needed:
            assert f"{size.key}: is missing: {size.says.rstrip('.')}" in refusal(path)
        elif size.key in ("sites", "items") and (name in TRACES or name.startswith(("item-", "frequent-"))):
            assert f"{size.key}: is missing" in refusal(path)  # only a trace says these by itself
        else:
            load(path)


@pytest.mark.parametrize("name", SIDES)
def test_the_names_that_a_size_has_elsewhere_are_refused_with_its_own(name: str, tmp_path: Path) -> None:
    keys = {size.column: size.key for size in tasks()[name].sizes}
    for column in COLUMNS:
        key = keys.get(column)
        if key == column:
            continue
        message = f"{column}: unknown key; did you mean {key!r}?" if key else f"{column}: unknown key"
        assert message in refusal(scenario(name, tmp_path, **{column: 9}))


def test_sweeps_zips_and_overrides_take_the_names_of_the_task(tmp_path: Path) -> None:
    path = scenario("experts", tmp_path, "zip: [[experts, steps]]", experts="[2, 4, 8]", steps="[10, 20, 30]")
    assert [(point.sites, point.items) for point in load(path).points] == [(2, 10), (4, 20), (8, 30)]
    path = scenario("experts", tmp_path, experts="[2, 4]")
    assert [(point.sites, point.items) for point in load(path, ["steps=7"]).points] == [(2, 7), (4, 7)]


def test_claims_and_axes_take_the_names_of_the_task_and_of_the_columns(tmp_path: Path) -> None:
    claims = "claims: [{name: c, where: %s > 3, each: %s, measure: mean(regret), at_most: 9}]"
    plots = "plots: [{kind: measure, x: %s, y: regret, where: %s > 3}]"
    for names in (("steps", "experts"), ("items", "sites")):
        path = scenario("experts", tmp_path, f"{claims % names}\n{plots % names}", steps="[5, 10]")
        assert load(path).called == {"sites": "experts", "items": "steps"}
    path = scenario("experts", tmp_path, plots % ("experts", "steps"), steps="[5, 10]")
    assert [one.why for one in load(path).skipped] == ["nothing here sweeps experts"]
    path = scenario("experts", tmp_path, claims % ("stesp", "experts"))
    assert "there is no column 'stesp'; did you mean 'steps'?" in refusal(path)


def test_a_size_that_has_no_column_is_no_name_in_claims(tmp_path: Path) -> None:
    """The column `start` is there where it is swept."""
    claim = "claims: [{name: c, measure: max(points), at_most: 9}]"
    load(scenario("threshold-queries", tmp_path, claim))  # the task has a column of this name as well
    assert load(scenario("threshold-queries", tmp_path, points="[9, 10]")).called["start"] == "points"
    assert "start" not in load(scenario("threshold-queries", tmp_path)).called


@pytest.mark.parametrize(("key", "column", "message"), [("a size", "items", "key"), ("size", "itmes", "column")])
def test_a_size_that_cannot_be_is_refused(key: str, column: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"{message} must be"):
        Size(key, column, "What it is.")


def test_the_schema_has_the_sizes_of_each_task() -> None:
    schema = scenario_schema()
    by_task = {entry["if"]["properties"]["task"]["const"]: entry for entry in schema["allOf"]}
    assert set(by_task) >= set(tasks())
    for name, task in tasks().items():
        then = by_task[name]["then"]
        assert list(then["properties"]) == [*(size.key for size in task.sizes), "parts"]
        for size in task.sizes:
            one = then["properties"][size.key]["anyOf"][0]
            whole = one if size.needed else one["anyOf"][0]
            assert (whole["type"], whole["minimum"]) == ("integer", size.least)
        foreign = set(COLUMNS) - {size.key for size in task.sizes}
        assert not foreign & set(then["propertyNames"]["enum"])
        needed = [size.key for size in task.sizes if size.needed]
        assert then.get("anyOf", [{"required": []}])[0]["required"] == needed
    assert "required" not in by_task["count"]["if"]  # it is played where no task is named
    assert by_task["audit"]["if"]["required"] == ["task"]


def test_the_schema_keeps_to_the_words_of_json_schema() -> None:
    """Bounds were written as pydantic's own words once, which no editor knows."""

    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    assert not keys(scenario_schema()) & {"ge", "gt", "le", "lt", "allow_inf_nan"}
