"""Parts of a scenario: each is played as a scenario of its own would be, and shares its claims and figures."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from commands import disttrack

from disttrack.simulator import load, run
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.pairs import pairs
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.scenario.document import parse
from disttrack.simulator.shown.replay.record import replayed

TEXT = """
name: two
alpha: 0.2
items: [300, 900]
adversary: uniform
trials: 2
parts:
  few: {seed: 3, sites: [2, 4], protocol: [randomized, exact]}
  many:
    seed: 8
    trials: 3
    sites: [16, 32]
    items: [500, 700]
    zip: [[sites, items]]
    protocol: {kind: randomized, alpha: 0.3}
claims:
  - name: a
    where: part == 'few' and protocol == 'randomized'
    measure: fraction(output_changes < items)
    at_least: 1
    control: {protocol: exact, trials: 1}
  - {name: b, where: part == 'many', measure: "slope(words, sites)", at_least: -9}
plots:
  - {kind: cost, x: sites, where: part == 'many'}
  - {kind: cost, x: items, where: part == 'few'}
"""
FEW: dict[str, Any] = {
    "name": "few", "seed": 3, "trials": 2, "items": [300, 900], "adversary": "uniform", "sites": [2, 4],
    "protocol": [{"kind": "randomized", "alpha": 0.2}, "exact"],
}  # fmt: skip
MANY: dict[str, Any] = {
    "name": "many", "seed": 8, "trials": 3, "sites": [16, 32], "items": [500, 700], "zip": [["sites", "items"]],
    "adversary": "uniform", "protocol": {"kind": "randomized", "alpha": 0.3},
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "trials.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_a_part_is_the_scenario_that_it_would_be_by_itself(file: Path, tmp_path: Path) -> None:
    report = run(file, out=tmp_path / "both", workers=1)
    assert [finding.verdict for finding in report.findings] == ["PASS", "PASS"]
    both = rows(tmp_path / "both")
    alone = []
    for part, data in (("few", FEW), ("many", MANY)):
        run(data, out=tmp_path / part, workers=1)
        alone += [{**row, "part": part} for row in rows(tmp_path / part)]
    assert len(both) == len(alone) == 8 * 2 + 2 * 3
    for mine, own in zip(both, alone, strict=True):
        assert {key: mine[key] for key in own if key not in ("point", "seconds")} == {
            key: value for key, value in own.items() if key not in ("point", "seconds")
        }
    assert [int(row["point"]) for row in both] == sorted(int(row["point"]) for row in both)


def test_what_was_played_by_itself_is_not_played_again(file: Path, tmp_path: Path) -> None:
    run(FEW, out=tmp_path / "both", workers=1)
    report = run(file, out=tmp_path / "both", workers=1, controls=False)
    assert (report.kept, report.played + report.alike) == (16, 6)
    renamed = TEXT.replace("few", "some")
    assert run(parse(renamed, "renamed", tmp_path).data, out=tmp_path / "both", workers=1, controls=False).kept == 22


def test_a_game_is_replayed_from_the_seed_of_its_part(file: Path, tmp_path: Path) -> None:
    report = run(file, out=tmp_path / "both", workers=1)
    scenario = load(file)
    point = next(one for one in scenario.points if one.part == "many")
    game = report.trials.query(f"point == {point.number} and trial == 2").iloc[0]
    assert replayed(scenario, point.number, 2).about.seed == game["seed"]
    with pytest.raises(ScenarioError, match="no trial 2; it has trials 0 … 1"):
        replayed(scenario, 0, 2)


def test_a_part_is_played_alone_and_the_claims_of_others_are_skipped(file: Path, tmp_path: Path) -> None:
    report = run(file, out=tmp_path / "one", workers=1, overrides=["parts=many"])
    assert set(report.trials["part"]) == {"many"}
    assert [(one.verdict, one.note) for one in report.findings] == [
        ("SKIPPED", "no game meets \"part == 'few' and protocol == 'randomized'\""),
        ("PASS", ""),
    ]
    assert [one.what for one in load(file, ["parts=[many]"]).skipped] == ["claim", "plot"]


AWAY = """
name: away
protocol: {kind: deterministic, alpha: 0.1}
adversary: round-robin
items: 100
trials: 1
parts:
  part-1: {sites: [4, 8]}
  part-2: {sites: 4, network: {latency: [0, 3]}}
claims:
  - {name: a, where: part == 'part-2', measure: "slope(max_lag_error + 1, latency + 1)", at_least: -9, no_control: one}
  - {name: b, where: part == 'part-2', measure: max(words), at_least: 0, no_control: one}
  - {name: c, where: adversary == 'round-robin', measure: max(words), at_least: 0, no_control: one}
  - {name: d, measure: "max(words, where=(part == 'part-2')) - max(words)", at_most: 0, no_control: one}
plots:
  - {kind: measure, x: latency, y: max_lag_error, where: part == 'part-2'}
  - {kind: error, x: latency, where: part == 'part-2'}
"""


@pytest.mark.parametrize(("adversary", "status"), [("round-robin", 0), ("round-robn", 1)])
def test_what_is_on_a_part_that_is_left_out_is_not_misspelt(file: Path, adversary: str, status: int) -> None:
    """Seen: `max_lag_error`, of a part with a network, was taken for `max_rel_error`, and 'part-2' for 'part-1'."""
    file.write_text(AWAY.replace("'round-robin'", f"'{adversary}'"), encoding="utf-8")
    done = disttrack("check", str(file), "--set", "parts=part-1")
    assert (done.exit_code, done.output.count("no game meets \"part == 'part-2'")) == (status, 5), done.output


def test_what_a_part_gives_is_stated_and_costs_stand_apart(file: Path, tmp_path: Path) -> None:
    file.write_text(TEXT.replace("{kind: randomized, alpha", "{kind: randomized, parameters: median, alpha"))
    report = run(file, out=tmp_path / "both", workers=1)
    assert "median (randomized)" in answer_table(report).subtitle
    listed = pairs(read_tables([report]))
    assert {pair.part for pair in listed} == {"few", "many"}
    assert "exact" not in {pair.protocol for pair in listed if pair.part == "many"}
