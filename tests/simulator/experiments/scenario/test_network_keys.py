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


def test_lists_are_swept_and_become_columns() -> None:
    result = scenario(
        {"latency": [1, {"exponential": 5}], "loss": [0, 0.1], "link": ["bare", {"timeout": 5}], "warm_up": 3}
    )
    assert len(result.points) == 8
    assert set(result.extra) == {"latency", "loss", "link", "link_timeout"}
    assert set(result.extra["latency"]) == {1.0, "exponential(5)"}
    assert result.extra["link"][:2] == ["bare", "reliable"]
    assert "max_lag_error" in result.columns
    both = scenario([{"latency": 5}, {"crash": {"rate": [0.1, 0.2], "down": 3, "state": "lost"}}])
    assert both.extra["crash_rate"] == [0, 0.1, 0.2]
    assert both.extra["latency"] == [5.0, 0, 0]
    left_out = scenario([{"loss": 0.1}, {"link": "reliable"}, {"duplication": 1}])
    assert left_out.extra == {"loss": [0.1, 0, 0], "link": ["bare", "reliable", "bare"], "duplication": [0, 0, 1]}


def test_without_a_network_there_is_no_such_column() -> None:
    data = {"name": "x", "sites": 4, "items": 50, "protocol": "exact", "adversary": "round-robin"}
    assert "max_lag_error" not in build(Document("x.yaml", Path(), data)).columns


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ({"los": 0.1}, "network.los: unknown key; did you mean 'loss'? (accepted: latency, "),
        ({"latency": 10**400}, "network.latency: must be a number of steps from 0 to 2^62"),
        ({"latency": {"exponentail": 5}}, "network.latency.exponentail: unknown key; did you mean 'exponential'?"),
        ({"latency": {"uniform": {"from": 5}}}, "network.latency.uniform: to is missing (accepted: from, to)"),
        ({"latency_down": {"uniform": {"from": 5, "to": 4}}}, "network.latency_down.uniform: must go from the least"),
        ({"crash": {"at": 5}}, "network.crash: down is missing (accepted: "),
        ({"crash": {"down": 5, "at": 10**400}}, "network.crash.at: must be at most"),
        ({"link": "relible"}, "did you mean 'reliable'?"),
        ({"far": {"sites": "0"}}, "network.far: latency is missing"),
        (5, "network: must hold keys and values"),
    ],
)
def test_what_is_refused(network: Any, message: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        scenario(network)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ({"partition": {"sites": "0-3", "from": 51, "to": 60}}, "network.partition.from: 51 is after"),
        ({"crash": {"at": [50, 51], "down": 10}}, "network.crash.at[1]: 51 is after"),
        ({"server": {"at": 51, "down": 10}}, "network.server.at: 51 is after"),
        ({"faults": "message 9 from 2 lost; site 1 down 51-60"}, "network.faults: sites 1 down 51-60 is after"),
        ({"faults": "sites all cut 51-60"}, "network.faults: sites all cut 51-60 is after"),
    ],
)
def test_faults_after_the_last_step_are_refused(network: Any, message: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        scenario(network)
    assert str(refusal.value).endswith(f"{message} the last step of every game here, 50")


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
