"""Tasks by reference: played in worker processes, known by their text, and described. Refusals: messages/task.txt."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import own_kinds
import pytest
from loaded_scenarios import loaded

from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.tasks.base import Record, fault_of
from disttrack.simulator.kinds.point import Point


@pytest.fixture
def file(folder: Path) -> Path:
    Path("dice.py").write_text(own_kinds.DICE)
    Path("dice.yaml").write_text(own_kinds.DICE_SCENARIO)
    Path("own.py").write_text("def ends(view):\n    return 0\n")
    return Path("dice.yaml")


def test_a_task_of_ones_own_is_played_and_its_claims_are_judged(file: Path) -> None:
    report = run(load(file), out="out", workers=1)
    assert report.ok
    trials = report.trials
    assert set(trials["task"]) == {"dice"}
    assert trials["sites"].tolist() == [6] * 6 + [20] * 6
    assert (trials["total"] >= trials["items"]).all()
    claims = report.claims
    assert claims["verdict"].tolist() == ["PASS"] * 3
    assert claims["group"].tolist()[:2] == ["faces == 6.0", "faces == 20.0"]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2], ids=["fork", "spawn"])
def test_workers_are_sent_its_text(file: Path, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run(load(file), out="here", workers=1)
    scenario = load(file)
    Path("dice.py").unlink()
    Path("elsewhere").mkdir()
    monkeypatch.setattr("threading.active_count", lambda: threads)
    run(scenario, out="there", workers=2)
    for name in ("series.csv", "kinds.csv", "claims.csv"):
        assert Path("here", name).read_bytes() == Path("there", name).read_bytes()
    one, other = (run(scenario, out=out, workers=1).trials for out in ("here", "there"))
    assert one.drop(columns="seconds").equals(other.drop(columns="seconds"))


def test_a_game_is_known_by_the_text_of_its_task(file: Path) -> None:
    point = load(file).points[0]
    assert pickle.loads(pickle.dumps(point)).identity() == point.identity()
    assert run(load(file), out="out", workers=1).kept == 0
    assert run(load(file), out="out", workers=1).kept == 12
    Path("dice.py").write_text(own_kinds.DICE.replace('("die",)', '("", "die")'))
    again = run(load(file), out="out", workers=1)
    assert (again.kept, again.played) == (0, 12)


def test_a_task_that_raises_loses_its_games(file: Path) -> None:
    Path("dice.py").write_text(own_kinds.DICE.replace("total = int(", "total = 1 // 0 + int("))
    report = run(load(file, ["claims=[]"]), out="out", workers=1)
    assert len(report.errors) == 12
    assert "6 faces, 10 throws" in report.errors[0]
    assert "ZeroDivisionError" in report.errors[0]


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ({"verdict": "failed", "ok": True}, "failed"),
        ({"verdict": "ok", "ok": False}, "ok"),
        ({"verdict": "undecided", "ok": True}, "undecided"),
        ({"verdict": "ok"}, "ok"),
        ({"ok": True}, "ok"),
        ({"ok": False}, "failed"),
    ],
)
def test_a_game_is_ok_by_its_verdict(row: dict[str, Any], verdict: str) -> None:
    record = Record(row)
    assert (record.verdict, record.ok) == (verdict, verdict == "ok")


@pytest.mark.slow
def test_no_game_of_a_registered_task_states_another_fact_than_its_point() -> None:
    """A game of each, at the point of a shipped scenario that takes least."""
    of_task: dict[str, list[Point]] = {}
    for scenario in loaded().values():
        for point in scenario.points:
            of_task.setdefault(point.task.kind, []).append(point)
    assert len(of_task) >= 15
    for name, points in of_task.items():
        task = points[0].task.make()
        point = min(points, key=lambda one: task.demand(one).seconds)
        faults = fault_of(task.play(point, 1), point)
        audited = name.startswith("audit") and "items is" in faults  # the items of both neighbours, or of a sample
        assert audited or not faults, f"{name}: {faults}"
