"""`audit` prints one JSON document with --json."""

from __future__ import annotations

import json
from typing import Any

import pytest
from commands import disttrack

from disttrack.simulator.experiments.results.formats import number


def document(*arguments: str, status: int = 0) -> Any:
    result = disttrack(*arguments, "--json")
    assert result.exit_code == status, result.output
    return json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def test_audit_as_a_document() -> None:
    good, bad = document("audit", "randomized-response", "binary literal=true", "--runs", "300", status=1)["audits"]
    assert (good["verdict"], bad["verdict"]) == ("stands", "refuted")
    assert good["claimed"] == bad["claimed"] == 1.0
    assert bad["epsilon_low"] < 1.0 < bad["loss"]  # runs see little, exact losses all


@pytest.mark.quick_cases(0)
def test_the_tracker_is_audited_with_this_number_of_runs() -> None:
    (robust,) = document("audit", "robust", "--runs", "100")["audits"]
    assert (robust["verdict"], robust["items"]) == ("stands", 200)  # on both databases
    assert 0 < robust["largest_loss"] <= robust["claimed"]
    printed = disttrack("audit", "robust", "--runs", "100").stdout
    assert "runs prove: lower bound on epsilon, from the runs alone\n" in printed
    header, row = printed.split("\n")[2:5:2]
    assert row[: header.index("runs prove") + 10].split() == ["stands", "robust", number(robust["epsilon_low"])]
