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


@pytest.mark.parametrize(
    ("key", "value", "remedy"),
    [
        ("items", "2k", "; write 2_000"),
        ("items", "1.5M", "; write 1_500_000"),
        ("items", "2,000", "; write 2_000"),
        ("items", "10^5", "; write 1e5"),
        ("sites", "4, 8", "commas: [4, 8]"),
        ("sites", ["4 8"], "commas: [4, 8]"),
        ("trials", "1,000", "; write 1_000"),
        ("protocol", {"randomized": {"delta": 0.1}}, "is missing; write {kind: randomized, delta: 0.1}"),
        ("protocol", "randomized:0.1", "here it is {kind: randomized, alpha: 0.1}"),
        ("protocol", ["exact", "randomized(delta=0.2)"], "here it is {kind: randomized, delta: 0.2}"),
        ("alpha", "1/8", "got '1/8'; write 0.125"),
        ("alpha", "0.1", "got '0.1'; write it without quotes"),
        ("network", "latency 5", "got 'latency 5'; write {latency: 5}"),
        ("network", 5, "got 5, as in network: {latency: 5}; left out, messages arrive at once"),
        ("network", {"latency": "exponential(5)"}, "got 'exponential(5)'; write {exponential: 5}"),
        ("network", {"loss": "10%"}, "got '10%'; write 0.1"),
        ("latency", 5, "unknown key here; write network: {latency: …}"),
        ("sees", "state", "unknown key here; write adversary: {kind: freeze, sees: …}"),
        ("zip", "sites", "as in zip: [[sites, protocol.alpha]], names of lists that move together"),
        ("zip", ["sites", 3], "as in zip: [[sites, protocol.alpha]], names of lists that move together"),
        ("zip", [[16, 2]], "as in zip: [[sites, protocol.alpha]], names of lists that move together"),
        ("plots", "cost", "got 'cost', as in plots: [{kind: cost, x: sites}]"),
        ("claims", [{"name": "c", "measure": "fraction(ok)", "at_least": "50%"}], "got '50%'; write 0.5"),
        (
            "claims",
            [{"name": "c", "measure": "fraction(ok)", "at_least": 1, "control": "coarse"}],
            "got 'coarse', as in control: {fault: coarse} or {protocol: randomized}",
        ),
        ("plots", [{"kind": "error", "x": "protocol.sites"}], "got 'protocol.sites'; did you mean 'sites'?"),
        (
            "claims",
            [{"name": "c", "measure": "fraction(ok)", "at_least": 1, "where": "adversary.site == 1"}],
            "a column has a plain name; write site",
        ),
        ("name", 1e3, "got 1000.0; a text that reads as a number, true or false is quoted"),
        ("network", {"latency": "5ms"}, "units of time are for `disttrack advise`"),
        ("zip", [["items", "protocol.alpha"]], "items and protocol.alpha have one value each: remove it"),
    ],
)
def test_a_slip(key: str, value: object, remedy: str) -> None:
    assert said({key: value}).endswith(remedy)


def test_names_in_no_list_of_their_own_are_one_fault() -> None:
    assert said({"zip": ["sites", "items"]}).count("zip[") == 1


def test_one_value_may_be_set_over_a_list_that_moves() -> None:
    data = {**DATA, "items": [100, 200], "zip": [["sites", "items"]]}
    assert len(load(data, ["sites=4", "items=9"]).points) == 2


def test_a_value_that_is_set_for_all_protocols_is_blamed_once_and_by_its_flag() -> None:
    assert said({}, "alpha=-1") == "--set alpha: must be a number between 0 and 1, both excluded; got -1"
    assert said({"alpha": -1}).count("alpha: must be") == 2
