"""Running: the same tables for all workers, nothing played twice, errors kept apart."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path
from typing import Any

import own_kinds
import pytest
from kept_games import tables

import disttrack
from disttrack.simulator.errors import ScenarioError
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
def file(folder: Path) -> Path:
    (folder / "small.yaml").write_text(SMALL)
    return Path("small.yaml")


def play(file: Path, *overrides: str, **options: Any) -> Report:
    return run(load(file, overrides), **{"out": "out", "workers": 1, **options})


def new(report: Report) -> int:
    """Return the number of games whose outcome a run has added."""
    return report.played + report.alike


def everything(folder: str) -> dict[str, Any]:
    """Return all that must not depend on who played."""
    return tables(Path(folder))


def table(folder: str, name: str = "trials.csv") -> list[dict[str, str]]:
    with open(Path(folder) / name, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_a_row_a_game_in_the_order_of_points_and_trials(file: Path) -> None:
    report = play(file)
    rows = table("out")
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


def test_equal_points_share_their_games(file: Path) -> None:
    """Those of different parts: within one, a point that is given twice is refused."""
    report = play(file, "parts={one: {sites: 2}, other: {sites: 2}}")
    assert new(report) == GAMES // 2
    rows = table("out")
    assert len(rows) == GAMES
    strip = [{key: value for key, value in row.items() if key not in ("point", "part", "seconds")} for row in rows]
    assert strip[: GAMES // 2] == strip[GAMES // 2 :]


def test_counts_of_games_add_up_where_a_control_shares_them(file: Path) -> None:
    claim = "measure: fraction(ok), where: adversary == 'freeze', at_least: 0.1, control: {adversary: uniform}"
    games = play(file, f"claims=[{{name: one, {claim}}}]").manifest["games"]
    assert games["shared"] > 0
    assert games["all"] + games["controls"] - games["shared"] == games["played"] + games["alike"] + games["kept"]


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
    left: list[float] = []
    play(file, on_progress=lambda p: (seen.append((p.done, p.share)), left.append(p.left)))
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == ((0, 0.0), (GAMES, 1.0))
    assert left[0] > left[-1] == 0  # also by games without coins, of which one is played
    play(file, "trials=6", on_progress=lambda p: seen.append((p.done, p.share)))
    assert (GAMES, 0.5) in seen
    assert seen[-1] == (2 * GAMES, 1.0)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_long_game_shows_its_share(file: Path, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    shown = file.with_name("shown")

    def look(progress: Progress) -> None:
        seen.append(progress.in_play)
        if progress.in_play > 0:
            shown.touch()

    def wait(self: Leap) -> None:
        self.env.run(until=500)
        end = time.monotonic() + 20
        while not shown.exists() and time.monotonic() < end:
            time.sleep(0.02)

    monkeypatch.setattr(Leap, "run", wait)
    options = ["trials=1", "engine=leap", "sites=2", "adversary=freeze", "protocol=[{kind: exact}]"]
    play(file, *options, "claims=[]", workers=workers, game_timeout=60 if workers > 1 else None,
         on_progress=look)  # fmt: skip
    assert max(share for share in seen if share == share) == pytest.approx(0.25, abs=0.01)


def test_tables_are_not_written_again_when_nothing_is_new(file: Path) -> None:
    files = [Path("out") / name for name in ("trials.csv", "series.csv", "kinds.csv", "claims.csv")]
    first = play(file, "trials=1")
    before = [path.stat().st_ino for path in files]
    second = play(file, "trials=1")
    assert [path.stat().st_ino for path in files] == before
    assert second.findings == first.findings
    files[1].write_text(files[1].read_text()[:500])
    assert play(file, "trials=1").findings == first.findings  # a table that was cut is written again
    assert len(table("out", "series.csv")) > 1000
    again = [path.stat().st_ino for path in files]
    assert len(play(file, "trials=1", "claims=[{name: c, measure: min(words), at_least: 2}]").findings) == 1
    assert files[3].stat().st_ino != again[3]


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
    with pytest.raises(ScenarioError, match=r"file: changed at .* \(process"):
        play(file, "adversary={kind: own.py:Replaces, file: data.txt}", "trials=1", "sites=2", "protocol=exact")
    assert not Path("out/trials.csv").exists()
