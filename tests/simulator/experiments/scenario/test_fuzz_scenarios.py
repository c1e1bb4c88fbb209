"""Scenarios that nobody would write: shipped ones with values exchanged, or damaged."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hostile import VALUES, damaged, hold_line, mutated, often
from hypothesis import given
from hypothesis.strategies import deferred

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.runs.estimate import estimate
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios

SHIPPED = [path.read_text(encoding="utf-8") for _, path in sorted(shipped_scenarios().items())]
DOCUMENTS = deferred(lambda: mutated([yaml.safe_load(text) for text in SHIPPED]))  # read when the test runs


def hold(document: Any) -> None:
    """Hold that a scenario is refused in a line, or is one whose work is known."""
    try:
        scenario = load(document)
    except ScenarioError as error:
        hold_line(error)
        return
    assert scenario.games >= 1
    work = estimate(scenario, 2)
    assert min(work.messages, work.seconds, work.memory) >= 0


@often(30)
@given(document=DOCUMENTS)
def test_a_scenario_with_hostile_values_is_refused_in_a_line(document: Any) -> None:
    hold(document)


@pytest.mark.slow
@often(40)
@given(content=damaged([text.encode() for text in SHIPPED]))
def test_a_file_that_is_damaged_is_refused_in_a_line(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "damaged.yaml"
    file.write_bytes(content)
    hold(file)


@pytest.mark.parametrize("key", ["items", "protocol", "network", "claims", "plots"])
def test_every_key_with_every_value(key: str) -> None:
    usual = {"name": "s", "sites": 2, "items": 20, "protocol": "exact", "adversary": "round-robin"}
    for value in VALUES:
        hold({**usual, key: value})


@pytest.mark.parametrize("kind", ["deterministic", "robust"])
def test_the_smallest_accuracy_that_is_taken_is_estimated(kind: str) -> None:
    for alpha in (1e-100, 1e-18):
        document = {"name": "s", "sites": 4, "items": 20, "protocol": {"kind": kind, "alpha": alpha}}
        load({**document, "adversary": "round-robin"})
        hold({**document, "adversary": "round-robin"})
