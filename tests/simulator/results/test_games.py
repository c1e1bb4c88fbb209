"""The table of games that claims speak of: what each kind of message has cost, whoever sent it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from disttrack.simulator.claims.groups import COINLESS, GAME
from disttrack.simulator.results.games import Games, game_row
from disttrack.simulator.results.write import write_tables
from disttrack.simulator.scenario.load import Scenario, load
from disttrack.simulator.tasks.base import Record, lost

SMALL = """\
sites: 3
items: 50
trials: 2
protocol: {kind: exact}
adversary: round-robin
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    (tmp_path / "small.yaml").write_text(SMALL)
    return load(tmp_path / "small.yaml")


def games_of(scenario: Scenario, *kinds: dict[str, list[Any]]) -> Games:
    games = Games(scenario)
    for trial, of in enumerate(kinds):
        record = Record({"items": 50, "words": 9, "ok": True}, kinds=of)
        games.add(game_row(scenario, scenario.points[0], trial, 1, record), record, scenario.points[0])
    return games


def test_a_kind_that_goes_both_ways_costs_what_both_cost(scenario: Scenario) -> None:
    """And one that a game does not have costs it nothing."""
    first = {
        "kind": ["ask", "re-ply", "ask"],
        "direction": ["up", "up", "down"],
        "words": [3, 20, 5],
        "messages": [1, 2, 4],
    }
    second = {"kind": ["re-ply"], "direction": ["up"], "words": [7], "messages": [6]}
    games = games_of(scenario, first, second)
    assert games.kinds == ["words_ask", "words_re_ply", "messages_ask", "messages_re_ply"]
    table = games.columns(["words_never"])
    assert {name: table[name].tolist() for name in (*games.kinds, "words_never")} == {
        "words_ask": [8, 0],
        "words_re_ply": [20, 7],
        "messages_ask": [5, 0],
        "messages_re_ply": [2, 6],
        "words_never": [0, 0],
    }


@pytest.mark.parametrize("coins", [True, False])
def test_games_without_coins_are_the_same_under_every_seed(scenario: Scenario, coins: bool) -> None:
    games = Games(scenario)
    for trial in range(3):
        record = Record({"items": 50, "words": 9, "ok": True}, coins=coins)
        row = game_row(scenario, scenario.points[0], trial, trial, record)
        games.add(row, record, scenario.points[0], broken=trial == 2)
    table = games.columns()
    assert table[GAME].tolist() == ([0, 1, 2] if coins else [0, 0, 1])  # a broken one is that of no other point
    assert table[COINLESS].tolist() == [not coins] * 3


def test_games_of_some_points_are_left_out(scenario: Scenario) -> None:
    games = games_of(scenario, {"kind": ["ask"], "words": [3], "messages": [1]}, {})
    assert len(games) == 2
    assert len(games.without([1])) == 2
    assert len(games.without([0])) == 0
    assert games.without([1]).columns()["words_ask"].tolist() == [3, 0]
    assert games.known_before(0) == {"sites": 3, "items": 50, "alpha": None}
    assert games.known_before(1) == {}


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
