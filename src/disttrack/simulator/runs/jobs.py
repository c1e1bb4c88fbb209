"""The games of a run as jobs: planned, and handed out in batches.

Batches are large enough that handing them over costs little, and small enough that all workers end together. The
duration of a game is known only afterwards, so batches are sized by the finished games of the same point.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from disttrack.simulator.points.point import Point, canonical
from disttrack.simulator.points.source import guarded
from disttrack.simulator.tasks.base import Record, Task


class Job(NamedTuple):
    """One game to be played."""

    key: str
    """Identifies the game: a hash of the seed and of everything that it is played with."""
    point: Point
    trial: int
    seed: int
    cost: float
    """Expected seconds: costly games are played first."""
    made_of: Mapping[str, str]
    """The code and data that its key was made from: a worker with other ones refuses the job."""


class Played(NamedTuple):
    """A game that has ended: its job, its record (or why the run cannot go on), and the seconds that it took."""

    job: Job
    record: Record | Exception
    seconds: float


@guarded()
def plan(points: Sequence[tuple[Point, int, int]], task: Task) -> list[Job]:
    """Return the games of points, each with its number of trials, in the order of (point, trial).

    Parameters
    ----------
    points
        The points, their numbers of trials, and the seeds of their parts.
    task
        The task, which estimates the duration of a game.
    """
    most: dict[int, int] = {}
    for _, trials, seed in points:
        most[seed] = max(trials, most.get(seed, 0))
    seeds = {seed: [game_seed(seed, trial) for trial in range(trials)] for seed, trials in most.items()}
    jobs = []
    for point, trials, seed in points:
        made_of, cost = point.made_of(), task.demand(point).seconds
        identity = canonical([point.identity(), made_of])
        for trial, own in enumerate(seeds[seed][:trials]):
            key = hashlib.sha256(f"{own}\n{identity}".encode()).hexdigest()[:40]
            jobs.append(Job(key, point, trial, own, cost, made_of))
    return jobs


def game_seed(seed: int, trial: int) -> int:
    """Return the seed of a trial: the same for all points, so that protocols are compared on the same coins.

    Examples
    --------
    >>> game_seed(2023, 0) == game_seed(2023, 0) != game_seed(2023, 1)
    True
    """
    from numpy.random import SeedSequence

    (state,) = SeedSequence([seed, trial]).generate_state(1, "uint64")
    return int(state) >> 1


class Batches:
    """Hands out games in batches of about half a second, each of one point.

    The first game of each point comes before all others: it shows how long the point's games take, and whether they
    draw any coins at all. Points with the same code of the user's follow each other, the costly ones first.

    Parameters
    ----------
    jobs
        The games to be played.

    Attributes
    ----------
    workers
        Number of batches that are played at a time; set by the pool that plays them.
    own
        Whether code of the user's is run for any of the games.
    """

    TARGET = 0.5
    """Intended seconds of a batch: a hand-over costs about a millisecond."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.workers = 1
        self.own = any(job.point.own for job in jobs)
        by_point: defaultdict[int, list[Job]] = defaultdict(list)
        for job in jobs:
            by_point[job.point.number].append(job)
        ordered = sorted(by_point.values(), key=lambda jobs: (sorted(jobs[0].point.own), -jobs[0].cost))
        for waiting in ordered:
            waiting.reverse()  # the next one is the last
        self._alone = [waiting.pop() for waiting in reversed(ordered)]
        self._waiting = {waiting[0].point.number: waiting for waiting in ordered if waiting}
        self._seconds: defaultdict[int, list[float]] = defaultdict(list)  # of the games that were played, by point

    def __len__(self) -> int:
        return len(self._alone) + sum(map(len, self._waiting.values()))

    def next(self) -> list[Job]:
        """Return the next batch."""
        if self._alone:
            return [self._alone.pop()]
        number = next((one for one in self._waiting if one in self._seconds), next(iter(self._waiting)))
        jobs, size = self._waiting[number], 1
        if number in self._seconds:
            share = len(jobs) // (2 * self.workers)  # smaller ones at the end, to end together
            size = max(1, min(share, int(self.TARGET / max(self._mean(number), 1e-9))))
        batch = [jobs.pop() for _ in range(size)]
        if not jobs:
            del self._waiting[number]
        return batch

    def learn(self, job: Job, seconds: float) -> None:
        """Note how long a game took."""
        self._seconds[job.point.number].append(seconds)

    def left(self) -> float:
        """Return the seconds that waiting games will take, by the games of their points so far."""
        known = [number for number in self._waiting if number in self._seconds]
        return sum(len(self._waiting[number]) * self._mean(number) for number in known) / self.workers

    def withdraw(self, point: int) -> list[Job]:
        """Take out the waiting games of a point, and return them."""
        return self._waiting.pop(point, [])

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Take back games whose worker died; each is handed out alone, as one of them may have been the cause."""
        self._alone += reversed(list(jobs))

    def _mean(self, number: int) -> float:
        return sum(self._seconds[number]) / len(self._seconds[number])
