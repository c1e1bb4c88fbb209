"""Scenarios of the games of this wing that are refused in one line before anything is played."""

from __future__ import annotations

from typing import Any

import pytest

from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds.registry import kinds
from tests.simulator.game.tasks.test_refused_scenarios import built, refusal

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
    "threshold-queries": {
        "values": 9, "points": 20, "queries": 30, "adversary": "round-robin",
        "protocol": {"kind": "sparse-vector-queries", "epsilon": 1},
    },
    "threshold-monitor": {
        "steps": 62, "adversary": "hard-instance", "protocol": {"kind": "release-monitor", "k": 5, "delta": 0.1},
    },
    "worst-of-many": {
        "repetitions": 2, "samples": 9, "queries": 3, "protocol": "empirical", "adversary": "sign-correlation",
    },
    "second-moment": {"updates": 9, "protocol": {"kind": "ams", "rows": 4}, "adversary": "fresh-items"},
}  # fmt: skip


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
        *(
            ("statistical-queries", {"samples": 1, **sides}, f"samples: must be at least 2 for {kind}, which trains")
            for kind, sides in (
                ("holdout", {"protocol": "holdout"}),
                ("threshold-out", {"protocol": "threshold-out"}),
                ("variable-selection", {"adversary": "variable-selection"}),
            )
        ),
        (
            "statistical-queries",
            {"features": 3, "adversary": "random-sets"},
            "features: must be at least 4 for random-sets; got 3",
        ),
        ("statistical-queries", {"adversary": "random-sets"}, "features: must be at least 4 for random-sets; got 3"),
        *(
            (
                "threshold-queries",
                {"protocol": {"kind": "sparse-vector-queries", "epsilon": 1, **given}},
                message,
            )
            for given, message in (
                ({"points": 5}, "points: must be the 20 of the game; got 5"),
                ({"queries": 29}, "queries: must be at least the 30 of the game; got 29"),
            )
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
        ("prediction", {"adversary": "insertion", "points": 9}, "points: must be at least 10 for 9 steps of insertion"),
        ("second-moment", {"protocol": {"kind": "kmv", "size": 9}}, "takes a sketch for it; kmv is none"),
    ],
    ids=lambda value: None if isinstance(value, dict) else value,
)
def test_what_does_not_fit_a_task(task: str, change: dict[str, Any], message: str) -> None:
    keys = {"name": "s", "task": task, **SMALL[task]}
    built(keys)
    changed = {key: value for key, value in {**keys, **change}.items() if value is not None}
    assert message in refusal(changed)


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
