"""Slips in values of scenarios: each message says what to write instead, and names the place of the slip."""

from __future__ import annotations

from typing import Any

import pytest

from disttrack import ScenarioError, load

DATA: dict[str, Any] = {
    "name": "x",
    "sites": [2, 4],
    "items": 200,
    "protocol": [{"kind": "deterministic"}, {"kind": "block"}],
    "alpha": 0.1,
    "adversary": "freeze",
}


def said(data: dict[str, Any], *overrides: str) -> str:
    with pytest.raises(ScenarioError) as raised:
        load({**DATA, **data}, overrides)
    return str(raised.value)


def test_names_in_no_list_of_their_own_are_one_fault() -> None:
    assert said({"zip": ["sites", "items"]}).count("zip[") == 1


def test_one_value_may_be_set_over_a_list_that_moves() -> None:
    data = {**DATA, "items": [100, 200], "zip": [["sites", "items"]]}
    assert len(load(data, ["sites=4", "items=9"]).points) == 2


def test_a_value_that_is_set_for_all_protocols_is_blamed_once_and_by_its_flag() -> None:
    assert said({}, "alpha=-1") == "--set alpha: must be a number between 0 and 1, both excluded; got -1"
    assert said({"alpha": -1}).count("alpha: must be") == 2
