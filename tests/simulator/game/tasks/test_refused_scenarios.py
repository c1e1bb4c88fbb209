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
    """Return, by the name of a task, one of the shipped scenarios that play it."""
    files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in shipped_scenarios().values()]
    first = [next(iter(keys.pop("parts", {"": {}}).values())) | keys for keys in files]
    return {keys.get("task", "count"): keys for keys in first}


SMALL: dict[str, dict[str, Any]] = {
    "continual-count": {"steps": 16, "protocol": {"kind": "binary", "epsilon": 1}, "adversary": "round-robin"},
    "dynamic-queries": {
        "domain": 8, "steps": 100, "protocol": {"kind": "fully-dynamic", "epsilon": 1, "queries": "points"},
        "adversary": {"kind": "churn", "peak": 10},
    },
    "prediction": {"steps": 9, "protocol": "plain", "adversary": "contrary"},
    "mirror": {"steps": 9, "protocol": {"kind": "jdp-mirror", "epsilon": 1}, "adversary": "round-robin"},
    "joint-privacy": {"steps": 9, "protocol": {"kind": "jdp-mirror", "epsilon": 1}, "adversary": "round-robin"},
    "statistical-queries": {"samples": 9, "queries": 3, "protocol": "empirical", "adversary": "fixed-queries"},
    "threshold-monitor": {
        "steps": 62, "adversary": "hard-instance", "protocol": {"kind": "release-monitor", "k": 5, "delta": 0.1},
    },
    "worst-of-many": {
        "repetitions": 2, "samples": 9, "queries": 3, "protocol": "empirical", "adversary": "sign-correlation",
    },
    "second-moment": {"updates": 9, "protocol": {"kind": "ams", "rows": 4}, "adversary": "fresh-items"},
}  # fmt: skip


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


@pytest.mark.parametrize(
    ("task", "change", "message"),
    [
        ("continual-count", {"sites": 1}, "sites: unknown key; did you mean 'steps'? (accepted: name, "),
        ("continual-count", {"steps": None}, "steps: is missing: Steps of the clock"),
        ("continual-count", {"protocol": {"kind": "binary", "epsilon": 0}}, "epsilon: must be a number above 0"),
        (
            "continual-count",
            {"protocol": {"kind": "binary", "epsilon": 1, "horizon": 15}},
            "horizon: must be at least the 16 steps of the game",
        ),
        ("continual-count", {"adversary": "intruder"}, "grant it beside its kind: {kind: intruder, sees: state}"),
        ("dynamic-queries", {"protocol": {"kind": "fully-dynamic", "epsilon": 1, "queries": "point"}}, "'points'"),
        (
            "dynamic-queries",
            {"protocol": {"kind": "growing-infinite", "epsilon": 1}},
            "churn deletes items; growing-infinite takes insertions only",
        ),
        ("dynamic-queries", {"adversary": "in-the-air"}, "domain: must be the 384 values"),
        ("dynamic-queries", {"protocol": {"kind": "fully-dynamic", "epsilon": 1, "horizon": 5}}, "the 100 steps"),
        ("prediction", {"adversary": {"kind": "contrary", "sees": "state"}}, "must be one of outputs, hypotheses"),
        ("prediction", {"adversary": "freeze"}, "freeze reacts to outputs that are numbers"),
        ("prediction", {"protocol": {"kind": "exponential", "epsilon": 1, "horizon": 3}}, "must be at least 9"),
        ("mirror", {"adversary": "freeze"}, "must be oblivious"),
        ("joint-privacy", {"steps": 13}, "must be at most 12 for jdp-mirror; got 13"),
        (
            "statistical-queries",
            {"protocol": {"kind": "noisy-argmax", "epsilon": 1}},
            "noisy-argmax only selects among queries",
        ),
        (
            "statistical-queries",
            {"protocol": "splitting", "queries": 10},
            "samples: must be at least the queries, 10",
        ),
        (
            "threshold-monitor",
            {"steps": 61},
            "steps: must be at least 2^(k + 1) - 2 = 62 for hard-instance with k = 5; got 61",
        ),
        *(
            (
                "threshold-monitor",
                {"protocol": {"kind": kind, "epsilon": 1, "k": 2, "horizon": 9}, "adversary": "last-moment"},
                "horizon: must be at least the 62 steps of the game",
            )
            for kind in ("counter-monitor", "exact-monitor")
        ),
        ("second-moment", {"protocol": {"kind": "kmv", "size": 9}}, "takes a sketch for it; kmv is none"),
    ],
    ids=lambda value: None if isinstance(value, dict) else value,
)
def test_what_does_not_fit_a_task(task: str, change: dict[str, Any], message: str) -> None:
    keys = {"name": "s", "task": task, **SMALL[task]}
    built(keys)
    changed = {key: value for key, value in {**keys, **change}.items() if value is not None}
    assert message in refusal(changed)
