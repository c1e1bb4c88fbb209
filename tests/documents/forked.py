"""An interpreter that has made the imports of most commands and forks for each of them, which saves a second each.

A program runs as by ``python FILE``, ``python -`` or ``python -m MODULE``, in a process, folder and environment of its
own; what differs is that modules are there before it asks for them.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

IMPORTS: Final = (
    "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "matplotlib.figure", "numpy", "pandas",
    "scipy.optimize", "scipy.special", "scipy.stats", "yaml", "disttrack.simulator.cli", "disttrack.simulator.cli.run",
    "disttrack.simulator.cli.play", "disttrack.simulator.shown.plots.figures",
    "disttrack.simulator.shown.report.report",
    "disttrack.simulator.experiments.runs.runner", "disttrack.simulator.game.tasks.tracking",
)  # fmt: skip
PROGRAM: Final = """
import gc, importlib, json, os, runpy, signal, sys, types
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
gc.freeze()
while line := sys.stdin.readline():
    words, folder, environment, files, seconds = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    signal.alarm(seconds)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, file in enumerate(files):
        os.dup2(os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC * (number > 0)), number)
    sys.stdin, sys.stdout = open(0), open(1, "w")
    sys.stderr = open(2, "w", buffering=1)
    if words[0] == "-m":
        sys.argv, sys.path[0] = words[1:], folder
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words[0] == "-":
        sys.argv, sys.path[0] = words, ""
        sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(sys.stdin.read(), "<stdin>", "exec"), vars(sys.modules["__main__"]))
    else:
        sys.argv, sys.path[0] = words, folder
        runpy.run_path(words[0], run_name="__main__")
    break
"""
PLAIN: Final = re.compile(r"(?:[^|&;<>$`*?~(){}#'\"\\]|'[^']*')*")
"""Commands in which a shell has nothing to do but to split words."""


class Interpreter:
    """Runs commands that begin with ``python`` or ``disttrack`` and need no shell."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        words = [sys.executable, "-c", PROGRAM, json.dumps(IMPORTS)]
        self._process = subprocess.Popen(
            words, env=dict(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Interpreter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def words_of(self, command: str) -> list[str] | None:
        """Return what Python is given for a command of a shell, None if the shell has to run it."""
        if not PLAIN.fullmatch(command):
            return None
        name, *rest = shlex.split(command)
        known = {"disttrack": ["-m", "disttrack.simulator", *rest], "python": rest}
        words = known.get(name)
        return words if words and (words[0] in ("-m", "-") or not words[0].startswith("-")) else None

    def run(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str], given: str, seconds: int
    ) -> subprocess.CompletedProcess[str]:
        """Run a program in a folder to its end, or until the signal SIGALRM after some seconds."""
        files = [folder / ".tools" / name for name in ("in", "out", "err")]
        files[0].write_text(given, encoding="utf-8")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = [list(words), str(folder), dict(environment), list(map(str, files)), seconds]
        self._process.stdin.write(f"{json.dumps(order)}\n")
        self._process.stdin.flush()
        status = int(self._process.stdout.readline())
        out, err = (file.read_text(encoding="utf-8") for file in files[1:])
        return subprocess.CompletedProcess(list(words), status, out, err)
