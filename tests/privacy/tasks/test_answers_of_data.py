"""Answer tables of the games of this wing: a parameter that is unset is a value; Table 1 as in its paper."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import pytest

from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.scenario.settings import UNSET

REFERENCE: Final = Path(__file__).parents[3] / "results" / "reference"


def test_the_epsilon_of_experts_of_none_is_a_value() -> None:
    table = answer_table(REFERENCE / "experts")
    assert {row["epsilon"] for row in table.records()} == {UNSET, 1}
    assert table.headers[:3] == ["experts", "steps", "epsilon"]
    assert "held" not in table.headers


def test_table1_is_in_the_form_of_the_paper() -> None:
    rows = answer_table(REFERENCE / "table1").records()
    orders = {
        "growing-finite": ("log^1.5 T/ε", lambda steps: math.log2(steps) ** 1.5),
        "growing-infinite": ("log^1.5 t/ε", lambda steps: math.log2(steps) ** 1.5),
        "growing-sparse": ("(log^1.5 n + log T)/ε", lambda steps: math.log2(300) ** 1.5 + math.log2(steps)),
        "growing-sparse-infinite": ("(log^1.5 n + log t)/ε", lambda steps: math.log2(300) ** 1.5 + math.log2(steps)),
    }
    assert len(rows) == 12
    for row in rows:
        formula, value = orders[str(row["protocol"]).split(",")[0]]
        assert row["Table 1"] == formula
        assert row["value"] == pytest.approx(value(row["steps"]))
        assert row["ratio"] == pytest.approx(row["rms error"] / row["value"])
    assert "Table 1" not in answer_table(REFERENCE / "in-the-air").headers, "which is no row of it"
