"""What a worker does: it plays one job after the other and sends each record.

In a process of its own a class of the user's may print, leave the folder, fork, start threads or end the process. Its
output goes to a log. A copy that it made of the process takes no part in the run: only the started process answers.
Ctrl-C and SIGTERM must not cut two steps in two: starting a process that is to be ended later, and ending it.
"""

from __future__ import annotations

import os
import platform
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NoReturn

import disttrack.simulator.game.play  # noqa: F401 - takes a second: imported once, and no part of a game's time
from disttrack.simulator.errors import KEPT, MoveError, PartError, ScenarioError
from disttrack.simulator.experiments.runs.jobs import Job, Played
from disttrack.simulator.experiments.runs.journal import pack, unpack
from disttrack.simulator.game.present import TICK, share_in_play, stands
from disttrack.simulator.game.streams import watched
from disttrack.simulator.game.tasks.base import Record, fault_of, lost
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.source import ours

READY: Final = "ready"
"""Message of a worker that has imported what games need: from then on a game takes its own time."""

STOPS: Final = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a program to stop."""


def attempt(job: Job) -> Played:
    """Play one game. What a class raises, and a wrong move, ends its own game only; Ctrl-C in ours is the user's.

    A ScenarioError in place of the record says why the run cannot go on: see `play_job`.
    """
    begun = time.perf_counter()
    record: Record | ScenarioError
    try:
        record = play_job(job)
    except (MoveError, PartError) as error:
        record = lost(f"{type(error).__name__}: {error}")
    except ScenarioError as error:
        record = ScenarioError(str(error))  # of a type that every process knows
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not job.point.own:
            raise
        record = lost(traceback.format_exc())
    return Played(job, record, time.perf_counter() - begun)


def play_job(job: Job) -> Record:
    """Play one game, and note whether every seed gives it.

    Raises
    ------
    ScenarioError
        The task returns no record, or one that no table can hold; or this process has other code or data than the
        game's key was made from.
    MoveError, PartError
        A class made an impossible move, or sent such a message.
    """
    try:
        with watched() as watch:
            record: Record = _task_of(job.point).play(job.point, job.seed)
    finally:  # also of a game that has raised: it may have done so for that reason
        _refuse_other_code(job)
    if job.point.task.own and (fault := fault_of(record, job.point)):
        raise ScenarioError(f"task {job.point.task.label}: {fault}")
    if job.point.own:
        record = unpack(pack(record))  # plain values: the receiver need not know the user's classes
    if record.error is None and not watch.drawn and not job.point.task.draws_unseen:
        # up to the first number that is drawn, all seeds give the same game, if nothing else draws any
        unseen = any(part.draws_unseen for part in job.point.parts)
        return replace(record, coins=record.coins and unseen, drawn=False)
    return record


def _task_of(point: Point) -> Any:
    """Return the task of a point; that of the last point is kept for its next game, unless it is of the user's."""
    global _last
    known, task = _last
    if known is not point:
        task = point.task.make()
        _last = (None, None) if point.task.own else (point, task)
    return task


_last: tuple[Point | None, Any] = None, None


def _refuse_other_code(job: Job) -> None:
    global _checked
    if _checked[0] is job.point and _checked[1] is job.made_of:
        return
    here = job.point.made_of()
    if here == job.made_of:
        own = any(part.own or part.files() for part in job.point.parts)  # which may change between two games
        _checked = (None, None) if own else (job.point, job.made_of)
        return
    if names := [name for name in {**job.made_of, **here} if here.get(name) != job.made_of.get(name)]:
        raise ScenarioError(
            f"{job.point.describe()}: {', '.join(names)}: changed at {platform.node()} (process {os.getpid()}); "
            f"restart workers and run: {KEPT}"
        )


_checked: tuple[Point | None, Mapping[str, str] | None] = None, None
"""The point that was checked last, if it has only our code, and what it was planned with."""


def serve(connection: Connection, output: Path, parent: int, share: object, place: object) -> NoReturn:
    """Play batch after batch; never return.

    Parameters
    ----------
    connection
        Lists of jobs come from it; for each job its record and seconds go into it.
    output
        The file to which the output of the user's classes is appended.
    parent
        The process that started this one; the worker ends with it.
    share
        A number in shared memory that receives the share of the game in play, several times a second.
    place
        Letters in shared memory that receive where the user's code stands.
    """
    own, folder = os.getpid(), os.getcwd()
    try:
        _begin(parent, output, share, place)
        connection.send(READY)
        with ours():
            while True:
                for job in connection.recv():
                    _, *answer = attempt(job)
                    if os.getpid() != own:
                        os._exit(0)  # a copy that the user's class has made
                    os.chdir(folder)
                    connection.send(answer)
    except BaseException:  # the connection is gone, and no report can be sent
        os._exit(1)


def _begin(parent: int, output: Path, share: Any, place: Any) -> None:
    """Leave Ctrl-C to the parent, end when the parent has ended, whatever the cause, and print to a file."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _mask("SIG_UNBLOCK")
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # so that copies of it end with it

    main = threading.get_ident()

    def watch() -> None:
        while os.getppid() == parent:
            share.value = share_in_play()
            place.value = stands(main).encode()[: len(place)]
            time.sleep(TICK)
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    log = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for number in (1, 2):
        os.dup2(log, number)
    sys.stdout = sys.stderr = open(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put off Ctrl-C and SIGTERM until the block has ended.

    A process that is started in it begins with both held back, where there are masks: it lets them in when it
    has set what they do to it.
    """
    if threading.current_thread() is not threading.main_thread():  # no other is ever interrupted
        yield
        return
    pending: list[int] = []
    # the mask is for processes that are started, and the handlers for other threads, which the mask leaves alone
    _mask("SIG_BLOCK")
    before = {number: handler for number in STOPS if callable(handler := signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, lambda number, frame: pending.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _mask("SIG_UNBLOCK")
        if pending:
            signal.raise_signal(pending[0])


def _mask(how: str) -> None:
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        signal.pthread_sigmask(getattr(signal, how), STOPS)
