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


def test_a_control_cannot_take_a_size_away() -> None:
    """Found by exchanging values: it ended in a traceback."""
    sides = {"protocol": "exact", "adversary": "round-robin"}
    claims = [{"name": "c", "measure": "min(words)", "at_least": 1, "control": {"items": None}}]
    with pytest.raises(ScenarioError, match="items: is missing"):
        load({"name": "s", "sites": 2, "items": 20, **sides, "claims": claims})


EXTREME = (5e-324, 1e-300, 1e-155, 1e101, 1e308, 10**400, -(10**400))


@pytest.mark.parametrize(
    ("side", "kind", "name"),
    [
        ("protocol", "martingale", "alpha"),
        ("protocol", "randomized", "confidence"),
        ("adversary", "freeze", "growth"),
    ],
)
def test_a_number_that_nobody_can_reckon_with_is_refused_by_its_name(side: str, kind: str, name: str) -> None:
    """Found by exchanging values: an accuracy of 1e-300 ended in an OverflowError of what a run costs."""
    usual: dict[str, Any] = {"protocol": {"kind": "robust", "alpha": 0.1}, "adversary": {"kind": "round-robin"}}
    given = {"kind": kind, "alpha": 0.1} if side == "protocol" else {"kind": kind}
    for value in EXTREME:
        with pytest.raises(ScenarioError, match=rf"{name}: must be 0 or of a size between 1e-100 and 1e\+100; got"):
            load({"name": "s", "sites": 4, "items": 20, **usual, side: {**given, name: value}})
    with pytest.raises(ScenarioError, match=rf"{name}: must be a number.*; got nan$"):
        load({"name": "s", "sites": 4, "items": 20, **usual, side: {**given, name: float("nan")}})


@pytest.mark.parametrize("kind", ["deterministic", "robust"])
def test_the_smallest_accuracy_that_is_taken_is_estimated(kind: str) -> None:
    for alpha in (1e-100, 1e-18):
        document = {"name": "s", "sites": 4, "items": 20, "protocol": {"kind": kind, "alpha": alpha}}
        load({**document, "adversary": "round-robin"})
        hold({**document, "adversary": "round-robin"})


def test_a_control_has_no_more_games_than_a_point() -> None:
    """Found by exchanging values: the memory of 10^400 games ended in an OverflowError."""
    sides = {"protocol": "exact", "adversary": "round-robin"}
    claims = [{"name": "c", "measure": "min(words)", "at_least": 1, "control": {"items": 2, "trials": 10**400}}]
    with pytest.raises(ScenarioError, match="trials: must be at most 4611686018427387904"):
        load({"name": "s", "sites": 2, "items": 20, **sides, "claims": claims})
