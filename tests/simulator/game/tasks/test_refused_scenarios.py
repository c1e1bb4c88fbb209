"""Scenarios of every task that are refused in one line before anything is played."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile import hold_line

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.load import Scenario, build
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import kinds


@cache
def shipped() -> dict[str, dict[str, Any]]:
    """Return, by the name of a task, one of the shipped scenarios that play it; for some none is the core's."""
    files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in shipped_scenarios().values()]
    first = [next(iter(keys.pop("parts", {"": {}}).values())) | keys for keys in files]
    return {"threshold": ALARM, **{keys.get("task", "count"): keys for keys in first}}


ALARM: dict[str, Any] = {"task": "threshold", "sites": 4, "threshold": 60, "protocol": "exact", "adversary": "uniform"}


def built(keys: dict[str, Any]) -> Scenario:
    return build(Document("s.yaml", Path.cwd(), keys))


def refusal(keys: dict[str, Any]) -> str:
    with pytest.raises(ScenarioError) as caught:
        built(keys)
    hold_line(caught.value)
    return str(caught.value)


def test_every_task_is_here() -> None:
    assert set(shipped()) == set(kinds("task"))


@pytest.mark.parametrize("name", kinds("task"))
def test_every_task_refuses_what_is_none_of_its_own(name: str) -> None:
    """Another engine, an unknown kind on either side, a size that is too small or misspelt."""
    keys = {key: value for key, value in shipped()[name].items() if key not in ("claims", "plots", "zip")}
    for side in ("protocol", "adversary"):
        if side in keys:
            assert f"{side}" in refusal({**keys, side: "nobody"})
    assert "engine" in refusal({**keys, "engine": "warp"})
    assert "bogus" in refusal({**keys, "bogus": 3})
    task = kinds("task")[name].load()
    if name == "threshold" or (name not in ("audit", "audit-tracker") and not issubclass(task, Count)):
        assert "network" in refusal({**keys, "network": {"latency": 3}})
    for size in task.sizes:
        if size.key in keys:
            assert f"{size.key}: must be at least" in refusal({**keys, size.key: size.least - 1})
