"""The power goes: of each file there is what had been synced, and by chance more; the next run goes on from there."""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path

import pytest
from failing_disk import FailingDisk

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.runs.journal import JOURNAL
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds out by /proc what a descriptor is")

SCENARIO = {
    "name": "tiny",
    "trials": 3,
    "sites": [2, 3],
    "items": 60,
    "protocol": {"kind": "randomized", "alpha": 0.4},
    "adversary": "uniform",
}
TABLES = ("trials.csv", "series.csv", "kinds.csv", "claims.csv", "manifest.json")


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
def test_power_that_goes_at_any_write_costs_no_game_that_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every operation of a run is the last one; what was kept is what had been synced when it was reached."""
    monkeypatch.chdir(tmp_path)
    run(load(SCENARIO), out="whole", workers=1)
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
                run(load(SCENARIO), out=out, workers=1)
        except PowerLoss:
            pass
        else:
            break
        for name in TABLES:  # a table that has its name is whole
            if (kept / name).exists():
                assert (kept / name).stat().st_size == (out / name).stat().st_size, (disk.log, name)
        report = run(load(SCENARIO), out=kept, workers=1)
        assert report.kept == 6, disk.log  # all had been kept when the first table was written
        assert report.trials.drop(columns="seconds").equals(whole.trials.drop(columns="seconds"))
        assert [path.name for path in kept.rglob(".*")] == []
        shutil.rmtree(out)
        shutil.rmtree(kept)
    assert at > 12


def test_the_model_finds_a_table_that_is_not_synced(tmp_path: Path) -> None:
    """The control: a file that is moved into place without a sync may be cut, and is then refused by who reads it."""
    folder = tmp_path / "run"
    run(load(SCENARIO), out=folder, workers=1)
    disk = FailingDisk(folder)
    with disk.plugged_in():
        (folder / "new").write_bytes((folder / "trials.csv").read_bytes())
        os.replace(folder / "new", folder / "trials.csv")
        status = (folder / "manifest.json").stat()
        disk.synced[status.st_dev, status.st_ino] = status.st_size
    left_by(disk, folder, tmp_path / "kept", random.Random(1))
    assert (tmp_path / "kept" / "trials.csv").stat().st_size < (folder / "trials.csv").stat().st_size
    with pytest.raises(ScenarioError, match=r"trials\.csv"):
        _ = Results(tmp_path / "kept").trials
