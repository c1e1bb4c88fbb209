"""Controls of claims: which points are broken, and how; and claims of too few games, which are skipped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from disttrack.simulator.experiments.runs.runner import Report, run
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.load import Scenario, build, load
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios

HEAD = {
    "name": "small",
    "sites": [4, 16],
    "items": 400,
    "trials": 2,
    "protocol": [{"kind": "robust", "alpha": 0.2}, {"kind": "randomized", "alpha": 0.2}],
    "adversary": [{"kind": "uniform"}, {"kind": "freeze"}],
}


def scenario(*claims: Mapping[str, Any], **keys: Any) -> Scenario:
    """Return a small scenario with these claims."""
    return build(Document("small.yaml", Path(), {**HEAD, "claims": list(claims), **keys}))


def claim(**keys: Any) -> dict[str, Any]:
    return {"name": "c", "measure": "max(words)", "at_most": 1e9, **keys}


# ---------------------------------------------------------------------- which points, and what is changed


def test_a_where_of_its_own_chooses_among_all_points() -> None:
    made = scenario(claim(control={"where": "adversary == 'freeze' and sites == 4", "fault": "uncounted-kind"}),
                    protocol={"kind": "robust", "alpha": 0.2})  # fmt: skip
    (control,) = made.controls
    assert [point.describe() for point in control.points] == ["robust alpha=0.2 against freeze, 4 sites, 400 items"]


def test_another_kind_keeps_the_parameters_that_both_have() -> None:
    made = scenario(claim(where="protocol == 'robust'", control={"protocol": {"kind": "block"}}),
                    protocol={"kind": "robust", "alpha": 0.3, "delta": 0.2, "counter": "k-ary"})  # fmt: skip
    arguments = [dict(point.protocol.arguments) for point in made.controls[0].points]
    assert all(given["alpha"] == 0.3 and "counter" not in given for given in arguments)


def test_without_a_kind_parameters_are_set_over_those_of_the_point() -> None:
    made = scenario(claim(where="protocol == 'robust'", control={"protocol": {"delta": 0.3}, "sites": 9, "trials": 1}),
                    protocol={"kind": "robust", "alpha": 0.2, "delta": 0.1})  # fmt: skip
    for point in made.controls[0].points:
        assert (point.protocol.kind, point.protocol.arguments, point.sites) == (
            "robust",
            {"alpha": 0.2, "delta": 0.3},
            9,
        )
    assert made.control_games == 4


def test_points_that_were_set_away_take_their_control_with_them() -> None:
    claims = [claim(where="sites == 16", control={"adversary": "zipf"})]
    document = Document("small.yaml", Path(), {**HEAD, "claims": claims})
    document.set("sites=4")
    assert build(document).controls == ()


# ---------------------------------------------------------------------- the shipped scenarios

SHIPPED = sorted(shipped_scenarios().values())


@pytest.mark.parametrize("file", SHIPPED, ids=lambda path: path.stem)
def test_each_claim_of_a_shipped_scenario_has_a_control_or_says_why_not(file: Path) -> None:
    claims = yaml.safe_load(file.read_text(encoding="utf-8"))["claims"]
    assert claims
    assert [claim["name"] for claim in claims if "control" not in claim and "no_control" not in claim] == []


# ---------------------------------------------------------------------- a run


def test_kinds_of_message_that_only_intact_games_send_cost_the_broken_ones_nothing(tmp_path: Path) -> None:
    made = scenario(
        {"name": "c", "measure": "max(words_report)", "at_least": 1, "control": {"protocol": "exact", "trials": 1}},
        protocol={"kind": "randomized", "alpha": 0.2},
    )
    (finding,) = run(made, out=tmp_path, workers=1).findings
    assert (finding.verdict, finding.control) == ("PASS", 0.0)


# ---------------------------------------------------------------------- too few games


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


@pytest.mark.parametrize(
    ("measure", "bound", "verdict"),
    [
        ("median(words)", {"at_most": 1}, "FAIL"),  # far beyond: no fresh game would meet it
        ("mean(words)", {"equals": 1, "within": 0.5}, "FAIL"),
        ("mean(words)", {"at_least": 100_000}, "FAIL"),
        ("fraction(words > 1)", {"at_most": 0}, "FAIL"),  # no further game mends it
        ("max(words)", {"at_most": 350}, "FAIL"),
        ("max(words)", {"at_least": 352}, "SKIPPED"),  # it is 351, on average 329.8: further games may mend it
        ("mean(words)", {"at_most": 329}, "SKIPPED"),
    ],
)
def test_fewer_trials_do_not_hide_a_failure_that_is_certain(
    tmp_path: Path, measure: str, bound: dict[str, float], verdict: str
) -> None:
    claim = {"name": "c", "where": "protocol == 'randomized'", "measure": measure, **bound}
    (finding,) = played(tmp_path / "r", claim, trials=5).findings
    assert (finding.verdict, finding.false_alarm) == (verdict, None)


def test_fewer_trials_do_not_hide_a_control_that_passes(tmp_path: Path) -> None:
    claim = {**WORDS, "at_most": 10**6, "control": {"adversary": "round-robin"}}
    report = run(load({**SCENARIO, "claims": [claim]}, ["trials=5"]), out=tmp_path / "r", workers=1)
    (finding,) = report.findings
    assert (finding.verdict, report.ok) == ("VACUOUS", False)
    assert finding.false_alarm is not None
    assert finding.false_alarm <= 1e-4


def test_a_claim_that_no_coin_decides_stands(tmp_path: Path) -> None:
    report = played(tmp_path / "r", {**FIXED, "at_most": 1}, {**FIXED, "at_least": 1}, trials=1)
    assert [one.verdict for one in report.findings] == ["FAIL", "PASS"]
    assert not report.ok
