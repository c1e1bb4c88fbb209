"""Controls of claims: which points are broken, what is broken in them, and what a claim that passes there too is."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.load import Scenario, build
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.kinds.point import canonical

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


def test_the_points_of_the_claim_are_broken_and_no_others() -> None:
    made = scenario(claim(where="protocol == 'robust' and sites == 16", control={"adversary": "zipf"}))
    (control,) = made.controls
    assert [made.points[number].describe() for number in control.instead] == [
        "robust alpha=0.2 against uniform, 16 sites, 400 items",
        "robust alpha=0.2 against freeze, 16 sites, 400 items",
    ]
    assert [point.adversary.label for point in control.points] == ["zipf", "zipf"]
    assert [point.number for point in control.points] == [len(made.points), len(made.points) + 1]
    assert control.trials == 5


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


def test_a_fault_makes_other_games_than_the_protocol_without_it() -> None:
    made = scenario(claim(where="protocol == 'robust'", control={"fault": "no-noise"}))
    (control,) = made.controls
    for point, instead in zip(control.points, control.instead, strict=True):
        assert point.protocol.make().fault == "no-noise"
        assert canonical(point.identity()) != canonical(made.points[instead].identity())


def test_control_and_no_control_exclude_each_other() -> None:
    with pytest.raises(ScenarioError, match="leave one out"):
        scenario(claim(control={"fault": "no-noise"}, no_control="a definition"))


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


def test_a_run_plays_controls_keeps_them_and_shows_both_numbers(tmp_path: Path) -> None:
    made = scenario(
        {
            "name": "holds",
            "where": "protocol == 'robust'",
            "measure": "fraction(ok)",
            "at_least": 1,
            "control": {"protocol": {"kind": "robust", "alpha": 0.9}, "fault": "no-polls", "trials": 3},
        },
        {"name": "says nothing", "measure": "min(words)", "at_least": 0, "control": {"adversary": "zipf", "trials": 1}},
        {"name": "is so", "measure": "min(words)", "at_least": 0, "no_control": "a count is never negative"},
    )
    report = run(made, out=tmp_path, workers=1)
    rows = report.claims.astype(object).fillna("").to_dict("records")
    assert [row["name"] for row in rows] == ["holds", "says nothing", "is so"]
    assert rows[1]["verdict"] == "VACUOUS"
    assert not report.ok
    assert rows[0]["broken"] == "fault no-polls, protocol robust alpha=0.9"
    assert rows[2]["broken"] == "no control: a count is never negative"
    controls = (tmp_path / "controls.csv").read_text().splitlines()
    assert len(controls) == 1 + 4 * 3 + 8
    assert report.manifest["games"]["controls"] == 4 * 3 + 8
    # a broken game stands in the columns of the point that it answers for
    read = list(csv.DictReader(controls))
    assert {row["alpha"] for row in read} == {"0.2"}
    assert {row["adversary"] for row in read} == {"uniform", "freeze"}
    assert {row["broken"] for row in read} == {"fault no-polls, protocol robust alpha=0.9", "adversary zipf"}
    again = run(made, out=tmp_path, workers=1)
    assert (again.played, again.claims.astype(object).fillna("").to_dict("records")) == (0, rows)
    without = run(made, out=tmp_path, workers=1, controls=False)
    assert [finding.control for finding in without.findings] == [None, None, None]
    assert not (tmp_path / "controls.csv").exists()
