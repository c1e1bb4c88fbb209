"""Scenarios that a program makes: the same as from a file, in plain values, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import disttrack

DATA: dict[str, Any] = {
    "name": "mapped",
    "sites": [2, 4],
    "items": 200,
    "trials": 2,
    "protocol": {"kind": "robust", "alpha": 0.5},
    "adversary": ["round-robin", "freeze"],
}


def test_it_is_the_scenario_of_a_file(tmp_path: Path) -> None:
    text = "name: mapped\nsites: [2, 4]\nitems: 200\ntrials: 2\nprotocol: {kind: robust, alpha: 0.5}\n"
    (tmp_path / "mapped.yaml").write_text(f"{text}adversary: [round-robin, freeze]\n")
    read, made = disttrack.load(tmp_path / "mapped.yaml"), disttrack.load(DATA)
    assert read.data == made.data
    assert [point.identity() for point in read.points] == [point.identity() for point in made.points]


def test_run_takes_a_mapping_a_scenario_and_a_file(tmp_path: Path) -> None:
    one = disttrack.run(DATA, out=tmp_path / "mapping", workers=1)
    other = disttrack.run(disttrack.load(DATA), out=tmp_path / "scenario", workers=1)
    left, right = (results.trials.drop(columns="seconds") for results in (one, other))
    assert left.equals(right)
    assert len(left) == 8
    assert disttrack.Results(tmp_path / "mapping").trials.equals(one.trials)  # reopened


def test_overrides_go_over_it_and_leave_it_as_it_was() -> None:
    scenario = disttrack.load(DATA, ["trials=7", "protocol.alpha=0.25"])
    assert scenario.head.trials == 7
    assert scenario.points[0].protocol.arguments["alpha"] == 0.25
    assert DATA["trials"] == 2
    assert DATA["protocol"]["alpha"] == 0.5
    assert disttrack.load(scenario) is scenario
    assert disttrack.load(scenario, ["trials=3"]).head.trials == 3


def test_values_of_numpy_tuples_and_objects() -> None:
    data = {**DATA, "sites": np.array([2, 4]), "items": np.int64(200), "adversary": (disttrack.RoundRobin(), "freeze")}
    data["protocol"] = disttrack.Robust(alpha=0.5)
    assert [point.identity() for point in disttrack.load(data).points] == [
        point.identity() for point in disttrack.load(DATA).points
    ]
