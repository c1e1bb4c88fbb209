"""Scenarios with the sizes of a task by its own names for them, and what holds for the sizes of every task."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.experiments.scenario.schema import scenario_schema
from disttrack.simulator.game.columns import SIZE_COLUMNS, TRIALS
from disttrack.simulator.game.tasks import Task
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.registry import kinds

TRACES: Final = ("count", "generalisation", "threshold")
"""Tasks whose sizes a trace can say, beside those of items."""


def task_of(name: str) -> type[Task]:
    """Return the class of a task."""
    return kinds("task")[name].load()  # type: ignore[no-any-return]


def scenario(name: str, sides: tuple[str, str], folder: Path, more: str = "", **sizes: Any) -> Path:
    """Return a scenario of a task with these sizes, by their keys; the usual ones for the others."""
    protocol, adversary = sides
    given = {size.key: 9 for size in task_of(name).sizes if size.column != "start" or size.needed} | sizes
    lines = [f"task: {name}", f"protocol: {protocol}", f"adversary: {adversary}", more]
    path = folder / "small.yaml"
    path.write_text("\n".join(lines + [f"{key}: {value}" for key, value in given.items()]) + "\n", encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    """Return the line that refuses a scenario."""
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def hold_bounds(name: str, sides: tuple[str, str], folder: Path) -> None:
    """Assert that a size fills its field of a point and keeps its bound."""
    for size in task_of(name).sizes:
        assert size.says
        assert size.key == size.column or size.key not in TRIALS  # no other column goes by this name
        value = max(9, size.least)
        point: Point = load(scenario(name, sides, folder, **{size.key: value})).points[0]
        assert getattr(point, size.column) == value
        assert f"{value:,} {size.key}" in point.describe() or size.key == "start"
        low = refusal(scenario(name, sides, folder, **{size.key: size.least - 1}))
        assert f"{size.key}: must be at least {size.least}; got {size.least - 1}" in low
        half = refusal(scenario(name, sides, folder, **{size.key: 2.5}))
        assert f"{size.key}: must be a whole number" in half


def hold_needed(name: str, sides: tuple[str, str], folder: Path) -> None:
    """Assert that a size that is needed is asked for by its name."""
    for size in task_of(name).sizes:
        path = scenario(name, sides, folder)
        path.write_text("".join(line for line in path.open() if not line.startswith(f"{size.key}:")))
        if size.needed:
            assert f"{size.key}: is missing: {size.says.rstrip('.')}" in refusal(path)
        elif size.key in ("sites", "items") and (name in TRACES or name.startswith(("item-", "frequent-"))):
            assert f"{size.key}: is missing" in refusal(path)  # only a trace says these by itself
        else:
            load(path)


def hold_foreign(name: str, sides: tuple[str, str], folder: Path) -> None:
    """Assert that the names that a size has elsewhere are refused with its own."""
    keys = {size.column: size.key for size in task_of(name).sizes}
    for column in SIZE_COLUMNS:
        key = keys.get(column)
        if key == column:
            continue
        message = f"{column}: unknown key; did you mean {key!r}?" if key else f"{column}: unknown key"
        assert message in refusal(scenario(name, sides, folder, **{column: 9}))


def hold_schema(*names: str) -> None:
    """Assert that the schema has the sizes of each of these tasks."""
    by_task = {entry["if"]["properties"]["task"]["const"]: entry for entry in scenario_schema()["allOf"]}
    for name in names:
        task, then = task_of(name), by_task[name]["then"]
        assert list(then["properties"]) == [*(size.key for size in task.sizes), "parts"]
        for size in task.sizes:
            one = then["properties"][size.key]["anyOf"][0]
            whole = one if size.needed else one["anyOf"][0]
            assert (whole["type"], whole["minimum"]) == ("integer", size.least)
        foreign = set(SIZE_COLUMNS) - {size.key for size in task.sizes}
        assert not foreign & set(then["propertyNames"]["enum"])
        needed = [size.key for size in task.sizes if size.needed]
        assert then.get("anyOf", [{"required": []}])[0]["required"] == needed
        # count is played where no task is named
        assert by_task[name]["if"].get("required", []) == ([] if name == "count" else ["task"])
