"""Worker processes of this machine, each watched by itself: one that dies, or takes too long, costs its own game only.

One thread does everything, while it waits: handing batches over, taking games in, cutting what was printed, ending
games that take too long. So processes can be started by fork at any time, and nothing is left to hang at exit.
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
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.runs.batches import Batches
from disttrack.simulator.runs.jobs import Job, Played
from disttrack.simulator.runs.signals import undisturbed
from disttrack.simulator.runs.worker import READY, serve
from disttrack.simulator.tasks.base import lost

TICK: Final = 0.25
"""Seconds after which workers are looked at, if none of them sends anything."""
GRACE: Final = 1.0
"""Seconds that a worker has to end after it has closed its connection."""
MOST_PRINTED: Final = 1_000_000
"""Bytes that are kept of what is printed."""


@dataclass(eq=False)
class _Worker:
    """A worker process, and what it is playing.

    Attributes
    ----------
    own
        The code of the user's that it plays with.
    jobs
        The games that it has been handed and that have not ended, the one in play first.
    ready, begun
        Whether it has imported what games need, and when the game in play began; None if there is none.
    """

    process: Any
    connection: Connection
    own: frozenset[str]
    jobs: deque[Job] = field(default_factory=deque)
    ready: bool = False
    begun: float | None = None


class WorkerProcesses:
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
        The file that keeps what the user's classes print.
    """

    def __init__(self, workers: int, method: str | None = None, *, limit: float | None = None, output: Path) -> None:
        forks = sys.platform == "linux" and threading.active_count() == 1
        self._context: Any = multiprocessing.get_context(method or ("fork" if forks else "spawn"))
        self._count, self._limit, self._output = workers, limit, output
        self._workers: list[_Worker] = []
        self._tried: set[str] = set()  # games whose worker died
        # Python waits at its exit for processes that live: whatever way is taken there, none may
        atexit.register(self._close)

    def play(self, batches: Batches) -> Iterator[list[Played]]:
        """Play all games and yield them as they end; nothing at times, while games are under way.

        Raises
        ------
        ScenarioError
            The run cannot go on; all games that had ended have been yielded.
        """
        batches.workers = self._count
        try:
            while batches or any(worker.jobs for worker in self._workers):
                self._hand_out(batches)
                self._wait()
                for worker in list(self._workers):
                    yield from self._take_in(worker, batches)
        finally:
            self._close()

    def _close(self) -> None:
        """End all workers, without waiting for games in play."""
        with undisturbed():
            for worker in self._workers:
                _end(worker)
            self._workers.clear()
            atexit.unregister(self._close)

    # ------------------------------------------------------------------ handing over

    def _hand_out(self, batches: Batches) -> None:
        """Give every idle worker a batch, as long as there are any of both."""
        while batches and (len(self._workers) < self._count or self._idle()):
            batch = batches.next()
            worker = self._worker_for(batch[0].point.own)
            worker.jobs.extend(batch)
            worker.begun = time.monotonic() if worker.ready else None
            with contextlib.suppress(OSError):  # it is dead: seen when it is looked at
                worker.connection.send(batch)

    def _idle(self) -> list[_Worker]:
        return [worker for worker in self._workers if not worker.jobs]

    def _worker_for(self, own: frozenset[str]) -> _Worker:
        """Return an idle worker that has played with no other code of the user's: a class may have changed others."""
        idle = self._idle()
        for worker in idle:
            if worker.own == own:
                return worker
        if len(self._workers) == self._count:
            self._forget(idle[0])
        return self._start(own)

    def _start(self, own: frozenset[str]) -> _Worker:
        if self._context.get_start_method() == "fork":
            import pandas  # noqa: F401 - what a game needs is loaded once, and not in each process anew

            import disttrack.simulator.game.play  # noqa: F401
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()  # what is in the buffer would be printed by the worker as well
        here, there = self._context.Pipe()
        process = self._context.Process(target=serve, args=(there, self._output, os.getpid()))
        with undisturbed():  # a process that is started is known, and so is ended
            process.start()
            worker = _Worker(process, here, own)
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
        if self._output.is_file() and self._output.stat().st_size > MOST_PRINTED:
            os.truncate(self._output, MOST_PRINTED)

    def _take_in(self, worker: _Worker, batches: Batches) -> Iterator[list[Played]]:
        """Yield the games that a worker has sent; give it up if it has died, or has been at one for too long."""
        played: list[Played] = []
        fault: ScenarioError | None = None
        try:
            gone = worker.process.exitcode is not None  # asked first: then all that it sent is there
            while fault is None and worker.connection.poll():
                answer = worker.connection.recv()
                if isinstance(answer, ScenarioError):
                    fault = answer
                elif answer == READY:
                    worker.ready = True
                else:
                    played.append(Played(worker.jobs.popleft(), *answer))
                worker.begun = time.monotonic() if worker.jobs else None
        except Exception:  # it has closed the connection, or what it sends cannot be understood
            gone = True
        yield played
        if fault is not None:
            raise fault
        if gone:
            yield self._lose(worker, "", batches)
        elif self._limit is not None and worker.begun is not None and time.monotonic() - worker.begun >= self._limit:
            yield self._lose(worker, f"TimeoutError: the game took longer than {self._limit:g} s", batches)

    def _lose(self, worker: _Worker, why: str, batches: Batches) -> list[Played]:
        """Give a worker up; return the game in play if it took too long, or has lost a worker before."""
        if not why:
            worker.process.join(GRACE)  # it closes its files before it is gone
        cause = why or f"ProcessDied: {_death(worker.process.exitcode)}"
        self._forget(worker)
        if not worker.jobs:
            return []
        if why or worker.jobs[0].key in self._tried:
            ended = [Played(worker.jobs.popleft(), lost(cause), 0.0)]
        else:
            self._tried.add(worker.jobs[0].key)
            ended = []
        batches.put_back(worker.jobs)
        return ended


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
