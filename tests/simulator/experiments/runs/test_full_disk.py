"""A disk that is full, or power that goes, at every single write: old tables whole, no game lost; the next goes on."""

from __future__ import annotations

import contextlib
import csv
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import status_of
from failing_disk import FailingDisk
from kept_games import kept_games

from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.experiments.results.files import writing
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.runs.journal import JOURNAL
from disttrack.simulator.experiments.runs.runner import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds out by /proc what a descriptor is")

SCENARIO = """\
name: tiny
seed: 3
trials: TRIALS
sites: [2, 3]
items: 60
protocol: {kind: randomized, alpha: 0.4}
adversary: {kind: uniform}
claims:
  - {name: many items cost, measure: min(words), at_least: 50, control: {items: 20}}
  - {name: "not in a control", measure: min(words), at_least: 1, no_control: an example}
plots: [{kind: cost, x: sites}]
"""
TABLES = ("trials.csv", "series.csv", "kinds.csv", "controls.csv")


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    Path("one.yaml").write_text(SCENARIO.replace("TRIALS", "1"))
    Path("two.yaml").write_text(SCENARIO.replace("TRIALS", "2"))
    return folder


def tables(folder: Path) -> dict[str, Any]:
    contents: dict[str, Any] = {}
    for name in (*TABLES, "claims.csv"):
        with open(folder / name, encoding="utf-8", newline="") as lines:
            contents[name] = [{k: v for k, v in row.items() if k != "seconds"} for row in csv.DictReader(lines)]
    return contents


def strays(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob(".*")]


@pytest.mark.drawn(1)
@pytest.mark.slow
@pytest.mark.parametrize("stays", [False, True], ids=["once", "from then on"])
def test_a_full_disk_at_every_write_of_a_run(folder: Path, capsys: pytest.CaptureFixture[str], stays: bool) -> None:
    """Tables and manifest: of a run that grows an earlier one, each operation fails, or all from every fifth on."""
    args = ("--workers", "1", "--no-figures", "--out")
    status_of("run", "one.yaml", *args, "before")
    status_of("run", "two.yaml", *args, "whole")
    old, new = tables(Path("before")), tables(Path("whole"))
    at = 0
    while True:
        at += 5 if stays else 1
        out = Path(f"out{at}")
        shutil.copytree("before", out)
        capsys.readouterr()
        disk = FailingDisk(out, at, stays=stays)
        with disk.plugged_in():
            ended = status_of("run", "two.yaml", *args, str(out))
        if disk.count < at:
            break
        error_lines = capsys.readouterr().err.splitlines(keepends=True)
        error_text = "".join(line for line in error_lines if not line.startswith("earlier tables: "))
        what = f"{at}: {disk.log[at - 1]}: {error_text}"
        if ended != 0:  # some failures cost nothing: a folder that is not synced, a link that is not made
            assert ended == 1, what
            assert error_text.count("\n") == 1, what
            assert "No space left" in error_text, what
        contents = tables(out)
        if contents not in (old, new):  # stopped between two tables
            with pytest.raises(ScenarioError, match="not that of manifest"):
                _ = [getattr(Results(out), name.removesuffix(".csv")) for name in contents]
        assert len(kept_games(out)) >= len(old["trials.csv"]), what
        assert status_of("run", "two.yaml", *args, str(out)) == 0, what
        assert tables(out) == new, what
        assert strays(out) == [], what
        shutil.rmtree(out)
    assert ended == 0
    assert at > 20  # that many are written


def test_each_file_is_whole_whatever_fails(folder: Path) -> None:
    """Files that are written together are old or new, each of them; only moving them one by one may mix them."""
    mixed = 0
    for at in range(1, 40):
        for name in "ab":
            Path(name).write_text(f"old {name}")
        disk = FailingDisk(folder, at)
        with contextlib.suppress(RunError), disk.plugged_in(), writing(folder) as start:
            for name in "ab":
                start(name).write(f"new {name}")
        contents = [Path(name).read_text() for name in "ab"]
        assert contents in (["old a", "old b"], ["old a", "new b"], ["new a", "new b"]), disk.log
        assert strays(folder) == []
        mixed += contents == ["old a", "new b"]
        if disk.count < at:
            break
    assert contents == ["new a", "new b"]
    assert mixed == 2  # the second one is synced once more before it is moved


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("path", ["trials.csv", "figures", "output.log"])
def test_something_else_in_the_place_of_a_file(folder: Path, capsys: pytest.CaptureFixture[str], path: str) -> None:
    """A folder where a file is to be written, and a file where the folder of figures is to be made."""
    place = Path("out") / path
    if path == "figures":
        Path("out").mkdir()
        place.write_text("a file")
    else:
        (place / "something").mkdir(parents=True)
    ended = status_of("run", "one.yaml", "--workers", "1", "--out", "out")
    error_text = capsys.readouterr().err
    assert "Traceback" not in error_text
    assert (ended, error_text.count("\n")) in ((1, 1), (2, 1), (0, 0)), error_text
    if path == "figures":
        assert place.read_text() == "a file"
    else:
        assert (place / "something").is_dir()


class PowerLoss(BaseException):
    """Nothing of the run goes on from here."""


def left_by(disk: FailingDisk, folder: Path, kept: Path, chance: random.Random) -> None:
    """Copy a folder as a loss of power would leave it: what was not synced is there in part, or is zeros."""
    for path in folder.rglob("*"):
        place = kept / path.relative_to(folder)
        if path.is_dir():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        content, status = path.read_bytes(), path.stat()
        sure = disk.synced.get((status.st_dev, status.st_ino), 0)
        if path.name.startswith(JOURNAL):  # SQLite syncs it itself, which this disk does not see
            sure = len(content)
        rest = content[sure:][: chance.randrange(len(content) - sure + 1)]
        place.write_bytes(content[:sure] + (bytes(len(rest)) if chance.random() < 0.3 else rest))


@pytest.mark.slow
def test_power_that_goes_at_any_write_costs_no_game_that_was_kept(folder: Path) -> None:
    """Every operation of a run is the last one; what was kept is what had been synced when it was reached."""
    overrides = ("trials=3", "claims=[]", "plots=[]")
    run("one.yaml", overrides=overrides, out="whole", workers=1)
    whole = Results("whole")
    chance = random.Random(1)
    at = 0
    while True:
        at += 1
        out, kept = Path(f"run{at}"), Path(f"kept{at}")
        out.mkdir()

        def gone(disk: FailingDisk, out: Path = out, kept: Path = kept) -> None:
            kept.mkdir()
            left_by(disk, out, kept, chance)
            raise PowerLoss

        disk = FailingDisk(out, at, instead=gone)
        try:
            with disk.plugged_in():
                run("one.yaml", overrides=overrides, out=out, workers=1)
        except PowerLoss:
            pass
        else:
            break
        for name in (*TABLES[:3], "claims.csv", "manifest.json"):  # a table that has its name is whole
            if (kept / name).exists():
                assert (kept / name).stat().st_size == (out / name).stat().st_size, (disk.log, name)
        report = run("one.yaml", overrides=overrides, out=kept, workers=1)
        assert report.kept == 6, disk.log  # all had been kept when the first table was written
        assert report.trials.drop(columns="seconds").equals(whole.trials.drop(columns="seconds"))
        assert [path.name for path in kept.rglob(".*")] == []
        shutil.rmtree(out)
        shutil.rmtree(kept)
    assert at > 12
