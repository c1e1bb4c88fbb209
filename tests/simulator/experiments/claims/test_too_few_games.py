"""Claims of a scenario that is played with fewer trials than it states: decided by chance, they are skipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from disttrack.simulator.experiments.runs.runner import Report, run
from disttrack.simulator.experiments.scenario.load import load

SCENARIO: dict[str, Any] = {
    "name": "few",
    "trials": 40,
    "sites": 8,
    "items": 300,
    "seed": 3,
    "protocol": [{"kind": "randomized", "alpha": 0.2}, {"kind": "deterministic", "alpha": 0.2}],
    "adversary": "freeze",
}
WORDS = {"name": "spread", "where": "protocol == 'randomized'", "measure": "mean(words)", "at_most": 1}
FIXED = {"name": "fixed", "where": "protocol == 'deterministic'", "measure": "max(words)"}


def played(folder: Path, *claims: dict[str, Any], trials: int | None = None) -> Report:
    given = [] if trials is None else [f"trials={trials}"]
    source = {**SCENARIO, "claims": list(claims), "trials": SCENARIO["trials"] if trials is None else 8}
    return run(load(source, given), out=folder, workers=1, controls=False)


@pytest.mark.parametrize("trials", [1, 2])
def test_a_claim_with_too_few_games_is_skipped_with_the_number_that_it_needs(tmp_path: Path, trials: int) -> None:
    report = played(tmp_path / "r", WORDS, trials=trials)
    assert [(one.verdict, one.note) for one in report.findings] == [
        ("SKIPPED", f"too few games: needs 8 trials, has {trials}")
    ]
    assert report.ok


def test_a_claim_that_no_coin_decides_stands(tmp_path: Path) -> None:
    report = played(tmp_path / "r", {**FIXED, "at_most": 1}, {**FIXED, "at_least": 1}, trials=1)
    assert [one.verdict for one in report.findings] == ["FAIL", "PASS"]
    assert not report.ok
