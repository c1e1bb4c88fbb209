"""Python calls with wrong arguments: each gets one line that says what to write instead."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from disttrack import Randomized, play, run

TRACKER = Randomized(alpha=0.1)


def test_an_error_from_within_a_call_stays_as_it_is() -> None:
    def broken(view: object) -> int:
        raise TypeError("of the user")

    with pytest.raises(TypeError, match="of the user"):
        play(TRACKER, broken, sites=2, items=10)


SESSION = """
from disttrack import Adversary, Burst, arena, run

class Mine(Adversary):
    def plan(self, view):
        return Burst(0)

def turn(view):
    return 0

sizes = {"name": "x", "sites": 4, "items": 9, "protocol": "exact"}
scenarios = [{**sizes, "adversary": one} for one in ("Mine", Mine, turn)]
for call, given in [(arena, Mine), (arena, turn), *((run, one) for one in scenarios)]:
    try:
        call(given)
    except Exception as error:
        print(error)
"""


def test_a_class_of_a_session_is_to_be_written_to_a_file() -> None:
    """As in a cell of a notebook: the main module has no file."""
    ended = subprocess.run([sys.executable], input=SESSION, capture_output=True, text=True, check=True)
    lines = ended.stdout.splitlines()
    assert len(lines) == 5
    for line, name in zip(lines, ["Mine", "turn", "Mine", "Mine", "turn"], strict=True):
        assert "%%writefile mine.py" in line
        assert line.endswith(f"'mine.py:{name}'")


def test_the_error_of_a_game_names_the_line_of_the_user(folder: Path) -> None:
    head = "from disttrack import Adversary\n\n\nclass Mine(Adversary):\n"
    text = f"{head}    def plan(self, view):\n        return view.nope\n"
    Path("mine.py").write_text(text, encoding="utf-8")
    scenario = {
        "name": "x",
        "sites": 4,
        "items": 9,
        "protocol": {"kind": "exact"},
        "adversary": {"kind": "mine.py:Mine"},
    }
    with pytest.warns(RuntimeWarning, match=r"all games \(1\) ended with an error, the first: .*'nope'"):
        (error,) = run(scenario, out=folder / "out", workers=1).errors
    assert "the view has no 'nope'" in error
    assert error.endswith("(mine.py:6)")
