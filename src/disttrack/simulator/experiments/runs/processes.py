"""Worker processes of this machine, each watched by itself: one that dies, or takes too long, costs its own game only.

One thread does everything: it hands batches out, takes records in, limits the printed output, and ends games that take
too long. So processes can be started by fork at any time, and nothing is left to hang at exit.
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
from math import inf, nan
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.experiments.runs.jobs import GUARD, Batches, InPlay, Job, Played
from disttrack.simulator.experiments.runs.worker import READY, serve, undisturbed
from disttrack.simulator.game.tasks.base import lost

TICK: Final = 0.25
"""Seconds after which workers are looked at, if none of them sends anything."""
GRACE: Final = 1.0
"""Seconds that a worker has to end after it has closed its connection."""
MOST_PRINTED: Final = 1_000_000
"""Maximum size of the printed output that is kept, in bytes."""


@dataclass(eq=False)
class _Worker:
    """A worker process, and what it is playing.

    Attributes
    ----------
    own
        The code of the user's that it plays with.
    jobs
        The games of its batch that have not ended, the one in play first.
    begun
        When the game in play began; infinite while the process is still importing.
    since
        The same, and while it is importing when it was started.
    share, place
        The share of the game in play that is over, and where it is in the user's code, as the process last wrote them;
        not-a-number or empty if it is unknown.
    """

    process: Any
    connection: Connection
    own: frozenset[str]
    share: Any
    place: Any
    jobs: deque[Job] = field(default_factory=deque)
    begun: float = inf
    since: float = field(default_factory=time.monotonic)

    def begin(self) -> None:
        """Note that its next game begins now."""
        self.begun = self.since = time.monotonic()
        self.share.value, self.place.value = nan, b""

    @property
    def stands(self) -> str:
        """Where the game in play is in the user's code."""
        return str(self.place.value.decode(errors="replace"))


class WorkerProcesses:
    """Plays in worker processes of this machine, started by fork where that is safe (Linux, no threads), else by spawn.

    Parameters
    ----------
    workers
        How many, at least 1.
    limit
        Seconds that a game may take.
    output
        The file that keeps the output of the user's classes; there is none if they print nothing.
    """

    def __init__(self, workers: int, *, limit: float = inf, output: Path) -> None:
        forks = sys.platform == "linux" and threading.active_count() == 1
        self._context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        self._count, self._limit, self._output = workers, limit, output
        self._workers: list[_Worker] = []
        self._tried: set[str] = set()  # games whose worker died
        # Python waits at its exit for processes that live: whatever way is taken there, none may
        atexit.register(self._close)

    def play(self, batches: Batches) -> Iterator[list[Played]]:
        """Play all games and yield them as they end; nothing at times, while games are under way."""
        batches.workers = self._count
        batches.in_play = self._in_play
        try:
            while batches or any(worker.jobs for worker in self._workers):
                self._hand_out(batches)
                wait([worker.connection for worker in self._workers], TICK)
                if self._output.is_file() and self._output.stat().st_size > MOST_PRINTED:
                    os.truncate(self._output, MOST_PRINTED)
                for worker in list(self._workers):
                    yield self._take_in(worker, batches)
        finally:
            self._close()
            if self._output.is_file() and not self._output.stat().st_size:
                self._output.unlink()

    def _in_play(self) -> list[InPlay]:
        playing = [worker for worker in self._workers if worker.jobs]
        return [InPlay(one.jobs[0], one.since, one.share.value, one.stands) for one in playing]

    def _close(self) -> None:
        """End all workers, without waiting for games in play."""
        with undisturbed():
            for worker in self._workers:
                _end(worker)
            self._workers.clear()
            atexit.unregister(self._close)

    def _hand_out(self, batches: Batches) -> None:
        """Give every idle worker a batch, as long as there are any of both."""
        while batches and (len(self._workers) < self._count or any(not worker.jobs for worker in self._workers)):
            batch = batches.next()
            worker = self._worker_for(batch[0].point.own)
            worker.jobs.extend(batch)
            with contextlib.suppress(OSError):  # it is dead: seen when it is looked at
                worker.connection.send(batch)

    def _worker_for(self, own: frozenset[str]) -> _Worker:
        """Return an idle worker that has played with no other code of the user's: a class may have changed others."""
        idle = [worker for worker in self._workers if not worker.jobs]
        for worker in idle:
            if worker.own == own:
                worker.begin()
                return worker
        if len(self._workers) == self._count:
            self._forget(idle[0])
        here, there = self._context.Pipe()
        share, place = self._context.RawValue("d", nan), self._context.RawArray("c", 200)
        process = self._context.Process(target=serve, args=(there, self._output, os.getpid(), share, place))
        with undisturbed():  # a process that is started is known, and so is ended
            process.start()
            self._workers.append(_Worker(process, here, own, share, place))
        there.close()
        return self._workers[-1]

    def _forget(self, worker: _Worker) -> None:
        _end(worker)
        self._workers.remove(worker)

    def _take_in(self, worker: _Worker, batches: Batches) -> list[Played]:
        """Return the games that a worker has sent; give it up if it has died, or takes too long for one."""
        ended: list[Played] = []
        try:
            gone = worker.process.exitcode is not None  # asked first: then all that it sent is there
            while worker.connection.poll():
                answer = worker.connection.recv()
                if answer != READY:
                    ended.append(Played(worker.jobs.popleft(), *answer))
                worker.begin()
        except Exception:  # it has closed the connection, or what it sends cannot be understood
            gone = True
        late = bool(worker.jobs) and time.monotonic() - worker.begun >= self._limit
        if not gone and not late:
            return ended
        where = f"; it stood {worker.stands}" if worker.stands else ""
        cause = f"TimeoutError: took longer than {self._limit:g} s (--game-timeout){where}"
        if gone:
            worker.process.join(GRACE)  # it closes its files before it is gone
            cause = _death(worker.process.exitcode)
            if worker.begun == inf and self._context.get_start_method() == "spawn":
                cause += f" before its first game; {GUARD}"
        self._forget(worker)
        if worker.jobs:
            job = worker.jobs.popleft()
            if late or job.key in self._tried:
                ended.append(Played(job, lost(cause), 0.0))
            else:
                self._tried.add(job.key)
                worker.jobs.appendleft(job)
            batches.put_back(worker.jobs)
        return ended


def _death(code: int | None) -> str:
    """Return in words how a process ended.

    Examples
    --------
    >>> _death(-11)
    'ProcessDied: signal 11 (Segmentation fault)'
    """
    if code is None or code >= 0:
        return f"ProcessDied: status {code}"
    return f"ProcessDied: signal {-code} ({signal.strsignal(-code)})"


def _end(worker: _Worker) -> None:
    """End a worker, and all copies that were made of it, at once."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):  # it has no group yet, or has ended
            os.killpg(worker.process.pid, signal.SIGKILL)
    worker.process.kill()
    worker.process.join()
    worker.connection.close()
