"""A worker process: plays the games that it is handed and sends each as it ends, whatever the user's classes do in it.

A class may print, leave the folder, fork, start threads or end the process. What it prints goes to a log, and a copy
that it made of the process never takes part in the run: only the process that was started answers.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NoReturn

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.runs.jobs import Job, attempt
from disttrack.simulator.runs.signals import let_in
from disttrack.simulator.tasks.base import Record

READY: Final = "ready"
"""What a worker sends when it has imported what games need: from then on a game takes its own time."""


def serve(connection: Connection, output: Path, parent: int) -> NoReturn:
    """Play batch after batch; never return.

    Parameters
    ----------
    connection
        Lists of jobs come from it, and an answer for each goes into it.
    output
        The file to whose end goes what is printed.
    parent
        The process that started this one: without it there is nothing to do.
    """
    import disttrack.simulator.game.play  # noqa: F401 - a second's work for a new process, and no part of a game's time

    own, folder = os.getpid(), os.getcwd()
    try:
        _begin(parent, own)
        _print_to(output)
        connection.send(READY)
        while True:
            for job in connection.recv():
                answer = _answer(job)
                if os.getpid() != own:
                    os._exit(0)  # a copy that the user's class has made
                os.chdir(folder)
                with suppress(Exception):  # closed by the user's class
                    sys.stdout.flush()
                    sys.stderr.flush()
                connection.send(answer)
    except BaseException:  # the connection is gone, and there is nobody to report to
        os._exit(1)


def _answer(job: Job) -> tuple[Record, float] | ScenarioError:
    """Return the record of a game and its seconds, or why the run cannot go on."""
    try:
        _, record, seconds = attempt(job)
    except ScenarioError as error:
        return ScenarioError(str(error))  # of a type that the parent knows
    return record, seconds


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


def _print_to(output: Path) -> None:
    """Let everything that is printed in this process go to the end of a file."""
    log = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    sys.stdout, sys.stderr = _text(1), _text(2)


def _text(number: int) -> Any:
    """Return a descriptor as a file of text that takes whatever is printed."""
    return open(number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
