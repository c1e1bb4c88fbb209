"""Scenarios that nobody would write: shipped ones with values exchanged, and text that is hardly YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile import VALUES, damaged, hold_line, mutated, often
from hypothesis import given
from hypothesis import strategies as st

from simulator.claims.expressions import check_condition, check_measure
from simulator.claims.grammar import ExpressionError, parse
from simulator.errors import ScenarioError
from simulator.runs.estimate import asked, memory_needed
from simulator.scenario.load import load, shipped_scenarios
from simulator.scenario.yaml_values import YamlError, read_yaml

SHIPPED = [path.read_text(encoding="utf-8") for _, path in sorted(shipped_scenarios().items())]
DOCUMENTS = [yaml.safe_load(text) for text in SHIPPED]
EXPRESSIONS = sorted(
    {
        str(claim[key])
        for one in DOCUMENTS
        for claim in one.get("claims", ())
        for key in ("measure", "where")
        if key in claim
    }
)


def hold(document: Any, folder: Path) -> None:
    """Hold that a scenario is refused in a line, or is one whose work is known."""
    try:
        scenario = load(document)
    except ScenarioError as error:
        hold_line(error)
        return
    assert scenario.games >= 1
    memory_needed(scenario, 2)
    for point, trials in asked(scenario)[:50]:
        assert scenario.task.messages(point) * trials >= 0


@often(60)
@given(document=mutated(DOCUMENTS))
def test_a_scenario_with_hostile_values_is_refused_in_a_line(document: Any, tmp_path_factory: Any) -> None:
    hold(document, tmp_path_factory)


@often(40)
@given(content=damaged([text.encode() for text in SHIPPED]))
def test_a_file_that_is_damaged_is_refused_in_a_line(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "damaged.yaml"
    file.write_bytes(content)
    hold(file, file.parent)


@often(100)
@given(text=st.one_of(st.text(max_size=60), st.text("{}[]:,&*!|>-?'\"#% \n\t0a<", max_size=40)))
def test_text_is_read_as_yaml_or_refused(text: str) -> None:
    try:
        read_yaml(text)
    except YamlError as error:
        hold_line(error)


TOKENS = [
    "words", "ok", "sites", "max", "median", "fraction", "games", "quantile", "p50", "where", "(", ")", "[", "]", ",",
    "+", "-", "*", "/", "**", "//", "%", "<", "<=", "==", "!=", "and", "or", "not", "in", "is",
    "if", "else", "lambda", ":",
    "=", ".", "'a'", '"', "1", "0", "1e999", "9" * 400, "True", "None", "~", "@", ":=", "*words", "**words", "`",
    "f'{words}'", "²", "\n", "#", "()", "[]", "{}", "x",
]  # fmt: skip


@often(200)
@given(
    text=st.one_of(
        st.lists(st.sampled_from(TOKENS), max_size=12).map(" ".join), st.sampled_from(EXPRESSIONS), st.text(max_size=30)
    )
)
def test_expressions_are_measures_or_refused(text: str) -> None:
    for read in (parse, check_measure, check_condition):
        try:
            read(text)
        except ExpressionError as error:
            hold_line(error)


@pytest.mark.parametrize(
    "key", ["sites", "items", "trials", "protocol", "adversary", "network", "claims", "plots", "task", "start"]
)
def test_every_key_with_every_value(key: str, tmp_path: Path) -> None:
    usual = {"name": "s", "sites": 2, "items": 20, "protocol": "exact", "adversary": "round-robin"}
    for value in VALUES:
        hold({**usual, key: value}, tmp_path)


def test_a_control_cannot_take_a_size_away() -> None:
    """Found by exchanging values: it ended in a traceback."""
    sides = {"protocol": "exact", "adversary": "round-robin"}
    claims = [{"name": "c", "measure": "min(words)", "at_least": 1, "control": {"items": None}}]
    with pytest.raises(ScenarioError, match="items: must have a value"):
        load({"name": "s", "sites": 2, "items": 20, **sides, "claims": claims})
