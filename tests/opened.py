"""The files that a reader opens from a call to its end: ``python tests/opened.py [WAY …]``, or ``--write``.

For one plain example of each way, the files of `disttrack` whose functions are called, in the order of the first call.
What imports call, such as decorators, is left out. It prints lines, file, and the function that calls it first;
``--write`` puts the lists into tests/opened.md.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from functools import cache, partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from textwrap import wrap
from types import FrameType
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = f"{ROOT / 'src' / 'disttrack'}/"
PAGE: Final = ROOT / "tests" / "opened.md"
SCENARIO: Final[dict[str, Any]] = {
    "name": "plain",
    "sites": [4, 16],
    "items": 2000,
    "trials": 2,
    "protocol": {"kind": "deterministic", "alpha": 0.1},
    "adversary": "round-robin",
    "claims": [{"name": "never wrong", "measure": "fraction(ok)", "at_least": 1, "no_control": "by definition"}],
    "plots": [{"kind": "cost", "x": "sites"}],
}
MINE: Final = """\
from disttrack import Adversary, Burst


class Mine(Adversary):
    kind = "mine"

    def plan(self, view):
        return Burst(0)
"""
Call = Callable[[], object]


class Opened:
    """The files in the order of their first call, each with the function that calls it."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.ended = False
        self._imports = 0
        """How many imports within another are under way."""

    def note(self, call: Call) -> None:
        """Note the calls of this thread until a call has returned, or the plan of `MINE` is asked for.

        Others look at the game from time to time, so that what they call depends on the time.
        """
        sys.setprofile(self._note)
        try:
            call()
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if code.co_name == "<module>":
            self._imports += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not self._imports and not self.ended:
            self.ended = code.co_filename.endswith("/mine.py")
            if code.co_filename.startswith(SOURCE):
                self.files.setdefault(code.co_filename.removeprefix(SOURCE), _caller(frame))


def _caller(frame: FrameType) -> str:
    """Return the function of ours that calls another one, with its file; empty for the first."""
    caller = frame.f_back
    while caller is not None and not caller.f_code.co_filename.startswith(SOURCE):
        caller = caller.f_back
    return f"{caller.f_code.co_filename.removeprefix(SOURCE)}: {caller.f_code.co_qualname}" if caller else ""


def of_play(_: Path) -> Call:
    """Return a game of two objects."""
    from disttrack import Deterministic, RoundRobin, play

    return partial(play, Deterministic(alpha=0.1), RoundRobin(), sites=4, items=2000)


def of_run(folder: Path) -> Call:
    """Return a run of a scenario with a claim."""
    from disttrack import run

    return partial(run, SCENARIO, out=folder / "plain", workers=1)


def of_figure(folder: Path) -> Call:
    """Return the drawing of the scenario's figure."""
    from disttrack import draw

    of_run(folder)()
    return partial(draw, folder / "plain")


def of_report(folder: Path) -> Call:
    """Return the writing of the page of the run, whose figure is drawn."""
    from disttrack.simulator.shown.report.report import write_report

    of_figure(folder)()
    return partial(write_report, folder / "plain")


def of_adversary(folder: Path) -> Call:
    """Return a command that plays a class in a file."""
    from disttrack.simulator.cli import main

    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    words = f"play --protocol randomized:alpha=0.1 --adversary {folder}/mine.py:Mine --sites 4 --items 2000"
    return partial(main, words.split(), standalone_mode=False)


class Way(NamedTuple):
    """What is followed, its example, and the number of files that is aimed at."""

    says: str
    example: Callable[[Path], Call]
    aim: int


WAYS: Final = {
    "play": Way("`play(protocol, adversary)`, from the call to the game", of_play, 5),
    "run": Way("`run(scenario)`, from the call to tables and claims", of_run, 20),
    "figure": Way("A figure, from `trials.csv` to SVG", of_figure, 30),
    "report": Way("The report, from a run to `report.html`", of_report, 30),
    "adversary": Way("An adversary's file, from the command line to its first plan", of_adversary, 20),
}


def note(way: str) -> dict[str, str]:
    """Return the files of a way with their callers; in a process that has played before, some are missing."""
    opened = Opened()
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()), suppress(SystemExit):
        opened.note(WAYS[way].example(Path(folder)))
    return opened.files


def noted() -> dict[str, dict[str, str]]:
    """Return the files of each way with their callers, each from a process of its own, which has the libraries."""
    for library in ("matplotlib.pyplot", "pandas", "scipy.stats", "pydantic"):
        import_module(library)
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        return dict(zip(WAYS, pool.map(note, WAYS, chunksize=1), strict=True))


@cache
def all_files() -> dict[str, dict[str, str]]:
    """Return the files of each way with their callers, from a process that has played nothing."""
    code = "import json, opened; print(json.dumps(opened.noted()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "tests", capture_output=True, text=True, check=True)
    files: dict[str, dict[str, str]] = json.loads(done.stdout)
    return files


def listed(way: str, files: dict[str, str]) -> str:
    """Return the list of a way for the page."""
    return f"{WAYS[way].says}: {len(files)} files.\n\n```text\n" + "\n".join(wrap(" ".join(files), 120)) + "\n```\n"


def on_page(way: str) -> set[str]:
    """Return the files that the page lists for a way."""
    text = PAGE.read_text(encoding="utf-8").partition(f"{WAYS[way].says}: ")[2]
    return set(text.split("```")[1].split()[1:])


def write() -> None:
    """Put all lists into the page, in place of those that it has."""
    text = PAGE.read_text(encoding="utf-8")
    for way in WAYS:
        pattern = rf"{re.escape(WAYS[way].says)}: .*?```text\n.*?```\n"
        text, found = re.subn(pattern, lambda _, way=way: listed(way, all_files()[way]), text, flags=re.DOTALL)
        assert found == 1, f"{PAGE.name} has {found} lists of {way}"
    PAGE.write_text(text, encoding="utf-8")


def main(ways: list[str]) -> None:
    """Print the files of some ways, or of all."""
    for way in ways or WAYS:
        files = all_files()[way]
        print(f"{WAYS[way].says}: {len(files)} files; aimed at: {WAYS[way].aim}")
        for file, caller in files.items():
            lines = len(Path(SOURCE, file).read_text(encoding="utf-8").splitlines())
            print(f"{lines:5}  {file:50} {caller}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        main(sys.argv[1:])
