"""Worker processes of this machine, each watched by itself: one that dies, or takes too long, costs its own game only.

Everything is done by one thread, while it waits: handing batches over, taking games in, reading what was printed,
ending games that take too long. So processes can be started by fork at any time, and nothing is left to hang at exit.
"""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.runs.batches import Batches
from disttrack.simulator.runs.jobs import Job, Played
from disttrack.simulator.runs.output import Output
from disttrack.simulator.runs.signals import undisturbed
from disttrack.simulator.runs.worker import READY, serve
from disttrack.simulator.runs.workers import Workers
from disttrack.simulator.tasks.base import lost

TICK: Final = 0.25
"""Seconds after which workers are looked at, if none of them says anything."""
GRACE: Final = 1.0
"""Seconds that a worker has to end after it has closed its connection."""


@dataclass(eq=False)
class _Worker:
    """A worker process, and what it is playing.

    Attributes
    ----------
    jobs
        The games that it has been handed and that have not ended, the one in play first.
    begun
        When the game in play began; None before the worker is ready.
    own
        The code of the user's that it has played with; None before its first game.
    alone
        Whether its game is to have a process of its own.
    """

    process: Any
    connection: Connection
    jobs: deque[Job] = field(default_factory=deque)
    ready: bool = False
    begun: float | None = None
    own: frozenset[str] | None = None
    alone: bool = False


class WorkerProcesses(Workers):
    """Plays in worker processes of this machine.

    Parameters
    ----------
    workers
        How many, at least 1.
    method
        How they are started; if left out, by fork where that is safe (Linux, no threads), else by spawn.
    limit
        Seconds that a game may take; any number if left out.
    output
        Where what the user's classes print is kept; None lets them print as this process does.
    """

    def __init__(
        self, workers: int, method: str | None = None, *, limit: float | None = None, output: Output | None = None
    ) -> None:
        forks = sys.platform == "linux" and threading.active_count() == 1
        self._context: Any = multiprocessing.get_context(method or ("fork" if forks else "spawn"))
        self._count, self._limit, self._output = workers, limit, output
        self.slots = 2 * workers  # one in play and one waiting, so that nobody is idle between two
        self._workers: list[_Worker] = []
        self._again: list[Job] = []  # games whose worker died, each to be played by itself
        self._fault: ScenarioError | None = None
        # Python waits at its exit for processes that live: whatever way is taken there, none may
        atexit.register(self.close)

    def play(self, batches: Batches) -> Iterator[list[Played]]:
        while batches or self._again or any(worker.jobs for worker in self._workers):
            self._hand_out(batches)
            self._wait()
            yield [played for worker in list(self._workers) for played in self._take_in(worker, batches)]
            if self._fault is not None:
                raise self._fault

    def close(self) -> None:
        with undisturbed():
            for worker in self._workers:
                _end(worker)
            self._workers.clear()
            atexit.unregister(self.close)

    # ------------------------------------------------------------------ handing over

    def _hand_out(self, batches: Batches) -> None:
        """Give every idle worker a batch, as long as there are any of both."""
        while batches or self._again:
            alone = bool(self._again)
            own = self._again[-1].point.own if alone else batches.own
            worker = self._idle(own, alone=alone)
            if worker is None:
                return
            worker.own, worker.alone = own, alone
            worker.jobs.extend([self._again.pop()] if alone else batches.next())
            worker.begun = time.monotonic() if worker.ready else None
            with contextlib.suppress(OSError):  # it is dead: found out when it is looked at
                worker.connection.send(list(worker.jobs))

    def _idle(self, own: frozenset[str], *, alone: bool) -> _Worker | None:
        """Return a worker with nothing to do; None if all are at work.

        It is new, or has played with the same code of the user's: a class may have changed others in its process.
        """
        idle = [worker for worker in self._workers if not worker.jobs]
        for worker in idle:
            if worker.own is None or (worker.own == own and not alone and not worker.alone):
                return worker
        if idle and len(self._workers) == self._count:
            self._forget(idle[0])
        return self._start() if len(self._workers) < self._count else None

    def _start(self) -> _Worker:
        if self._context.get_start_method() == "fork":
            import pandas  # noqa: F401 - what a game needs is loaded once, and not in each process anew

            import disttrack.simulator.game.play  # noqa: F401
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()  # what is in the buffer would be printed by the worker as well
        here, there = self._context.Pipe()
        printed = self._output.path if self._output is not None else None
        process = self._context.Process(target=serve, args=(there, printed, os.getpid()))
        with undisturbed():  # a process that is started is known, and so is ended
            process.start()
            worker = _Worker(process, here)
            self._workers.append(worker)
        there.close()
        if hasattr(os, "setpgid"):
            with contextlib.suppress(OSError):
                os.setpgid(process.pid, process.pid)  # it does so itself too: whoever is first
        return worker

    def _forget(self, worker: _Worker) -> None:
        _end(worker)
        self._workers.remove(worker)

    # ------------------------------------------------------------------ taking in

    def _wait(self) -> None:
        """Wait until a worker sends something, or it is time to look at them; keep what is printed short."""
        pause = TICK
        if self._limit is not None:
            ends = [worker.begun + self._limit for worker in self._workers if worker.begun is not None]
            pause = max(0.0, min([pause, *(end - time.monotonic() for end in ends)]))
        wait([worker.connection for worker in self._workers], pause)
        if self._output is not None:
            self._output.trim()

    def _take_in(self, worker: _Worker, batches: Batches) -> list[Played]:
        """Return the games that a worker has sent; give it up if it has died, or has been at one for too long."""
        played: list[Played] = []
        try:
            gone = worker.process.exitcode is not None  # asked first: then all that it sent is there
            while worker.connection.poll():
                answer = worker.connection.recv()
                if isinstance(answer, ScenarioError):
                    self._fault = answer
                    return played
                if answer == READY:
                    worker.ready = True
                else:
                    played.append(Played(worker.jobs.popleft(), *answer))
                worker.begun = time.monotonic() if worker.jobs else None
        except Exception:  # it has closed the connection, or what it sends cannot be understood
            gone = True
        if gone:
            return [*played, *self._lose(worker, "", batches)]
        if self._limit is not None and worker.begun is not None and time.monotonic() - worker.begun >= self._limit:
            why = f"TimeoutError: the game took longer than {self._limit:g} s"
            return [*played, *self._lose(worker, why, batches)]
        return played

    def _lose(self, worker: _Worker, why: str, batches: Batches) -> list[Played]:
        """Give a worker up; return the game in play if it is known to have ended it, else play that one again alone."""
        sure = bool(why) or worker.alone
        if not why:
            worker.process.join(GRACE)  # it closes its files before it is gone
            why = f"ProcessDied: {_death(worker.process.exitcode)}"
        self._forget(worker)
        if not worker.jobs:
            return []
        job = worker.jobs.popleft()
        batches.put_back(worker.jobs)
        if sure:
            return [Played(job, lost(why), 0.0)]
        self._again.append(job)
        return []


def check_limit(game_timeout: float | None, scheduler: str | None) -> None:
    """Refuse a limit of time that cannot be kept."""
    if game_timeout is not None and not 0 < game_timeout < inf:
        raise ScenarioError(f"game_timeout must be a number of seconds above 0; got {game_timeout:g}")
    if game_timeout is not None and scheduler is not None:
        raise ScenarioError("game_timeout: games on a Dask cluster cannot be ended; leave out the one or the other")


def _death(code: int | None) -> str:
    """Return in words how a process ended.

    Examples
    --------
    >>> _death(-11), _death(3)
    ('its process died with signal 11 (SIGSEGV)', 'its process ended with status 3')
    """
    if code is None:
        return "its process no longer answers"
    if code >= 0:
        return f"its process ended with status {code}"
    try:
        name = f" ({signal.Signals(-code).name})"
    except ValueError:
        name = ""
    return f"its process died with signal {-code}{name}"


def _end(worker: _Worker) -> None:
    """End a worker, and all copies that were made of it, at once."""
    process = worker.process
    dead = process.exitcode is not None
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif not dead:
            process.kill()
    except OSError:
        if not dead:
            process.kill()
    process.join()
    worker.connection.close()
