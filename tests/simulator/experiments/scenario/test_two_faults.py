"""Files with two faults: each pair of faults is answered in lines, whichever is met first."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Final

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load

RIGHT: Final = {
    "name": "two",
    "sites": 4,
    "items": 100,
    "protocol": {"kind": "deterministic", "alpha": 0.1},
    "adversary": "freeze",
}
FAULTS: Final[Mapping[str, dict[str, Any]]] = {
    "unknown key": {"sties": 4},
    "key of a side": {"alphas": 0.1},
    "key of a network": {"latency": 3},
    "list of sides": {"adversary": ["uniform", 3]},
    "number as a side": {"adversary": -1},
    "list of lists": {"adversary": [["uniform"]]},
    "side without a kind": {"protocol": {"alpha": 0.1}},
    "kind that is a number": {"protocol": {"kind": 3}},
    "protocols with nothing": {"protocol": [None, "exact"]},
    "key that is a number": {"protocol": {"kind": "exact", 1: 2}},
    "misspelt kind": {"protocol": "determinstic"},
    "parameter out of range": {"protocol": {"kind": "deterministic", "alpha": 7}},
    "negative size": {"sites": -3},
    "text as a size": {"items": "many"},
    "task of another family": {"task": "freeze"},
    "task that is a list": {"task": ["count"]},
    "misspelt engine": {"engine": "step-by-step"},
    "network of a text": {"network": "slow"},
    "unknown network key": {"network": {"latncy": 3}},
    "claim without a bound": {"claims": [{"name": "a", "measure": "max(words)"}]},
    "claims of a text": {"claims": "all hold"},
    "claim of an unknown column": {"claims": [{"name": "a", "measure": "max(wods)", "at_most": 1}]},
    "plot of an unknown kind": {"plots": [{"kind": "costs"}]},
    "plots of a number": {"plots": 3},
    "zip of nothing": {"zip": [["sites", "copies"]]},
    "parts of a list": {"parts": [1, 2]},
    "part with an unknown key": {"parts": {"a": {"sties": 4}}},
}
"""Edits of a right file, each of which is a fault."""


def lines_of(data: Mapping[str, Any]) -> list[str]:
    """Return the lines with which a scenario is refused."""
    with pytest.raises(ScenarioError) as caught:
        load(dict(data))
    return str(caught.value).splitlines()


def test_each_pair_of_faults_is_refused_in_lines() -> None:
    pairs = [(one, other) for one, other in combinations(FAULTS, 2) if not {*FAULTS[one]} & {*FAULTS[other]}]
    assert len(pairs) > 250
    for one, other in pairs:
        try:
            lines = lines_of({**RIGHT, **FAULTS[one], **FAULTS[other]})
        except Exception as error:
            raise AssertionError(f"{one}, {other}") from error
        assert lines


def test_an_override_of_an_unknown_key_is_refused_in_a_file_with_parts() -> None:
    """Sides stand in the parts, so that there is none at the top to look for the key in."""
    sides = {name: RIGHT[name] for name in ("protocol", "adversary")}
    sizes = {name: value for name, value in RIGHT.items() if name not in sides}
    with pytest.raises(ScenarioError, match=r"claims\[0\]: unknown key; did you mean 'claims'"):
        load({**sizes, "parts": {"a": sides}}, ["claims[0].at_most=1"])
