"""The table of claims: statements, measured values, and claims without results."""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.claims.statements import PAPERS, STATEMENTS, key_of
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.game.columns import CLAIMS
from handbook.claims import Measured, claims_with_results, pages

ROOT = Path(__file__).parents[2]
SCENARIO = """
name: small
task: count
sites: 4
items: 10
protocol: {kind: exact}
adversary: {kind: round-robin}
claims:
  - {name: it holds, measure: fraction(ok), at_least: 0.9, source: 'SOURCE'}
  - {name: words, each: sites, measure: median(words), at_most: 3}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    (tmp_path / "scenarios").mkdir()
    path = tmp_path / "scenarios" / "small.yaml"
    path.write_text(SCENARIO.replace("SOURCE", "Lemma 7"), encoding="utf-8")
    return path


def results(folder: Path, *rows: dict[str, Any]) -> Path:
    """Write a claims.csv as a run does, for the scenario `small`."""
    (folder / "small").mkdir(parents=True)
    with open(folder / "small" / "claims.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, CLAIMS, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return folder


def page(claims: list[Measured]) -> str:
    """Return the text of all pages."""
    return "".join(pages(claims).values())


HELD = {
    "name": "it holds", "measure": "fraction(ok)", "value": 0.95, "low": 0.887, "high": 0.984, "bound": ">= 0.9",
    "games": 100, "verdict": "PASS",
}  # fmt: skip
GROUPS = [
    {"name": "words", "measure": "median(words)", "group": f"sites == {k}", "value": words, "bound": "<= 3",
     "games": 5, "verdict": "PASS" if words <= 3 else "FAIL"}
    for k, words in ((4, 2), (8, 4))
]  # fmt: skip


def test_a_measured_claim_stands_under_its_statement(scenario: Path, tmp_path: Path) -> None:
    folder = results(tmp_path / "results", HELD, *GROUPS)
    held, words = claims_with_results([scenario], folder)
    assert held.verdict == "holds"
    cells = ["`small`: it holds", "`fraction(ok)`", "0.95", "0.887 … 0.984", ">= 0.9", "", "100", "", "", "", "holds"]
    assert held.row() == cells
    (again, _) = claims_with_results([scenario], results(tmp_path / "copied", {**HELD, "played": 120}))
    assert again.row()[6] == "100 (120 played)"
    renamed = scenario.rename(scenario.with_name("other.yaml"))
    assert claims_with_results([renamed], folder)[0].row() == cells, "results have the scenario's name, not the file's"
    assert words.verdict == "**fails** in 1 of 2"
    assert words.row()[2] == "2 … 4 (2 groups)"
    text = page([held, words])
    under = text.split("## Lemma 7\n")[1].split("## ")[0]
    assert "`small`: it holds" in under
    assert "`small`: words" in pages([held, words])["claims-beyond-the-papers.md"]
    assert "2 claims: 1 hold, 1 fail, 0 are vacuous, 0 are undecided, 0 have not been run" in text


FAINT = [{**row, "false_alarm": rate} for row, rate in zip(GROUPS, (6e-5, 7e-5), strict=True)]
POWERS = [{**row, "power": power, "of_goal": goal} for row, power, goal in zip(GROUPS, (3.1, 4), (0.5, 2), strict=True)]
CONTROLLED = ("at_least: 0.9,", "at_least: 0.9, control: {protocol: randomized},")
DEFINED = ("at_most: 3", "at_most: 3, no_control: it is a definition")
WEAK = ("at_most: 3", "at_most: 3, weak: few games")


@pytest.mark.parametrize(
    ("edits", "rows", "columns", "cells", "text"),
    [
        ((CONTROLLED, DEFINED), [{**HELD, "control": 0.4}, *GROUPS], (5, 6), ["0.4 (protocol randomized)"],
         "1 of them have a control"),
        ((CONTROLLED, DEFINED), [{**HELD, "control": 0.4}, *GROUPS], (5, 6), ["none: it is a definition"], ""),
        ((CONTROLLED,), [], (5, 6), ["not run (protocol randomized)"], "2 have not been run"),
        ((CONTROLLED,), [{**HELD, "control": 0.95, "verdict": "VACUOUS"}], (10, 11), ["**vacuous**"], "1 are vacuous"),
        ((), [{**HELD, "measure": "fraction(words > 3)"}], (10, 11), ["not run"], "2 have not been run"),
        ((), [{**HELD, "false_alarm": 2.5e-7}, *FAINT], (7, 8), ["2e-07"],
         "rate of at most 0.0001; not: `small`: words (0.0001)."),
        ((), [{**HELD, "false_alarm": 0.0}, FAINT[0], GROUPS[1]], (7, 8), ["0"], "not: `small`: words (not known)."),
        ((WEAK,), [{**HELD, "power": 0.85, "of_goal": 1.0}, *POWERS], (8, 10), ["3.1 … 4", "2: few games"],
         "1 of 2 measured claims reach the goal of their power; 1 of the other 1 say why they do not."),
        ((WEAK,), [HELD, POWERS[0], GROUPS[1]], (8, 10), ["3.1", "infinite: few games"],
         "0 of 2 measured claims reach the goal of their power; 1 of the other 2 say why"),
    ],
)  # fmt: skip
def test_what_stands_beside_a_claim(
    edits: tuple[tuple[str, str], ...],
    rows: list[dict[str, Any]],
    columns: tuple[int, int],
    cells: list[str],
    text: str,
    scenario: Path,
    tmp_path: Path,
) -> None:
    """Its control, its rate of false alarms, which adds up over groups, and its power; in a row and on the page."""
    for old, new in (("SOURCE", "Lemma 7"), *edits):
        scenario.write_text(scenario.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    claims = claims_with_results([scenario], results(tmp_path / "results", *rows) if rows else Path())
    assert cells in [claim.row()[slice(*columns)] for claim in claims]
    assert text in page(claims)


def test_an_unknown_statement_is_refused_with_the_nearest(scenario: Path) -> None:
    scenario.write_text(SCENARIO.replace("SOURCE", "Lema 7"), encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"small\.yaml.*'Lema 7' names no statement"):
        claims_with_results([scenario], Path())


def test_the_overview_links_to_all_pages(scenario: Path, tmp_path: Path) -> None:
    made = pages(claims_with_results([scenario], results(tmp_path / "results", HELD)))
    linked = re.findall(r"\]\((claims-.*?)\)", made["claims.md"])
    assert len(linked) == len(PAPERS) + 1
    assert set(made) == {*linked, "claims.md"}


def test_the_shipped_scenarios_name_statements_only_and_each_has_a_claim_a_test_or_a_reason() -> None:
    shipped = sorted(shipped_scenarios().values())
    claims = claims_with_results(shipped, Path())
    assert len(shipped) >= 10
    named = {key_of(source) for claim in claims for source in claim.claim.sources}
    assert named <= set(STATEMENTS)
    assert without(named) <= AUDITED, "statements with nothing"


AUDITED = {"Robust tracking: Lemma 1", "Robust tracking: Theorem 2, privacy"}
"""Statements that audits bear, whose scenarios are those of a package that plugs in."""


def without(named: set[str | None]) -> set[str]:
    """Return the statements that have neither a claim among those named, nor a test, nor a reason."""
    return {key for key, one in STATEMENTS.items() if key not in named and not one.tests and not one.untested}


def test_each_statement_has_one_name_and_says_something() -> None:
    assert len(PAPERS[0].statements) >= 38
    assert all(len(paper.statements) >= 10 for paper in PAPERS)
    assert len(STATEMENTS) == sum(len(paper.statements) for paper in PAPERS)
    assert all(one.says.endswith(".") for one in STATEMENTS.values())


def named_functions(file: Path) -> set[str]:
    """Return the test functions of a file."""
    return {node.name for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}


def missing_tests(tests: Iterable[str]) -> list[str]:
    """Return those of some tests, named as pytest names them, that are not there."""
    missing = []
    for test in tests:
        file, _, function = test.partition("::")
        path = ROOT / file
        if not function.startswith("test_") or not path.is_file() or function not in named_functions(path):
            missing.append(test)
    return missing


@pytest.mark.slow
def test_the_tests_that_bear_statements_are_there() -> None:
    tests = [one.test for statement in STATEMENTS.values() for one in statement.tests]
    assert len(set(tests)) >= 10
    assert not missing_tests(tests)


def test_a_name_that_no_paper_has_or_several_is_refused(scenario: Path) -> None:
    """Of a name that several have, that of the tracker's paper is meant."""
    assert key_of("Theorem 4") == "Robust tracking: Theorem 4"
    assert key_of("Theorem 8") is None
    scenario.write_text(SCENARIO.replace("SOURCE", "Theorem 8"), encoding="utf-8")
    with pytest.raises(ScenarioError, match="source 'Theorem 8' names no statement, or several"):
        claims_with_results([scenario], Path())
