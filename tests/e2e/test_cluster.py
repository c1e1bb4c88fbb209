"""A real Dask scheduler and two real workers on loopback: same tables, and a killed worker costs time only."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from kept_games import kept_games, tables
from loopback import Loopback, environment

import disttrack

pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="needs the extra disttrack[dask]")

SCENARIO = """\
name: spread
question: Games for a cluster
trials: 4
sites: [1, 2, 3, 4]
items: 300
protocol: {kind: randomized, alpha: 0.1}
adversary: [{kind: "slow.py:Slow"}, {kind: freeze}]
"""
SLOW = """\
import time
from disttrack.adversaries import Adversary, Burst

class Slow(Adversary):
    def plan(self, view):
        if view.steps == 0:
            time.sleep(0.1)
        return Burst(0)
"""


PATIENT = """\
import sys
import disttrack.simulator.experiments.runs.dask_workers as workers

workers.EMPTY, workers.PATIENCE, workers.LOOK = float(sys.argv.pop(1)), float(sys.argv.pop(1)), 0.2
from disttrack.simulator.cli import main

main()
"""
"""The command line with other patience than a minute for a worker, and ten seconds for a scheduler."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loopback]:
    loopback = Loopback(tmp_path_factory.mktemp("cluster"))
    yield loopback
    loopback.close()


def filled(folder: Path) -> Path:
    """Write the scenario and its class to a folder."""
    (folder / "slow.py").write_text(SLOW)
    (folder / "spread.yaml").write_text(SCENARIO)
    (folder / "patient.py").write_text(PATIENT)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the tables of a run without a cluster."""
    folder = filled(tmp_path_factory.mktemp("here"))
    assert run(folder, "here", "--workers", "1").returncode == 0
    return tables(folder / "here")


def command(out: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "disttrack.simulator", "run", "spread.yaml", "--no-figures", "--out", out, *options]


def patient(empty: float, patience: float, out: str, *options: str) -> list[str]:
    return [sys.executable, "patient.py", str(empty), str(patience), *command(out, *options)[3:]]


def ended(folder: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=180
    )


def run(folder: Path, out: str, *options: str) -> subprocess.CompletedProcess[str]:
    return ended(folder, command(out, *options))


def begun(folder: Path, out: str, games: int, words: list[str]) -> subprocess.Popen[str]:
    """Start a run, and return it as soon as its folder holds this number of games."""
    process = subprocess.Popen(
        words, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and len(kept_games(folder / out)) < games:
        time.sleep(0.1)
    return process


@pytest.mark.slow
def test_the_cluster_makes_the_same_tables_when_a_worker_is_killed(
    cluster: Loopback, folder: Path, here: dict[str, Any]
) -> None:
    """A cluster of which no worker dies is that of `test_a_cluster_of_its_own`, and of a task of one's own."""
    process = begun(folder, "hurt", 10, command("hurt", "--scheduler", cluster.address))
    cluster.processes[1].send_signal(signal.SIGKILL)  # a worker, in the middle of a game
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "32 games played" in said
    assert tables(folder / "hurt") == here


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_one_line(folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for address in (f"tcp://127.0.0.1:{port}", "nonsense"):
        done = ended(folder, patient(60, 2, "out", "--scheduler", address))
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert f"--scheduler {address}: no scheduler with workers" in line


@pytest.mark.slow
def test_a_cluster_of_its_own(folder: Path, here: dict[str, Any]) -> None:
    done = run(folder, "own", "--scheduler", "local")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert tables(folder / "own") == here


@pytest.mark.slow
def test_results_are_waited_for_by_the_client_of_the_run(
    cluster: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that the caller has opened has a loop of its own: no result of the run's would wake it."""
    import distributed

    wait, waits = distributed.wait, []

    def watched(futures: list[Any], **options: Any) -> Any:
        waits.append(all(future.client is distributed.default_client() for future in futures))
        return wait(futures, **options)

    monkeypatch.setattr(distributed, "wait", watched)
    with distributed.Client(cluster.address):
        disttrack.run("headline", out=tmp_path / "run", scheduler=cluster.address, overrides=["trials=1", "items=300"])
    assert waits
    assert all(waits)


@pytest.mark.slow
def test_a_worker_that_stands_still_is_named_with_its_game(cluster: Loopback, folder: Path) -> None:
    (folder / "slow.py").write_text(SLOW.replace("0.1", "4"))
    script = PATIENT.replace(
        "from disttrack",
        "import disttrack.simulator.experiments.runs.jobs as jobs\njobs.SHORTEST = 1.0\nfrom disttrack",
        1,
    )
    (folder / "patient.py").write_text(script)
    given = ("--scheduler", cluster.address, "--trials", "1", "--set", "sites=2")
    done = ended(folder, patient(60, 10, "still", *given))
    assert done.returncode == 0, done.stderr
    (line,) = [
        line for line in done.stderr.splitlines() if "against Slow, 2 sites, 300 items, trial 0: in play" in line
    ]
    assert "it may be compiling, now on tcp://127.0.0.1:" in line
    assert "restart this worker; or --game-timeout without --scheduler" in line


@pytest.mark.slow
def test_workers_with_an_older_helper_are_refused(cluster: Loopback, folder: Path) -> None:
    (folder / "slow.py").write_text(SLOW.replace("import time", "import time, pauses_there"))
    for place in (folder, cluster.folder):  # a module that is installed on both sides
        (place / "pauses_there.py").write_text("PAUSE = 1\n")
    first = run(folder, "there", "--scheduler", cluster.address, "--trials", "1")
    assert first.returncode == 0, first.stderr
    for place in (folder, cluster.folder):
        (place / "pauses_there.py").write_text("PAUSE = 22\n")
    done = run(folder, "there", "--scheduler", cluster.address, "--trials", "1")
    assert done.returncode == 2
    assert "pauses_there.py has changed since its import" in done.stderr
    again = run(folder, "there", "--workers", "1", "--trials", "1")
    assert "4 games played" in again.stdout  # none of these was kept


@pytest.mark.slow
def test_without_a_worker_it_waits_and_stops_and_without_a_scheduler_it_stops(
    tmp_path_factory: pytest.TempPathFactory, folder: Path, here: dict[str, Any]
) -> None:
    """The worker dies in the middle of its games; once one comes back in time, once none does; then all is gone."""
    loopback = Loopback(tmp_path_factory.mktemp("emptied"), workers=1)

    def struck(patience: float, out: str, games: int, killed: slice) -> subprocess.Popen[str]:
        """Start a run, and kill the processes `killed` of the cluster as soon as `games` games are kept."""
        process = begun(folder, out, games, patient(patience, 5, out, "--scheduler", loopback.address))
        for one in loopback.processes[killed]:
            one.kill()
            one.wait()
        return process

    scheduler, workers = slice(1), slice(1, None)
    try:
        process = struck(1.5, "there", 1, workers)
        killed = time.monotonic()
        said, errors = process.communicate(timeout=120)
        assert process.returncode == 1, said + errors
        assert 1.5 <= time.monotonic() - killed < 40
        assert "no worker within 1.5 s; finished games are kept" in errors.strip().splitlines()[-1]
        assert "Traceback" not in errors
        assert not (folder / "there" / "trials.csv").exists()
        loopback.worker()
        process = struck(60, "there", len(kept_games(folder / "there")) + 1, workers)
        time.sleep(1)
        assert process.poll() is None  # it waits
        loopback.worker()
        said, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        assert tables(folder / "there") == here
        assert "kept from before" in said
        process = struck(60, "gone", 1, scheduler)
        _, errors = process.communicate(timeout=120)
    finally:
        loopback.close()
    assert process.returncode == 1
    assert "the cluster is gone" in errors
    assert kept_games(folder / "gone")
    assert not (folder / "gone" / "trials.csv").exists()


@pytest.mark.slow
def test_a_script_that_its_workers_run_again_is_refused_with_the_remedy(folder: Path) -> None:
    (folder / "script.py").write_text('import disttrack\ndisttrack.run("spread.yaml", scheduler="local")\n')
    done = ended(folder, [sys.executable, "script.py"])
    assert done.returncode
    assert 'call run under `if __name__ == "__main__":`' in done.stderr.splitlines()[-1]
