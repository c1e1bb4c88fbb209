"""Signals at the worst moments: a run that is stopped while it starts or ends its workers ends, and leaves none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from disttrack.simulator.experiments.runs.worker import undisturbed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals are those of Linux")

ROOT = Path(__file__).resolve().parents[4]
SCENARIO = "{name: s, trials: 40, sites: 2, items: 3000, protocol: {kind: randomized, alpha: 0.1}, adversary: uniform}"
SCRIPT = """\
import os, signal, sys
from multiprocessing.process import BaseProcess
from disttrack.simulator.cli import main

METHOD, AFTER = sys.argv[1:3]
original = getattr(BaseProcess, METHOD)

def disturbed(self, *rest):
    if AFTER == "before":
        os.kill(os.getpid(), signal.SIGTERM)
    result = original(self, *rest)
    if AFTER == "after":
        os.kill(os.getpid(), signal.SIGTERM)
    return result

setattr(BaseProcess, METHOD, disturbed)
if METHOD == "join":  # the first one ends the run, and the others come while it ends
    from disttrack.simulator.experiments.runs.journal import Journal
    put = Journal.put
    Journal.put = lambda self, games: (put(self, games), os.kill(os.getpid(), signal.SIGTERM))
main.main(["run", "s.yaml", "--no-figures", "--workers", "2"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["start", "join"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_run_that_is_stopped_while_workers_begin_or_end_ends(tmp_path: Path, method: str, moment: str) -> None:
    """Python waits at its exit for every worker process: one that the run does not know would keep it from ending."""
    (tmp_path / "s.yaml").write_text(SCENARIO)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, method, moment],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("disttrack: stopped; finished games are kept")
    assert "Traceback" not in done.stderr
    left = [place for place in Path("/proc").glob("[0-9]*") if _is_at(place, tmp_path)]
    assert left == []


def _is_at(place: Path, folder: Path) -> bool:
    try:
        return os.readlink(place / "cwd") == str(folder)
    except OSError:
        return False


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT raises, as in a program of its own: a library that another test uses may have left a handler behind."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_signal_is_put_off_and_comes_afterwards(interruptible: None) -> None:
    before = signal.getsignal(signal.SIGINT)
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - where it comes is what is tested
        with undisturbed():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            done.append("to its end")
        done.append("went on")
    assert done == ["to its end"]
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
