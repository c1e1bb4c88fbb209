"""First use from several threads of a process that is the user's: all of them run, and the process stays as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from disttrack.simulator.kinds.source import Source, guarded, load_file, ours

MINE: Final = """
import time
from helper_of_threads import turn
from disttrack import Adversary, Burst
print("hello")
time.sleep(0.05)
class Mine(Adversary):
    def plan(self, view):
        return Burst(turn(view))
"""
HELPER: Final = "import time\ntime.sleep(0.05)\ndef turn(view):\n    return view.changes % view.sites\n"
COLD: Final = """
import json, os, sys, threading

before = sys.stdout, sys.stderr, os.getcwd(), list(sys.path), list(sys.meta_path)
begin, errors = threading.Barrier(4), []
sides = {"sites": 2, "items": 50, "protocol": {"kind": "deterministic", "alpha": 0.2}}

def first(number):
    begin.wait()
    try:
        from disttrack import load, play, run, Deterministic
        if number % 2:
            report = run({"name": "s", **sides, "adversary": "freeze"}, out=f"out{number}", workers=1, fresh=True)
            assert (report.played, len(report.errors)) == (1, 0)
        kind = "mine.py:Mine" if number < 2 else "mine:Mine"
        mine = load({"name": "s", **sides, "adversary": {"kind": kind}}).points[0].adversary.make()
        assert play(Deterministic(alpha=0.2), mine, sites=2, items=50).ok
    except BaseException as error:
        errors.append(f"{type(error).__name__}: {error}")

if __name__ == "__main__":
    threads = [threading.Thread(target=first, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same = before == (sys.stdout, sys.stderr, os.getcwd(), sys.path, sys.meta_path)
    sys.__stderr__.write(json.dumps([errors, same]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"mine.py": MINE, "helper_of_threads.py": HELPER, "cold.py": COLD}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_first_use_from_four_threads(folder: Path) -> None:
    """In three cold processes; most fail where a thread takes what another one is importing."""
    for _ in range(3):
        done = subprocess.run([sys.executable, "cold.py"], cwd=folder, capture_output=True, text=True, timeout=60)
        assert json.loads(done.stderr) == [[], True]
        assert set(done.stdout.split()) == {"hello"}  # it prints where its process prints


def test_streams_and_folder_of_a_process_of_the_users_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    stdout = sys.stdout
    with guarded():
        assert sys.stdout is stdout
        (tmp_path / "inner").mkdir()
        monkeypatch.chdir(tmp_path / "inner")
    assert Path.cwd() == tmp_path / "inner"
    with ours(), guarded():
        assert sys.stdout is sys.stderr
        monkeypatch.chdir(tmp_path)
    assert (Path.cwd(), sys.stdout) == (tmp_path / "inner", stdout)


def test_an_import_that_was_interrupted_is_run_again(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    text = f"from pathlib import Path\nif not Path({str(mark)!r}).exists():\n    raise KeyboardInterrupt\nMine = 1\n"
    source = Source(str(tmp_path / "mine.py"), text)
    with pytest.raises(KeyboardInterrupt):
        load_file(source)
    mark.touch()
    assert load_file(source).Mine == 1


def test_paths_that_a_module_adds_stay_and_ours_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = list(sys.path)
    load_file(Source(str(tmp_path / "mine.py"), "import sys\nsys.path.append('/added')\n"))
    load_file(Source(str(tmp_path / "mine.py"), "import sys\nsys.path.pop(0)\n"))  # it takes ours away
    assert sys.path == [*before, "/added"]
