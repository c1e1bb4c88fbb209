"""The table of settings: which parameters become columns, their names, and the same table from a manifest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.experiments.scenario.settings import Settings, row_of

SIDES = {"protocol": {"kind": "deterministic", "alpha": 0.1}, "adversary": {"kind": "drain", "patience": 2.0}}


def points(**more: Any) -> Settings:
    scenario = load({"name": "a", "sites": 4, "items": 100, **SIDES, **more})
    return Settings(scenario.task, [row_of(point) for point in scenario.points], [scenario.data])


@pytest.mark.parametrize(
    ("more", "columns"),
    [
        ({}, {}),
        ({"sites": [4, 8]}, {}),
        ({"engine": ["step", "leap"]}, {"engine_asked": ["step", "leap"]}),  # a line of a figure is of one engine
        ({"start": [0, 9]}, {"start": [0, 9]}),
        ({"network": [{"latency": 3}, {"loss": 0.5}]}, {"latency": [3.0, 0], "loss": [0, 0.5]}),
        ({"adversary": {"kind": "drain", "patience": [2.0, 3]}}, {"patience": [2.0, 3]}),
        (
            {"protocol": [{"kind": "robust", "delta": [0.1, 0.2]}, {"kind": "exact"}], "alpha": 0.1},
            {"delta": [0.1, 0.2, None]},
        ),
        (
            {"parts": {"one": {"protocol": {"kind": "exact"}}, "two": {"sites": 2}}},
            {"part": ["one", "two"]},
        ),
    ],
)
def test_what_differs_among_points_of_a_kind_is_a_column(more: dict[str, Any], columns: dict[str, list[Any]]) -> None:
    assert points(**more).cells() == columns


@pytest.mark.parametrize("key", ["start", "items"])
def test_a_size_of_0_is_a_value(key: str) -> None:
    (size,) = [one for one in points(**{key: [0, 9]}).columns if one.name == key]
    assert (size.varies, size.shown) == (True, [0, 9])


def test_a_manifest_gives_the_same_table() -> None:
    made = points(protocol=[{"kind": "robust", "alpha": [0.1, 0.2], "parameters": "tight"}, {"kind": "exact"}])
    read = Settings(made.task, json.loads(json.dumps(made.rows)), made.scenarios)
    assert read.columns == made.columns
    assert {one.header for one in made.columns if one.varies} >= {"protocol"}
    (protocol,) = [one for one in made.columns if one.name == "protocol"]
    assert protocol.named() == ["robust(parameters=tight)", "robust(parameters=tight)", "exact"]
