"""The arena: who breaks whom, at what cost, and which game was the worst."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from commands import disttrack

from disttrack import Freeze, arena, load
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.shown.replay.record import replayed
from disttrack.simulator.workshop.advice import candidates
from disttrack.simulator.workshop.arena import GAMES

SMALL: dict[str, Any] = {"sites": 4, "items": 60, "trials": 1, "workers": 1, "game_timeout": 60}
OWN = """
from disttrack import Burst, Deterministic

def picky(view):
    if view.known["kind"] in ("exact", "block"):
        raise KeyError("pick")
    return 0

def pickier(view):
    if view.known["kind"] == "robust":
        raise KeyError("pick")
    return picky(view)

def always(view):
    raise ValueError("bang")

def late(view):
    if view.known["kind"] == "deterministic":  # of the first point
        raise ValueError("bang")
    return 0

def hang(view):
    while True:
        pass

class Half(Deterministic):
    kind = "half"

class Raises(Deterministic):
    kind = "raises"

    def server(self, *given, **more):
        raise RuntimeError("no server")
"""


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "own_arena.py").write_text(OWN)
    return folder


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave three trackers beside the one that enters."""
    monkeypatch.setattr("disttrack.simulator.workshop.arena.candidates", lambda given: islice(candidates(given), 3))


def test_a_tracker_meets_all_attackers_beside_the_trackers_of_its_promise(folder: Path) -> None:
    outcome = arena({"kind": "own_arena.py:Half", "alpha": 0.2}, **SMALL)
    own = outcome.own
    assert (outcome.role, outcome.name) == ("protocol", "half")
    assert {"freeze", "drain", "phase", "uniform"} <= set(own["adversary"])
    assert not {"moves", "trace", "zipf-items", "freeze-item"} & set(own["adversary"])
    assert (own["held"] == 1).all(), "deterministic never fails"
    assert own["over_alpha"].is_monotonic_decreasing
    costs = outcome.costs.set_index("protocol")
    assert {"half", "robust", "deterministic", "martingale", "randomized(delta=0.05)"} <= set(costs.index)
    assert costs["words"].is_monotonic_increasing
    assert costs["words"]["half"] == costs["words"]["deterministic"]
    given = load(outcome.results.dir / "arena.yaml").points
    assert {point.protocol.arguments.get("alpha") for point in given} == {0.2, None}, "one has no accuracy: exact"


@pytest.mark.slow
def test_trackers_that_differ_in_their_promise_have_names_of_their_own(folder: Path) -> None:
    """The one that enters, without delta, is not the shipped one with delta, a hundred times as dear."""
    outcome = arena("randomized:alpha=0.2", **SMALL)
    assert outcome.name == "randomized"
    assert "randomized(delta=0.05)" in set(outcome.matrix["protocol"])
    assert not outcome.matrix.duplicated(["protocol", "adversary"]).any()
    assert len(outcome.own) == outcome.matrix["adversary"].nunique()
    rivals = arena("round-robin", **SMALL)
    assert not rivals.matrix.duplicated(["protocol", "adversary"]).any()


def test_the_worst_game_is_replayed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against some of the trackers: two that fail, and two that never do."""
    some = {name: Count.kinds("protocol")[name] for name in ("block", "deterministic", "exact", "randomized")}
    sides = {"protocol": some, "adversary": Count.kinds("adversary")}
    monkeypatch.setattr(Count, "kinds", staticmethod(sides.__getitem__))
    outcome = arena(Freeze, sites=64, items=4_000, trials=2, workers=1)
    worst = outcome.own.iloc[0]
    assert worst["protocol"] in ("randomized", "block")
    assert worst["failed"] == 2
    assert outcome.replay.endswith(f"--point {worst['point']} --trial {worst['trial']}")
    game = replayed(load(outcome.results.dir / "arena.yaml"), worst["point"], worst["trial"])
    assert game.about.max_rel_error / 0.1 == pytest.approx(worst["over_alpha"])
    held = outcome.own.set_index("protocol")["failed"]
    assert held["deterministic"] == held["exact"] == 0


def test_a_faulty_class_costs_its_own_games_only(folder: Path, few: None) -> None:
    outcome = arena("own_arena.py:Raises", **SMALL)
    mine, others = (outcome.matrix["protocol"] == outcome.name, outcome.matrix["protocol"] != outcome.name)
    assert outcome.matrix[mine]["errors"].sum() >= 10
    assert outcome.matrix[others]["errors"].sum() == 0
    late = arena("own_arena.py:hang", **{**SMALL, "game_timeout": 0.1})
    assert (late.own["errors"] == 1).all()
    assert late.replay == ""
    assert "TimeoutError: took longer than 0.1 s (--game-timeout)" in late.results.errors[0]


def test_the_command_prints_the_matrix_and_the_costs(folder: Path, few: None) -> None:
    given = ["--sites", "4", "--items", "60", "--trials", "1", "--workers", "1"]
    shown = disttrack("arena", "robust:alpha=0.2", *given)
    assert shown.exit_code == 0, shown.output
    assert "robust against all attackers" in shown.output
    assert "robust *" in shown.output
    assert "Trackers of the same alpha\n" in shown.output, "randomized promises it to inputs that do not react"
    assert (folder / "results" / "arena-robust" / "report.html").is_file()


@pytest.mark.parametrize(("entrant", "trials"), [("always", "1"), ("late", "2")])
def test_an_attacker_that_raises_in_the_first_game_costs_its_own_games_only(
    folder: Path, entrant: str, trials: str
) -> None:
    """Seen: a traceback, since the size of the first game, which ended in an error, stands above the table."""
    given = ["--sites", "4", "--items", "60", "--trials", trials, "--workers", "1"]
    shown = disttrack("arena", f"own_arena.py:{entrant}", *given)
    assert shown.exit_code == 1
    assert f"4 sites, 60 items, games per pair: {trials}" in shown.output
    assert f"deterministic alpha=0.1 against {entrant}, 4 sites, 60 items: ValueError: bang" in shown.output
    assert "of others" not in shown.output


def test_errors_of_the_table_are_counted_apart_from_those_beside(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen: "errors: 2" below a table with one, since a game of the stream beside it took too long."""
    monkeypatch.setitem(GAMES, Count, "own_arena.py:pickier")
    given = ["--sites", "4", "--items", "60", "--trials", "1", "--workers", "1"]
    shown = disttrack("arena", "own_arena.py:picky", *given)
    assert shown.exit_code == 1
    assert "picky against all trackers" in shown.output
    assert "Cost" not in shown.output
    assert set(re.findall("(?m)^(exact|block) .* 1 of 1$", shown.output)) == {"exact", "block"}
    assert re.findall("(?m)^(errors|of others): +([0-9]+), first: .* against (.*?),", shown.output) == [
        ("errors", "2", "picky"),
        ("of others", "3", "pickier"),
    ]
