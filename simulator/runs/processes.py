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
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from math import inf
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from simulator.errors import ScenarioError
from simulator.runs.jobs import Batch, Played
from simulator.runs.output import Output
from simulator.runs.signals import undisturbed
from simulator.runs.worker import BEGUN, serve
from simulator.runs.workers import Workers
from simulator.tasks.base import Record

TICK: Final = 0.25
"""Seconds after which workers are looked at, if none of them says anything."""
GRACE: Final = 1.0
"""Seconds that a worker has to end after it has closed its connection."""


@dataclass(eq=False)
class _Handed:
    """A batch on its way: who waits for it, and whether it is to have a process of its own."""

    batch: Batch
    future: Future[Played]
    alone: bool
    records: list[Record] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(eq=False)
class _Worker:
    """A worker process, and what it is playing."""

    process: Any
    connection: Connection
    handed: _Handed | None = None
    begun: float | None = None
    """When the game in play began."""
    own: frozenset[str] | None = None
    """The code of the user's that it has played with; None before its first game."""


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
        self._waiting: deque[_Handed] = deque()
        self._workers: list[_Worker] = []
        # Python waits at its exit for processes that live: whatever way is taken there, none may
        atexit.register(self.close)

    def submit(self, batch: Batch, *, alone: bool = False) -> Future[Played]:
        future: Future[Played] = Future()
        self._waiting.append(_Handed(batch, future, alone))
        self._hand_out()
        return future

    def wait(self, futures: Sequence[Future[Played]]) -> set[Future[Played]]:
        while True:
            done = {future for future in futures if future.done()}
            if done:
                return done
            self._take_in()

    def close(self, *, kill: bool = False) -> None:
        with undisturbed():
            for worker in self._workers:
                _end(worker)
            self._workers.clear()
            if self._output is not None:
                self._output.close()
            atexit.unregister(self.close)

    # ------------------------------------------------------------------ handing over

    def _hand_out(self) -> None:
        """Give every idle worker a batch, as long as there are any of both."""
        while self._waiting:
            worker = self._idle(self._waiting[0])
            if worker is None:
                return
            worker.handed = self._waiting.popleft()
            worker.own = worker.handed.batch[0].point.own
            with contextlib.suppress(OSError):  # it is dead: found out when it is looked at
                worker.connection.send(list(worker.handed.batch))

    def _idle(self, handed: _Handed) -> _Worker | None:
        """Return a worker with nothing to do; None if all are at work.

        It is new, or has played with the same code of the user's: a class may have changed others in its process.
        """
        idle = [worker for worker in self._workers if worker.handed is None]
        for worker in idle:
            if worker.own is None or (worker.own == handed.batch[0].point.own and not handed.alone):
                return worker
        if idle and len(self._workers) == self._count:
            self._forget(idle[0])
        return self._start() if len(self._workers) < self._count else None

    def _start(self) -> _Worker:
        if self._context.get_start_method() == "fork":
            import pandas  # noqa: F401 - what a game needs is loaded once, and not in each process anew

            import simulator.game.play  # noqa: F401
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()  # what is in the buffer would be printed by the worker as well
        here, there = self._context.Pipe()
        printed = self._output.entrance if self._output is not None else None
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

    def _take_in(self) -> None:
        """Wait until a worker says something, or it is time to look at them."""
        places: dict[Any, _Worker] = {worker.connection: worker for worker in self._workers}
        pause = TICK
        if self._limit is not None:
            now = time.monotonic()
            ends = [worker.begun + self._limit - now for worker in self._workers if worker.begun is not None]
            pause = max(0.0, min([pause, *ends]))
        exits = [self._output.exit] if self._output is not None else []
        for ready in wait([*places, *exits], pause):
            if ready in places:
                if places[ready] in self._workers:  # it may have made room for another one since
                    self._hear(places[ready])
            elif self._output is not None:
                self._output.read()
        for worker in list(self._workers):
            if worker in self._workers:
                self._look_at(worker)
        self._hand_out()

    def _hear(self, worker: _Worker) -> None:
        """Take in all that a worker has said."""
        try:
            while worker.connection.poll():
                said = worker.connection.recv()
                handed = worker.handed
                if handed is None:
                    continue
                if said == BEGUN:
                    worker.begun = time.monotonic()
                    continue
                worker.begun = None
                handed.seconds += said.seconds
                if said.record is not None:
                    handed.records.append(said.record)
                if said.fault is not None or len(handed.records) == len(handed.batch):
                    worker.handed = None
                    handed.future.set_result(Played(handed.records, handed.seconds, said.fault))
                    if handed.alone:  # whatever it may have left behind there is nobody else's
                        self._forget(worker)
                    self._hand_out()
                    return  # it has nothing more to say
        except Exception:  # it has closed the connection, or what it says cannot be understood
            self._lose(worker, "", sure=False)

    def _look_at(self, worker: _Worker) -> None:
        """Find out whether a worker has died, or has been at its game for too long."""
        if worker.process.exitcode is not None:
            if worker.connection.poll():
                self._hear(worker)  # what it had said before
            if worker in self._workers:
                self._lose(worker, "", sure=False)
        elif self._limit is not None and worker.begun is not None and time.monotonic() - worker.begun >= self._limit:
            self._lose(worker, f"TimeoutError: the game took longer than {self._limit:g} s", sure=True)

    def _lose(self, worker: _Worker, why: str, *, sure: bool) -> None:
        """Give a worker up, with the game that it was playing."""
        if not why:
            worker.process.join(GRACE)  # it closes its files before it is gone
            why = f"ProcessDied: {_death(worker.process.exitcode)}"
        self._forget(worker)
        handed = worker.handed
        if handed is None:
            return
        sure = sure or handed.alone
        handed.future.set_result(Played(handed.records, handed.seconds, ended=why, suspects=0 if sure else 1))


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
