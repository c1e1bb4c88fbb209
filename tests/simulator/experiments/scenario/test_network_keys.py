"""A scenario's `network`: what is swept, what becomes a column, and what is refused in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.load import Scenario, build
from disttrack.simulator.experiments.scenario.schema import scenario_schema


def scenario(network: Any, protocol: str = "exact") -> Scenario:
    data = {"name": "x", "sites": 4, "items": 50, "protocol": protocol, "adversary": "round-robin", "network": network}
    return build(Document("x.yaml", Path(), data))


def test_without_a_network_there_is_no_such_column() -> None:
    data = {"name": "x", "sites": 4, "items": 50, "protocol": "exact", "adversary": "round-robin"}
    assert "max_lag_error" not in build(Document("x.yaml", Path(), data)).columns


@pytest.mark.parametrize("network", [{"latency": 10**400}, {"crash": {"down": 5, "at": 10**400}}])
def test_a_number_that_no_float_holds_is_refused(network: Any) -> None:
    with pytest.raises(ScenarioError, match="must be "):
        scenario(network)


def test_faults_may_come_if_one_game_is_longer_or_skips() -> None:
    network = {"partition": {"from": 51, "to": 60}}
    data = {"name": "x", "sites": 4, "protocol": "exact", "network": network}
    longer = {"items": [50, 51], "adversary": "round-robin"}
    skipping = {"items": 50, "adversary": {"kind": "moves", "steps": "-*10 0*50"}}
    for own in (longer, skipping):
        assert build(Document("x.yaml", Path(), {**data, **own})).points


def test_the_json_schema_takes_what_is_swept_inside() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = jsonschema.Draft202012Validator(scenario_schema())
    data: dict[str, Any] = {"sites": 4, "items": 50, "protocol": {"kind": "exact"}, "adversary": {"kind": "coin"}}
    good = [
        {"latency": [1, {"exponential": [1, 2]}], "link": ["bare", {"timeout": [5, 6]}]},
        [{"loss": [0, 0.1]}, {"crash": {"rate": [0.1, 0.2], "down": 3}}, None],
    ]
    for network in good:
        assert schema.is_valid({**data, "network": network}), network
    for network in ({"los": 1}, 5):
        assert not schema.is_valid({**data, "network": network}), network
