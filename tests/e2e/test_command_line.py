"""The program as a user starts it: in an empty folder, through the shell, killed in the middle."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from kept_games import kept_games, tables

ROOT = Path(__file__).resolve().parents[2]

SLOW = """\
import time
from pathlib import Path
from disttrack.adversaries import Adversary, Burst

class Slow(Adversary):
    def plan(self, view):
        if view.steps == 0:
            time.sleep(2 if view.sites == 1 and Path("hold").exists() else 0.05)
        return Burst(0)
"""
SCENARIO = """\
name: slow
question: Games of a twentieth of a second
trials: 10
sites: [1, 2]
items: 300
protocol: {kind: randomized, alpha: 0.1}
adversary: slow.py:Slow
claims:
  - {name: it costs something, measure: min(words), at_least: 1}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "slow.yaml").write_text(SCENARIO)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "disttrack.simulator", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def disttrack(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the tables of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "slow.py").write_text(SLOW)
    (folder / "slow.yaml").write_text(SCENARIO)
    assert disttrack(folder, "run", "slow.yaml", "--no-figures", "--workers", "1", "--out", "whole").returncode == 0
    return tables(folder / "whole")


@pytest.mark.slow
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])  # SIGTERM: tests/simulator/runs/test_signals.py
def test_a_run_that_is_killed_goes_on_and_ends_with_the_same_tables(
    folder: Path, whole: dict[str, Any], blow: signal.Signals
) -> None:
    (folder / "hold").touch()  # half of the games now take so long that none of this can come too late
    process = subprocess.Popen(
        command("run", "slow.yaml", "--no-figures", "--workers", "2", "--out", "cut"),
        cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        # a shell starts what is to run in the background with this signal ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not kept_games(folder / "cut"):
        time.sleep(0.02)
    process.send_signal(blow)
    _, said = process.communicate(timeout=30)
    (folder / "hold").unlink()
    assert not (folder / "cut" / "trials.csv").exists()  # it was still playing
    if blow == signal.SIGKILL:
        assert process.returncode == -signal.SIGKILL
        time.sleep(1.5)  # its workers notice within a second that it is gone
    else:
        assert process.returncode == 1
        assert said.strip().splitlines()[-1].startswith("disttrack: stopped; finished games are kept")
    done = disttrack(folder, "run", "slow.yaml", "--no-figures", "--workers", "2", "--out", "cut")
    assert done.returncode == 0, done.stderr
    assert "kept from before" in done.stdout
    assert tables(folder / "cut") == whole


@pytest.mark.slow
def test_an_unwritable_folder_is_one_line(folder: Path) -> None:
    (folder / "results").write_text("in the way")
    done = disttrack(folder, "run", "slow.yaml")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "results/slow: cannot be written" in done.stderr


def test_help_is_quick(folder: Path) -> None:
    # in seconds of computing, which other programs at work here change little; the best of five
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert disttrack(folder, "--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.3
