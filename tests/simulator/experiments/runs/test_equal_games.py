"""How often a game is played: one without coins once, if it came to its end; one that kills workers twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import own_kinds
import pytest

from disttrack.simulator.experiments.claims.findings import Finding
from disttrack.simulator.experiments.runs.runner import Report, run

OWN: Final = """
import random
from disttrack import Adversary, Burst, Deterministic, Record, Task

class Mine(Adversary):
    def plan(self, view):
        return Burst(view.changes % view.sites)

class Own(Deterministic):
    pass

class Tosses(Adversary):
    "Has a generator that no seed reaches."
    def plan(self, view):
        return Burst(random.randrange(view.sites))

class Toss(Task):
    "Has a generator of its own from the seed, and shows only whether it came up."
    def check(self, point): pass
    def play(self, point, seed):
        return Record({"verdict": "ok", "ok": True, "max_rel_error": int(random.Random(seed).random() > 0.999)})

class Draws(Adversary):
    def plan(self, view):
        return Burst(int(self.rng(view) * view.sites))
    def rng(self, view):
        return random.Random(str(view.steps)).random()
"""
GAMES: Final = 20
MOST: Final = "fraction(max_rel_error <= 1)"


def found(protocol: Any, adversary: Any, **more: Any) -> Finding:
    claims = [{"name": "c", "measure": MOST, "at_least": 0.5}]
    sides = {"protocol": protocol, "adversary": adversary, **more}
    report = run(
        {"name": "s", "sites": 2, "items": 50, "trials": GAMES, "claims": claims, **sides}, out="out", workers=1
    )
    assert not report.errors
    (finding,) = report.findings
    return finding


@pytest.fixture(autouse=True)
def _in_a_folder_with_classes(folder: Path) -> None:
    (folder / "own.py").write_text(OWN)


@pytest.mark.parametrize("protocol", ["deterministic", "own.py:Own"])
@pytest.mark.parametrize("adversary", ["own.py:Mine", "own.py:Draws"])
def test_equal_games_of_a_class_without_coins_count_once(protocol: str, adversary: str) -> None:
    shipped = found({"kind": "deterministic", "alpha": 0.2}, "round-robin")
    own = found({"kind": protocol, "alpha": 0.2}, {"kind": adversary})
    assert (own.games, own.played) == (shipped.games, shipped.played) == (1, GAMES)
    same = [(one.low, one.high, one.false_alarm, one.power) for one in (own, shipped)]
    assert same[0] == same[1]
    assert own.low == pytest.approx(0.025)


def test_each_point_has_its_own() -> None:
    assert found({"kind": "deterministic", "alpha": 0.2}, {"kind": "own.py:Mine"}, items=[50, 60, 70]).games == 3


@pytest.mark.parametrize(
    ("protocol", "adversary"),
    [("randomized", "own.py:Mine"), ("deterministic", "own.py:Tosses"), ("randomized", "own.py:Tosses")],
)
def test_games_with_coins_count_each(protocol: str, adversary: str) -> None:
    """Also with coins that no stream has: 20 games of 50 tosses are all equal with probability below 1e-30."""
    assert found({"kind": protocol, "alpha": 0.2}, {"kind": adversary}).games == GAMES


def test_games_of_a_task_with_a_generator_of_its_own_count_each() -> None:
    assert found({"kind": "deterministic", "alpha": 0.2}, "round-robin", task="own.py:Toss").games == GAMES


def test_games_that_were_not_played_have_no_seconds() -> None:
    how = {"name": "s", "sites": 2, "items": 50, "trials": GAMES, "protocol": "exact"}
    report = run({**how, "adversary": "round-robin"}, out="out", workers=1)
    assert (report.played, report.alike) == (1, GAMES - 1)
    assert list(report.trials["seconds"].notna()) == [True] + [False] * (GAMES - 1)


def played(adversary: str, mark: Path, trials: int, workers: int) -> Report:
    """Return a run of games of `exact` against a class that notes each of its games in a file."""
    Path("own.py").write_text(own_kinds.RAISES_ONCE + own_kinds.DIES_OFTEN)
    sides = {"protocol": "exact", "adversary": {"kind": f"own.py:{adversary}", "mark": str(mark)}}
    return run({"name": "s", "sites": 2, "items": 100, "trials": trials, **sides}, out="out", workers=workers)


def test_a_game_that_went_wrong_is_not_counted_for_other_seeds(tmp_path: Path) -> None:
    """No coin had fallen in it when it broke off, which says nothing of the other trials; those do share theirs."""
    report = played("RaisesOnce", tmp_path / "once", trials=4, workers=1)
    assert len(report.errors) == 1
    assert report.played + report.alike == 4
    assert report.alike >= 1  # a game of each point comes first; how many go with the next is a matter of pace


def test_a_game_that_kills_its_worker_is_tried_once_more_alone_and_not_for_ever(tmp_path: Path) -> None:
    """Two games, each of which would go through at the tenth try."""
    report = played("DiesOften", tmp_path / "tries", trials=2, workers=2)
    assert len(report.errors) == 2
    assert (tmp_path / "tries").stat().st_size == 2 * 2
