"""Who plays the games: this process, worker processes, or (in `dask_workers`) the workers of a cluster.

Workers take batches and answer with futures. A batch is a list of jobs; how long a job takes is known only afterwards,
so `Batches` sizes them by what jobs have taken so far.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

from simulator.errors import ScenarioError
from simulator.points.point import Point
from simulator.tasks.base import Record


class Job(NamedTuple):
    """One game to be played."""

    key: str
    point: Point
    trial: int
    seed: int
    cost: float
    """Expected messages, to share work out and to tell the time left."""


class Played(NamedTuple):
    """What a batch gave: a record per job, in order, up to the first that could not be played at all."""

    records: list[Record]
    seconds: float
    fault: ScenarioError | None = None


Batch = Sequence[Job]


class WorkerDied(Exception):
    """A worker died while it played a batch."""


def play_batch(batch: Batch) -> Played:
    """Play the games of a batch. A user's class that raises fails its own game only."""
    records: list[Record] = []
    begun = time.perf_counter()
    for job in batch:
        try:
            records.append(_checked(job.point.task.make().play(job.point, job.seed), job))
        except ScenarioError as error:
            return Played(records, time.perf_counter() - begun, error)
        except Exception:
            records.append(Record(row={"verdict": "failed", "ok": False}, error=traceback.format_exc()))
    return Played(records, time.perf_counter() - begun)


def _checked(record: Any, job: Job) -> Record:
    if not isinstance(record, Record):
        raise ScenarioError(f"task {job.point.task.label}: play must return a Record; got {record!r}")
    return record


class Workers(ABC):
    """Plays batches. `slots` batches at a time keep everybody busy."""

    slots: int = 1

    @abstractmethod
    def submit(self, batch: Batch) -> Future[Played]:
        """Hand a batch over."""

    def wait(self, futures: Sequence[Future[Played]]) -> set[Future[Played]]:
        """Return those that are done, as soon as one is."""
        return wait(futures, return_when=FIRST_COMPLETED).done

    def result(self, future: Future[Played]) -> Played:
        """Return what a batch gave; WorkerDied if its worker did not live to say so."""
        return future.result()

    def renew(self) -> None:  # noqa: B027 - only workers that can die have something to do
        """Replace workers that died."""

    @abstractmethod
    def close(self, *, kill: bool = False) -> None:
        """End; with `kill` without waiting for the games in play."""


class ThisProcess(Workers):
    """Plays in this process, at once."""

    def submit(self, batch: Batch) -> Future[Played]:
        future: Future[Played] = Future()
        future.set_result(play_batch(batch))
        return future

    def close(self, *, kill: bool = False) -> None:
        """Nothing to end."""


class WorkerProcesses(Workers):
    """Plays in worker processes of this machine.

    Parameters
    ----------
    workers
        How many, at least 1.
    method
        How they are started; if left out, by fork where that is safe (Linux, no threads), else by spawn.
    """

    def __init__(self, workers: int, method: str | None = None) -> None:
        forks = sys.platform == "linux" and threading.active_count() == 1
        self._workers = workers
        self._context = multiprocessing.get_context(method or ("fork" if forks else "spawn"))
        self.slots = 2 * workers  # one in play and one waiting, so that nobody is idle between two
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._workers, mp_context=self._context, initializer=_begin_worker, initargs=(os.getpid(),)
        )

    def submit(self, batch: Batch) -> Future[Played]:
        try:
            return self._pool.submit(play_batch, batch)
        except BrokenProcessPool as error:
            future: Future[Played] = Future()
            future.set_exception(error)
            return future

    def result(self, future: Future[Played]) -> Played:
        try:
            return future.result()
        except BrokenProcessPool as error:
            raise WorkerDied(str(error)) from error

    def renew(self) -> None:
        self.close(kill=True)
        # the old pool's threads may still be there, and with threads a fork is not safe
        self._context = multiprocessing.get_context("spawn")
        self._pool = self._start()

    def close(self, *, kill: bool = False) -> None:
        processes: dict[int, Any] = dict(getattr(self._pool, "_processes", None) or {})
        if kill:
            for process in processes.values():
                process.terminate()
        self._pool.shutdown(wait=not kill, cancel_futures=True)


def _begin_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end when the parent is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Batches:
    """Cuts games into batches of about half a second, the costly ones first.

    One game of each point comes before all others: it tells how long the point's games take, and whether they draw
    any coins at all.

    Parameters
    ----------
    games
        The games to be played.
    slots
        How many batches the workers have at a time.
    """

    TARGET = 0.5
    """Seconds that a batch is meant to take: a hand-over costs about a millisecond."""
    MOST = 200
    """Games in a batch at most, so that the journal is never far behind."""

    def __init__(self, jobs: Sequence[Job], slots: int) -> None:
        first = {job.point.number: job.key for job in reversed(jobs)}
        self._jobs = sorted(jobs, key=lambda job: (first[job.point.number] == job.key, job.cost))
        self._slots, self._hands = slots, (slots + 1) // 2  # half of the slots wait
        self._rate: dict[int, float] = {}  # seconds a unit of cost, by point
        self._seconds = 0.0
        self._cost = 0.0

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def learn(self, batch: Batch, seconds: float) -> None:
        """Take in what a batch has taken."""
        cost = sum(job.cost for job in batch)
        self._seconds += seconds
        self._cost += cost
        if len({job.point.number for job in batch}) == 1 and cost:
            self._rate[batch[0].point.number] = seconds / cost

    def left(self) -> float:
        """Return the seconds that the games not handed over yet will take, by what has been seen of each point."""
        if not self._cost:
            return 0.0
        costs: defaultdict[int, float] = defaultdict(float)
        for job in self._jobs:
            costs[job.point.number] += job.cost
        usual = self._seconds / self._cost
        return sum(cost * self._rate.get(point, usual) for point, cost in costs.items()) / self._hands

    def withdraw(self, point: int) -> list[Job]:
        """Take out the games of a point that have not been handed over, and return them."""
        taken = [job for job in self._jobs if job.point.number == point]
        if taken:
            self._jobs = [job for job in self._jobs if job.point.number != point]
        return taken

    def next(self) -> list[Job]:
        """Return the next batch; one game as long as nothing is known."""
        batch = [self._jobs.pop()]
        if not self._cost:
            return batch
        left = sum(self._expected(job) for job in self._jobs[-self.MOST * self._slots :])
        target = min(self.TARGET, left / (2 * self._slots))  # smaller ones at the end, to end together
        expected = self._expected(batch[0])
        while self._jobs and len(batch) < self.MOST:
            expected += self._expected(self._jobs[-1])
            if expected > target:
                break
            batch.append(self._jobs.pop())
        return batch

    def _expected(self, job: Job) -> float:
        return job.cost * self._rate.get(job.point.number, self._seconds / self._cost)
