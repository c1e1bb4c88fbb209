"""A worker process: plays the games that it is handed and sends each as it ends, whatever the user's classes do in it.

A class may print, leave the folder, close what is open, fork, start threads or end the process. What it prints goes to
a log, what it changed around it is put back after each game, and a copy that it made of the process never takes part
in the run: only the process that was started answers.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NoReturn

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.runs.jobs import Job, play_job
from disttrack.simulator.runs.journal import pack, unpack
from disttrack.simulator.runs.signals import let_in
from disttrack.simulator.tasks.base import Record, lost

READY: Final = "ready"
"""What a worker sends when it has imported what games need: from then on a game takes its own time."""


def serve(connection: Connection, output: Path | None, parent: int) -> NoReturn:
    """Play batch after batch; never return.

    Parameters
    ----------
    connection
        Lists of jobs come from it, and an answer for each goes into it.
    output
        The file that everything goes into that is printed; None leaves it alone.
    parent
        The process that started this one: without it there is nothing to do.
    """
    import disttrack.simulator.game.play  # noqa: F401 - a second's work for a new process, and no part of a game's time

    own = os.getpid()
    _begin(parent, own)
    around = Around(output)
    try:
        connection.send(READY)
        while True:
            for job in connection.recv():
                answer = _answer(job)
                if os.getpid() != own:
                    os._exit(0)  # a copy that the user's class has made: it has no say in the run
                around.put_back()
                connection.send(answer)
    except BaseException:  # the connection is gone, and there is nobody to tell
        os._exit(1)


def _answer(job: Job) -> tuple[Record, float] | ScenarioError:
    """Return the record of a game and its seconds, or why the run cannot go on."""
    begun = time.perf_counter()
    try:
        record = play_job(job)
        if job.point.own:  # values of the user's classes are written out: the parent need not know these
            record = unpack(pack(record))
    except ScenarioError as error:
        return error if type(error).__module__.startswith("disttrack.simulator.") else ScenarioError(str(error))
    except BaseException:  # Ctrl-C goes to the parent alone: this one is of the class's own making
        record = lost(traceback.format_exc())
    return record, time.perf_counter() - begun


def _begin(parent: int, own: int) -> None:
    """Leave Ctrl-C to the parent, end when it is gone however it went, and let no copy of this process fork again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    let_in()
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # so that copies of it end with it

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        if hasattr(os, "killpg"):
            os.killpg(own, signal.SIGKILL)
        os._exit(1)

    def before_fork() -> None:
        if os.getpid() != own:
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=before_fork)


class Around:
    """What a game finds around it: folder, output, limits; put back after each, for the next one."""

    def __init__(self, output: Path | None) -> None:
        import numpy as np

        self._folder = os.getcwd()
        self._recursion = sys.getrecursionlimit()
        self._errors = np.geterr()
        self._stdout: Any = None
        self._stderr: Any = None
        self._output = _opened(output) if output is not None else None
        if self._output is not None:
            with open(os.devnull, "rb") as nothing:
                os.dup2(nothing.fileno(), 0)
            self._print_there()

    def put_back(self) -> None:
        """Put back what the last game has changed."""
        import numpy as np

        os.chdir(self._folder)
        sys.setrecursionlimit(self._recursion)
        np.seterr(**self._errors)
        if self._output is not None:
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            except (OSError, ValueError, AttributeError):
                pass  # closed: opened anew below
            self._print_there()

    def _print_there(self) -> None:
        assert self._output is not None
        for number in (1, 2):
            os.dup2(self._output, number)
        if sys.stdout is not self._stdout or self._stdout.closed:
            self._stdout = sys.stdout = _text(1)
        if sys.stderr is not self._stderr or self._stderr.closed:
            self._stderr = sys.stderr = _text(2)


def _opened(output: Path) -> int:
    """Return a descriptor that adds to a file; into nothing if it cannot be written: no game is lost for that."""
    try:
        return os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)


def _text(number: int) -> Any:
    """Return a descriptor as a file of text that takes whatever is printed."""
    return open(number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
