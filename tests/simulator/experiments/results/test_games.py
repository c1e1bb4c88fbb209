"""The table of games that claims speak of: what each kind of message has cost, whoever sent it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from disttrack.simulator.experiments.claims.findings import Finding
from disttrack.simulator.experiments.results.write import write_tables
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.tasks.base import Record, lost

SMALL = """\
sites: 3
items: 50
trials: 2
protocol: {kind: exact}
adversary: round-robin
"""


def judged(folder: Path, claims: str, *records: Record, broken: Sequence[Record] = ()) -> list[Finding]:
    """Return the outcomes of claims on games of the only point, and of its only control."""
    (folder / "small.yaml").write_text(f"{SMALL}claims: [{claims}]\n")
    scenario = load(folder / "small.yaml")
    controls = [(scenario.broken[0][0].number, place, place, record) for place, record in enumerate(broken)]
    return write_tables(folder, scenario, [(0, place, place, one) for place, one in enumerate(records)], controls)[0]


def test_a_kind_that_goes_both_ways_costs_what_both_cost(tmp_path: Path) -> None:
    """And one that a game does not have costs it nothing."""
    first = {
        "kind": ["ask", "re-ply", "ask"],
        "direction": ["up", "up", "down"],
        "words": [3, 20, 5],
        "messages": [1, 2, 4],
    }
    second = {"kind": ["re-ply"], "direction": ["up"], "words": [7], "messages": [6]}
    games = [Record({"items": 50, "words": 9, "ok": True}, kinds=kinds) for kinds in (first, second)]
    columns = [f"{measure}({unit}_{kind})" for unit in ("words", "messages") for kind in ("ask", "re_ply")
               for measure in ("min", "max")]  # fmt: skip
    claims = ", ".join(f"{{name: c, measure: {one}, at_least: 0}}" for one in columns)
    assert [finding.value for finding in judged(tmp_path, claims, *games)] == [0, 8, 7, 20, 0, 5, 2, 6]


@pytest.mark.parametrize("coins", [True, False])
def test_games_without_coins_are_the_same_under_every_seed(tmp_path: Path, coins: bool) -> None:
    record = Record({"items": 50, "words": 9, "ok": True}, coins=coins)
    (finding,) = judged(tmp_path, "{name: c, measure: min(words), at_least: 1}", *[record] * 3)
    assert (finding.games, finding.played) == ((3, 3) if coins else (1, 3))


def test_a_control_is_judged_with_broken_games_in_place_of_intact_ones(tmp_path: Path) -> None:
    """In the columns of the point as it was: the condition names its size, not the broken one."""
    claim = "{name: c, where: items == 50, measure: max(words), at_most: 9, control: {items: 5}}"
    intact, broken = (Record({"items": items, "words": words, "ok": True}) for items, words in ((50, 9), (5, 40)))
    (finding,) = judged(tmp_path, claim, intact, broken=[broken])
    assert (finding.value, finding.control) == (9, 40)


def test_errors_of_controls_are_named_as_such(tmp_path: Path) -> None:
    claim = "claims: [{name: c, measure: min(words), at_least: 1, control: {items: 5}}]\n"
    (tmp_path / "small.yaml").write_text(SMALL + claim)
    scenario = load(tmp_path / "small.yaml")
    (control,) = scenario.controls
    record = Record({"items": 50, "words": 9, "ok": True, "verdict": "ok"})
    games = [(0, 0, 1, record), (0, 1, 2, lost("ValueError: no"))]
    broken = [(control.points[0].number, 0, 1, lost("OSError: gone"))]
    (tmp_path / "out").mkdir()
    (finding,), errors = write_tables(tmp_path / "out", scenario, games, broken)
    assert [error.split(":")[0] for error in errors] == ["point 0, trial 1", "control, point 1, trial 0"]
    assert (finding.name, finding.games) == ("c", 1)
    rows = list(csv.DictReader((tmp_path / "out" / "controls.csv").read_text().splitlines()))
    assert [(row["claim"], row["broken"], row["verdict"]) for row in rows] == [("c", "items 5", "error")]
    assert len((tmp_path / "out" / "errors.txt").read_text().splitlines()) == 5
