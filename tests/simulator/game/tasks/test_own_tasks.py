"""Tasks by reference: played in worker processes, known by their text, checked, described, and refused in one line."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import own_kinds
import pytest
from hostile import hold_line
from loaded_scenarios import loaded

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.runs.jobs import Job
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.runs.worker import play_job
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.columns import TRIAL_COLUMNS, TRIALS
from disttrack.simulator.game.tasks.base import Record, fault_of
from disttrack.simulator.kinds import registry
from disttrack.simulator.kinds.point import Part, Point
from disttrack.simulator.kinds.registry import kinds


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("dice.py").write_text(own_kinds.DICE)
    Path("dice.yaml").write_text(own_kinds.DICE_SCENARIO)
    Path("own.py").write_text("def ends(view):\n    return 0\n")
    return Path("dice.yaml")


def test_every_built_in_task_is_called_as_its_class_says() -> None:
    found = kinds("task")
    assert {"count", "generalisation", "threshold", "item-frequency", "item-rank"} <= set(found)
    for name, kind in found.items():
        assert kind.load().kind == name
        assert Part("task", name).make().rules >= 1


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


def test_a_registered_task_is_known_by_its_name_alone(file: Path) -> None:
    count = Part("task", "count")
    point = replace(load(file).points[0], task=count)
    assert point.identity()["task"] == {"kind": "count", "parameters": {}, "fault": ""}
    assert count.files() == {}


@pytest.mark.slow
def test_a_plot_of_it_has_its_words(file: Path) -> None:
    from disttrack.simulator.experiments.results.read import fixed, read_tables
    from disttrack.simulator.shown.plots import draw

    results = run(load(file, ["faces=6", "bonus=2"]), out="out", workers=1)
    assert [path.name for path in draw(results)] == ["measure-throws-total.png", "measure-throws-total.svg"]
    tables = read_tables([results])
    assert "faces=6 · bonus=2 · " in fixed(tables)
    assert set(tables.where("throws > 10").trials["items"]) == {100}
    assert "throws" in tables.in_words_of_task().trials


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("task=dice.py:Dise", "did you mean 'Dice'"),
        ("task=gone.py:Dice", "there is no file gone.py"),
        (
            "task=disttrack.adversaries:Freeze",
            "is no task: it does not extend disttrack.simulator.game.tasks.base.Task",
        ),
        ("task=diec", "unknown kind 'diec' of task"),
        ("faces=1", "--set faces: must be at least 2; got 1"),
        ("sites=6", "--set sites: unknown key; did you mean 'faces'?"),
        ("zip=[[items, sites]]", "zip[0]: there is nothing at 'items' (accepted: faces, throws)"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(file: Path, override: str, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(file, [override])
    assert said in str(caught.value)
    hold_line(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('Size("throws", "items"', 'Size("throws", "itmes"', "column must be one of sites, items, start"),
        ("def check(self", "def chekc(self", "lacks check: write def check"),
    ],
)
def test_a_task_that_is_wrong_in_itself_is_refused(file: Path, old: str, new: str, said: str) -> None:
    assert old in own_kinds.DICE
    Path("dice.py").write_text(own_kinds.DICE.replace(old, new))
    with pytest.raises(ScenarioError, match=said) as caught:
        load(file)
    hold_line(caught.value)


@pytest.mark.parametrize("name", [*TRIALS, "unsent", "total", "which game ", "in", 3])
def test_a_column_of_its_own_that_is_taken_or_no_name_is_refused(file: Path, name: object) -> None:
    Path("dice.py").write_text(own_kinds.DICE.replace('("total",)', f'("total", {name!r})'))
    with pytest.raises(ScenarioError, match=r"dice\.yaml:\d+: task: dice: columns: "):
        load(file, ["adversary=own.py:ends"])


def test_a_task_that_plays_no_record_stops_the_run_and_one_that_raises_loses_its_games(file: Path) -> None:
    Path("dice.py").write_text(own_kinds.DICE.replace("return Record(row=", "return dict("))
    with pytest.raises(ScenarioError, match="task dice: play must return a Record"):
        run(load(file), out="out", workers=1)
    Path("dice.py").write_text(own_kinds.DICE.replace("total = int(", "total = 1 // 0 + int("))
    report = run(load(file, ["claims=[]"]), out="out", workers=1)
    assert len(report.errors) == 12
    assert "6 faces, 10 throws" in report.errors[0]
    assert "ZeroDivisionError" in report.errors[0]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ("Record([1])", "Record.row must be a mapping; got a list"),
        ("Record({'total': 1}, error=5)", "Record.error must be a text or None; got a int"),
        ("Record({'total': 10**5000})", "Record.row has a number of 16,610 bits"),
        ("Record({'total': chr(0xDC80)})", r"an unwritable text: \udc80"),
        ("Record({'verdict': 'fine'})", "Record.row: verdict must be one of ok, failed, undecided; got 'fine'"),
        ("Record({'words': -5})", "Record.row: words must be a number of at least 0; got -5"),
        ("Record({'failing_fraction': -0.1})", "failing_fraction must be a number of at least 0; got -0.1"),
        ("Record({'lost': -1})", "lost must be a number of at least 0; got -1"),
        ("Record({'sites': 99})", "Record.row: sites is 6 in this game and not 99: leave it out"),
        ("Record({'items': 11})", "items is 10 in this game and not 11: leave it out"),
        ("Record({'total': __import__('numpy').ones(3)})", "must hold text, numbers or None; got a ndarray"),
        ("Record({'total': 1j})", "must hold text, numbers or None; got a complex"),
        ("Record({}, series={'words': 3})", "Record.series must map columns to lists"),
        ("Record({}, series={'words': [1], 'step': []})", "Record.series: lists must be of one length"),
        *(
            (f"Record({{{column.name!r}: {wrong!r}}})", f"Record.row: {column.name} must be a {column.holds}")
            for column in TRIAL_COLUMNS
            for wrong in (True, 3, "many")
            if {"truth": bool, "text": str, "number": int}[column.holds] is not type(wrong)
        ),
    ],
)
def test_a_record_that_no_table_can_hold_stops_the_run_and_is_not_kept(file: Path, record: str, said: str) -> None:
    lines = own_kinds.DICE.rstrip().splitlines()
    Path("dice.py").write_text("\n".join([*lines[:-1], f"        return {record}\n"]))
    point = load(file).points[0]
    with pytest.raises(ScenarioError) as caught:
        play_job(Job("key", point, 0, 1, 1.0, point.made_of()))
    assert said in str(caught.value)
    assert str(caught.value).startswith("task dice: ")
    hold_line(caught.value)


def test_entry_points_register_tasks(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    point = EntryPoint("theirs", "disttrack.simulator.game.tasks.tracking:Count", "disttrack.tasks")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "disttrack.tasks" else [])
    registry.kinds.cache_clear()
    try:
        assert registry.kinds("task")["theirs"].load().kind == "count"
    finally:
        monkeypatch.undo()
        registry.kinds.cache_clear()


def test_alpha_is_that_of_the_point(file: Path) -> None:
    lines = own_kinds.DICE.rstrip().splitlines()
    Path("dice.py").write_text("\n".join([*lines[:-1], "        return Record({'alpha': 0.4})\n"]))
    point = load(file, ["protocol={kind: deterministic, alpha: 0.2}"]).points[0]
    with pytest.raises(ScenarioError, match=r"alpha is 0\.2 in this game and not 0\.4: leave it out"):
        play_job(Job("key", point, 0, 1, 1.0, point.made_of()))


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
