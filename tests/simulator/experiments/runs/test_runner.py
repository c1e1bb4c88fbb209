"""Running: the same tables for all workers, nothing played twice, errors kept apart."""

from __future__ import annotations

import csv
import json
import os
import time
from pathlib import Path
from typing import Any

import own_kinds
import pytest

import disttrack
from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.experiments.runs.progress import Progress
from disttrack.simulator.experiments.runs.runner import Report, run
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.columns import TRIALS
from disttrack.simulator.game.engines import Leap
from disttrack.simulator.game.tasks.tracking import Count

SMALL = """\
name: small
seed: 3
trials: 3
sites: [2, 5]
items: 2000
protocol:
  - {kind: randomized, alpha: 0.2}
  - {kind: deterministic, alpha: 0.1, centred: [false, true]}
adversary: [uniform, freeze]
claims:
  - {name: it costs something, measure: min(words), at_least: 1}
  - {name: reports are words too, measure: min(words_report), at_least: 1}
"""
GAMES = 2 * 3 * 2 * 3


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SMALL)
    return Path("small.yaml")


def play(file: Path, *overrides: str, **options: Any) -> Report:
    return run(load(file, overrides), **{"out": "out", "workers": 1, **options})


def new(report: Report) -> int:
    """Return the number of games whose outcome a run has added."""
    return report.played + report.alike


def table(folder: str | Path, name: str = "trials.csv", without: str = "seconds") -> list[dict[str, str]]:
    with open(Path(folder) / name, encoding="utf-8", newline="") as lines:
        return [{key: value for key, value in row.items() if key != without} for row in csv.DictReader(lines)]


def everything(folder: str | Path) -> dict[str, Any]:
    """Return all that must not depend on who played: the tables, byte by byte but for `seconds`."""
    exact = {name: (Path(folder) / name).read_bytes() for name in ("series.csv", "kinds.csv", "claims.csv")}
    return {**exact, "trials": table(folder)}


def test_a_row_a_game_in_the_order_of_points_and_trials(file: Path) -> None:
    report = play(file)
    rows = table("out", without="")
    assert list(rows[0]) == [*TRIALS, "centred"]
    assert [(int(row["point"]), int(row["trial"])) for row in rows] == [(p, t) for p in range(12) for t in range(3)]
    for row in rows:
        assert row["task"] == "count"
        assert row["verdict"] in ("ok", "failed")
        assert row["ok"] == str(row["verdict"] == "ok")
        assert int(row["words"]) == int(row["words_up"]) + int(row["words_down"])
    assert report.ok
    assert report.played + report.alike == GAMES
    assert len({(row["trial"], row["seed"]) for row in rows}) == len({row["seed"] for row in rows}) == 3
    row = next(r for r in rows if r["protocol"] == "randomized" and r["adversary"] == "freeze")
    randomized = disttrack.Randomized(alpha=0.2)
    game = disttrack.play(randomized, disttrack.Freeze(), sites=int(row["sites"]), items=2000, seed=int(row["seed"]))
    assert (str(game.words), repr(game.max_rel_error)) == (row["words"], row["max_rel_error"])
    sums: dict[tuple[str, str], int] = {}
    for row in table("out", "kinds.csv"):
        key = (row["point"], row["trial"])
        sums[key] = sums.get(key, 0) + int(row["words"])
    assert sums == {(row["point"], row["trial"]): int(row["words"]) for row in rows}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("threads", [1, 2], ids=["fork", "spawn"])
def test_workers_make_the_same_tables(file: Path, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    play(file)
    monkeypatch.setattr("threading.active_count", lambda: threads)
    report = play(file, out="two", workers=2)
    assert report.played + report.alike == GAMES
    assert everything("two") == everything("out")


def test_other_seeds_make_other_tables(file: Path) -> None:
    play(file)
    play(file, "seed=4", out="other")
    assert everything("other")["series.csv"] != everything("out")["series.csv"]


def test_nothing_is_played_twice(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(file)
    before = everything("out")
    played: list[int] = []
    original = Count.play
    monkeypatch.setattr(Count, "play", lambda self, point, seed: (played.append(seed), original(self, point, seed))[1])
    report = play(file)
    assert (report.played, report.kept, played) == (0, GAMES, [])
    assert everything("out") == before
    # more trials, more points, an entry moved: only what is new is played
    assert new(play(file, "trials=4")) == GAMES // 3
    assert new(play(file, "trials=4", "sites=[5, 3, 2]")) == 6 * 4
    assert new(play(file, "protocol.1.alpha=0.2", "trials=2")) == 2 * 2 * 2 * 2
    assert new(play(file, fresh=True)) == GAMES
    assert everything("out") == before


def test_a_game_without_coins_is_played_for_one_seed(file: Path) -> None:
    report = play(file)
    # deterministic (plain and centred) against freeze at 2 and at 5 sites: of 3 trials each, two are known from one
    assert report.alike == 2 * 2 * 2
    rows = [row for row in table("out") if row["protocol"] == "deterministic" and row["adversary"] == "freeze"]
    for row in rows:
        protocol = disttrack.Deterministic(alpha=0.1, centred=row["centred"] == "True")
        game = disttrack.play(protocol, disttrack.Freeze(), sites=int(row["sites"]), items=2000, seed=int(row["seed"]))
        assert not game.coins
        assert (str(game.words), repr(game.max_rel_error)) == (row["words"], row["max_rel_error"])
    more = play(file, "trials=5")
    assert more.alike == 2 * 2  # of two more trials each, one is played
    assert new(more) == 12 * 2


def test_another_version_of_the_rules_plays_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(file)
    monkeypatch.setattr(Count, "rules", 1000)
    assert new(play(file)) == GAMES


def test_equal_points_share_their_games(file: Path) -> None:
    """Those of different parts: within one, a point that is given twice is refused."""
    report = play(file, "parts={one: {sites: 2}, other: {sites: 2}}")
    assert new(report) == GAMES // 2
    rows = table("out")
    assert len(rows) == GAMES
    strip = [{key: value for key, value in row.items() if key not in ("point", "part")} for row in rows]
    assert strip[: GAMES // 2] == strip[GAMES // 2 :]


def test_an_interrupted_run_goes_on(file: Path) -> None:
    play(file, out="whole")

    def interrupt(progress: Progress) -> None:
        if progress.played >= 5 and not progress.finished:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(file, on_progress=interrupt)
    report = play(file)
    assert report.kept >= 5
    assert new(report) == GAMES - report.kept
    assert everything("out") == everything("whole")


def test_progress_counts_every_game_once(file: Path) -> None:
    seen: list[tuple[int, float]] = []
    play(file, on_progress=lambda p: seen.append((p.done, p.share)))
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == ((0, 0.0), (GAMES, 1.0))
    play(file, "trials=6", on_progress=lambda p: seen.append((p.done, p.share)))
    assert (GAMES, 0.5) in seen
    assert seen[-1] == (2 * GAMES, 1.0)


def test_games_that_were_not_played_have_time_left_too(file: Path) -> None:
    said: list[tuple[str, float]] = []
    play(file, "trials=1", on_progress=lambda p: said.append((p.words(1.0), p.left)))
    assert said[0][0].startswith("0 of 12 games")
    assert said[0][1] > 0
    assert said[-1][1] == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_long_game_shows_its_share(file: Path, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []

    def wait(self: Leap) -> None:
        self.env.run(until=500)
        begun = time.monotonic()
        while not seen or seen[-1] != seen[-1]:
            time.sleep(0.1)
            if workers > 1 and time.monotonic() > begun + 3:  # in another process
                break

    monkeypatch.setattr(Leap, "run", wait)
    options = ["trials=1", "engine=leap", "sites=2", "adversary=freeze", "protocol=[{kind: exact}]"]
    play(file, *options, "claims=[]", workers=workers, game_timeout=60 if workers > 1 else None,
         on_progress=lambda p: seen.append(p.in_play))  # fmt: skip
    assert max(share for share in seen if share == share) == pytest.approx(0.25, abs=0.01)


def test_tables_are_not_written_again_when_nothing_is_new(file: Path) -> None:
    tables = [Path("out") / name for name in ("trials.csv", "series.csv", "kinds.csv", "claims.csv")]
    first = play(file, "trials=1")
    before = [path.stat().st_ino for path in tables]
    second = play(file, "trials=1")
    assert [path.stat().st_ino for path in tables] == before
    assert second.findings == first.findings
    tables[1].write_text(tables[1].read_text()[:500])
    assert play(file, "trials=1").findings == first.findings  # a table that was cut is written again
    assert len(table("out", "series.csv")) > 1000
    again = [path.stat().st_ino for path in tables]
    assert len(play(file, "trials=1", "claims=[{name: c, measure: min(words), at_least: 2}]").findings) == 1
    assert tables[3].stat().st_ino != again[3]


def test_an_adversary_that_raises_loses_its_own_games_only(file: Path) -> None:
    Path("own.py").write_text(own_kinds.RAISES)
    report = play(file, "adversary=[own.py:Raises, round-robin]", "trials=4")
    rows = table("out")
    lost = [row for row in rows if row["adversary"] == "Raises" and row["verdict"] == "error"]
    assert 0 < len(lost) < 6 * 4  # fixed seeds: some do, some do not
    assert len(report.errors) == len(lost)
    assert all("RuntimeError: went wrong on purpose" in error for error in report.errors)
    assert "own.py" in Path("out/errors.txt").read_text()
    assert not report.ok
    assert {row["verdict"] for row in rows if row["adversary"] == "round-robin"} <= {"ok", "failed"}
    assert json.loads(Path("out/manifest.json").read_text())["games"]["errors"] == len(lost)
    # an error may be mended: such games are played again, the others are kept
    again = play(file, "adversary=[own.py:Raises, round-robin]", "trials=4")
    assert again.played == len(lost)
    Path("own.py").write_text(own_kinds.RAISES.replace("< 0.5", "< 0"))
    mended = play(file, "adversary=[own.py:Raises, round-robin]", "trials=4")
    assert mended.errors == []
    assert not Path("out/errors.txt").exists()


def test_an_impossible_move_costs_its_games_and_has_its_step(file: Path) -> None:
    Path("own.py").write_text(own_kinds.STRAYS)
    report = play(file, "adversary=[round-robin, own.py:Strays]")
    assert report.trials.groupby("adversary")["verdict"].agg(set).to_dict()["Strays"] == {"error"}
    assert "MoveError: adversary Strays: named site 2 at step" in report.errors[0]


REPLACES = """\
from pathlib import Path
from disttrack import Adversary, Burst
class Replaces(Adversary):
    def __init__(self, file: str):
        self.file = file
    def plan(self, view):
        Path(self.file).write_text("other data")
        return Burst(0)
"""


def test_a_file_that_is_replaced_during_a_game_stops_the_run(file: Path) -> None:
    Path("own.py").write_text(REPLACES)
    Path("data.txt").write_text("data")
    with pytest.raises(ScenarioError, match=r"file: another one at .* than when planned"):
        play(file, "adversary={kind: own.py:Replaces, file: data.txt}", "trials=1", "sites=2", "protocol=exact")
    assert not Path("out/trials.csv").exists()


@pytest.mark.slow
def test_a_worker_that_dies_costs_time_not_results(file: Path, tmp_path: Path) -> None:
    Path("own.py").write_text(own_kinds.DIES)
    mark = tmp_path / "died"
    overrides = (f"adversary={{kind: own.py:Dies, mark: {mark}}}", "trials=4")
    report = play(file, *overrides, workers=2)
    assert mark.exists()
    assert new(report) == 24
    assert report.errors == []
    mark.touch()
    play(file, *overrides, out="calm", workers=1)
    assert everything("out") == everything("calm")


def test_python_gives_pandas(file: Path) -> None:
    results = run(file, workers=1, overrides=["trials=1"])
    assert results.dir == Path("results/small,trials=1")
    assert results.manifest["overrides"] == ["trials=1"]
    assert len(results.trials) == 12
    assert set(results.series.columns) >= {"point", "trial", "step", "items", "output", "rel_error", "words"}
    assert results.series.groupby(["point", "trial"])["items"].max().eq(2000).all()
    assert list(results.claims["verdict"]) == ["SKIPPED", "SKIPPED"]  # the file states three trials
    assert results.manifest["scenario"]["trials"] == 1
    assert results.ok


def test_folders_that_cannot_be_written(file: Path) -> None:
    Path("taken").write_text("a file")
    with pytest.raises(ScenarioError, match="taken: is a file; name a folder"):
        play(file, out="taken")
    with pytest.raises(ScenarioError, match="workers must be a whole number of at least 1"):
        play(file, workers=0)


def test_nothing_half_written_stays(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(file)
    before = everything("out")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("disttrack.simulator.experiments.results.files.os.replace", full)
    with pytest.raises(RunError, match="cannot be written: No space left on device"):
        play(file, "trials=4")
    monkeypatch.setattr("disttrack.simulator.experiments.results.files.os.replace", os.replace)
    assert not list(Path("out").glob(".part*"))
    assert everything("out") == before


def test_faults_that_never_came_are_counted(tmp_path: Path) -> None:
    """Site 0 of `exact` sends each of its items: 25 in 50 steps, 50 in 100."""
    data = {
        "name": "x", "sites": 2, "items": [50, 100], "trials": 3, "protocol": "exact", "adversary": "round-robin",
        "network": [{"faults": "message 26 from 0 lost; message 1 to 1 lost; server down 60-61"}, {"latency": 1}],
    }  # fmt: skip
    for _ in range(2):  # also of games that are kept
        assert run(data, out=tmp_path / "out", workers=1).unmet == [
            "faults: message 26 from site 0 is never sent in 3 of 6 games",
            "faults: message 1 to site 1 is never sent in 6 of 6 games",
            "faults: server down 60-61 is after the last step in 3 of 6 games",
        ]
