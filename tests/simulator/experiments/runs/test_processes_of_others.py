"""Runs within processes that others have started: pools, and workers that import the script anew."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

MINE: Final = """
from disttrack import Adversary, Burst
class Mine(Adversary):
    def plan(self, view):
        return Burst(view.changes % view.sites)
"""
POOL: Final = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from disttrack import RunError, ScenarioError, run

sides = {"sites": 2, "items": 50, "trials": 3, "protocol": {"kind": "randomized", "alpha": 0.2}}

def one(given):
    out, adversary, more = given
    try:
        return run({"name": "s", **sides, "adversary": adversary}, out=out, **more).played
    except ScenarioError as error:
        return str(error)

if __name__ == "__main__":
    start, pool = sys.argv[1:]
    mine = {"kind": "mine.py:Mine"}
    games = [("a", "freeze", {"workers": 2}), ("b", mine, {"workers": 1}), ("c", "freeze", {"workers": 1})]
    games.append(("d", "freeze", {"scheduler": "local"})) if pool == "Pool" else None
    context = get_context(start)
    with context.Pool(1) if pool == "Pool" else ProcessPoolExecutor(1, mp_context=context) as hands:
        print(*hands.map(one, games), sep="\\n")
"""
SCRIPT: Final = """
import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()  # so that processes are not forked
from disttrack import run
sides = {"sites": 2, "items": 50, "trials": 1, "protocol": {"kind": "randomized", "alpha": 0.2}}
print(*run({"name": "s", **sides, "adversary": {"kind": "mine.py:Mine"}}, out="out", workers=1).errors, sep="\\n")
"""


GUARDLESS: Final = """
from disttrack import arena, run
SCENARIO = {"name": "twice", "trials": 1, "sites": 2, "items": 5, "protocol": "exact"}
def far(view):
    return 1
CALL
"""


def _lines(folder: Path, script: str, *arguments: str) -> tuple[list[str], str]:
    (folder / "mine.py").write_text(MINE)
    (folder / "script.py").write_text(script)
    command = [sys.executable, "script.py", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout.splitlines(), done.stderr


@pytest.mark.drawn(1)
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_a_run_in_a_pool_names_the_remedy_and_the_remedies_help(start: str, tmp_path: Path) -> None:
    refused, _ = _lines(tmp_path, POOL, start, "Pool")
    assert [line.partition(":")[0] for line in refused[:2]] == ["multiprocessing.Pool starts no processes"] * 2
    assert all("ProcessPoolExecutor" in line for line in refused[:2])
    assert refused[2:] == ["3", refused[0]]
    assert _lines(tmp_path, POOL.replace('"c"', '"e"'), start, "Executor")[0] == ["3", "3", "3"]


def test_a_script_that_is_imported_by_its_workers_names_the_remedy(tmp_path: Path) -> None:
    printed, errors = _lines(tmp_path, SCRIPT)
    guard = 'under `if __name__ == "__main__":`'
    assert len(printed) == 1
    assert "ProcessDied: status 1 before its first game" in printed[0]
    assert printed[0].endswith(guard)
    assert "run in the import of the script" in errors
    assert "another run writes" not in errors


@pytest.mark.parametrize("call", ["arena(far, items=10, sites=2)", "run(dict(SCENARIO, adversary='script.py:far'))"])
def test_a_script_that_is_imported_for_its_function_is_refused_with_the_remedy(call: str, tmp_path: Path) -> None:
    printed, errors = _lines(tmp_path, GUARDLESS.replace("CALL", call))
    assert printed == []
    assert "script.py:6: " in errors
    assert 'put it under `if __name__ == "__main__":`' in errors
    assert not (tmp_path / "results" / "twice" / "trials.csv").exists()
