"""Classes that misbehave: each costs its own games, and the games of others are what they would have been."""

from __future__ import annotations

import csv
import os
import re
import sys
import time
from pathlib import Path

import pytest
from misbehaving import MISBEHAVES

from disttrack.simulator.experiments.runs import processes
from disttrack.simulator.experiments.runs.runner import Report, run
from disttrack.simulator.experiments.scenario.load import load

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and forks are those of Linux")

SCENARIO = """\
name: rude
seed: 3
trials: 2
sites: 2
items: 500
protocol: {kind: randomized, alpha: 0.2}
adversary: [{kind: 'rude.py:Misbehaves', how: HOW}, uniform]
claims:
  - {name: the others play, where: "adversary == 'uniform'", measure: min(words), at_least: 1}
  - {name: all play, measure: min(words), at_least: 1}
"""


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    Path("rude.py").write_text(MISBEHAVES)
    return folder


def play(how: str, workers: int = 2, out: str = "out", **options: float) -> tuple[Report, list[dict[str, str]]]:
    Path("rude.yaml").write_text(SCENARIO.replace("HOW", repr(how)))
    report = run(load("rude.yaml"), out=out, workers=workers, **options)  # type: ignore[arg-type]
    with open(Path(out) / "trials.csv", encoding="utf-8", newline="") as lines:
        return report, list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """Return the games of a run in which no class misbehaves, played by two workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("calm"))
        Path("rude.py").write_text(MISBEHAVES)
        return play("")[1]


def others(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the games of the adversary that behaves, but for their time."""
    kept = [row for row in rows if row["adversary"] == "uniform"]
    return [{key: value for key, value in row.items() if key != "seconds"} for row in kept]


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("how", "cause", "workers"),
    [
        ("leaves", "ProcessDied: status 0", 1),
        ("exits", "SystemExit: 0", 1),
        ("crashes", "ProcessDied: signal 11 (Segmentation fault)", 2),
        ("interrupts", "KeyboardInterrupt", 1),
        ("raises_its_own", r"Own: \x1b[2J lone \udc80", 2),
    ],
)
def test_a_game_that_a_class_ends_is_an_error(how: str, cause: str, workers: int, calm: list[dict[str, str]]) -> None:
    report, rows = play(how, workers)
    mine = [row for row in rows if row["adversary"] == "Misbehaves"]
    assert [(row["verdict"], row["ok"], row["words"]) for row in mine] == [("error", "False", "")] * 2
    line = "" if cause.startswith("ProcessDied") else r" \(rude\.py:\d+\)"  # of the class, where one raised
    assert all(re.fullmatch(rf"(.*\.)?{re.escape(cause)}{line}", row["error"]) for row in mine)
    assert not report.ok
    assert len(report.errors) == 2
    assert [finding.verdict for finding in report.findings] == ["PASS", "UNDECIDED"]
    assert report.findings[1].note == "games with an error: 2 of 4"
    errors = Path("out/errors.txt").read_text(encoding="utf-8")
    assert "Misbehaves" in errors
    assert "\x1b" not in errors  # no codes of a terminal
    assert others(rows) == others(calm)
    assert {row["verdict"] for row in calm} <= {"ok", "failed"}


def test_a_wrong_move_costs_its_own_game() -> None:
    Path("rude.py").write_text("def far(view):\n    return 15\n")
    Path("rude.yaml").write_text(
        "{name: rude, trials: 1, sites: [8, 16], items: 20, protocol: exact, adversary: 'rude.py:far'}"
    )
    report = run(load("rude.yaml"), out="out", workers=1)
    assert report.trials["verdict"].tolist() == ["error", "ok"]
    assert report.trials["error"][0] == (
        "MoveError: adversary far: named site 15 at step 1; this game has sites 0 … 7 (rude.py:1)"
    )


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("how", ["wanders", "forks"])
def test_what_a_class_leaves_behind_changes_no_game(how: str, calm: list[dict[str, str]]) -> None:
    report, rows = play(how, workers=1)
    assert report.errors == []
    assert report.ok
    assert others(rows) == others(calm)
    keep = [(row["words"], row["max_rel_error"]) for row in rows]
    assert keep == [(row["words"], row["max_rel_error"]) for row in calm]


def test_a_class_that_changes_another_spoils_its_own_games_only(calm: list[dict[str, str]]) -> None:
    """Games of the same code share a process, and no others do."""
    report, rows = play("defaces", workers=1)
    assert others(rows) == others(calm)
    assert {row["words"] for row in rows if row["adversary"] == "Misbehaves"} == {"7"}
    assert report.errors == []


def test_no_process_is_left_behind() -> None:
    play("leaves_a_copy", workers=1)
    here = os.fsencode(os.getcwd())
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        left = [place for place in Path("/proc").glob("[0-9]*") if _is_copy(place, here)]
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(left)


def _is_copy(place: Path, folder: bytes) -> bool:
    """Return whether a process, other than this one, is at work in the folder of this test."""
    try:
        return int(place.name) != os.getpid() and os.fsencode(os.readlink(place / "cwd")) == folder
    except OSError:
        return False


def test_a_game_that_takes_too_long_is_an_error_and_the_others_go_on() -> None:
    report, rows = play("hangs", game_timeout=1.5)
    late = r"TimeoutError: took longer than 1.5 s \(--game-timeout\); it stood in hangs, rude.py:\d+"
    assert [bool(re.fullmatch(late, row["error"])) for row in rows] == [True, True, False, False]
    assert [row["error"] for row in rows[2:]] == ["", ""]
    assert len(report.errors) == 2


def test_what_is_printed_is_kept_apart() -> None:
    play("prints")
    kept = Path("out/output.log").read_text()
    assert kept.count("hello from a game\n") == kept.count("straight to the descriptor\n") == 2
    play("", out="out")
    assert not Path("out/output.log").exists()


def test_the_log_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MOST_PRINTED", 10)
    play("prints")
    assert Path("out/output.log").read_text() == "hello from"
