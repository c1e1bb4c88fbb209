"""Batches of games: large enough that handing them over costs little, small enough that all workers end together.

The duration of a game is known only afterwards, so batches are sized by the games of the same point so far.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from disttrack.simulator.runs.jobs import Job


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
        How many batches are played at a time; set by whoever plays them.
    """

    TARGET = 0.5
    """Seconds that a batch is meant to take: a hand-over costs about a millisecond."""
    MOST = 200
    """Games in a batch at most, so that the journal is never far behind."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.workers = 1
        by_point: defaultdict[int, list[Job]] = defaultdict(list)
        for job in reversed(jobs):
            by_point[job.point.number].append(job)  # the next one is the last
        own = {number: waiting[0].point.own for number, waiting in by_point.items()}
        most: defaultdict[frozenset[str], float] = defaultdict(float)
        for number, waiting in by_point.items():
            most[own[number]] = max(most[own[number]], waiting[0].cost)

        def order(number: int) -> tuple[float, list[str], float]:
            return -most[own[number]], sorted(own[number]), -by_point[number][0].cost

        self._waiting = {number: by_point[number] for number in sorted(by_point, key=order)}
        self._first = list(reversed(self._waiting))  # points of which no game has been handed out
        self._seconds: dict[int, list[float]] = {}  # of the games that were played, by point

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def next(self) -> list[Job]:
        """Return the next batch; one game of a point of which none has been played."""
        if self._first:
            number = self._first.pop()
        else:
            number = next((one for one in self._waiting if one in self._seconds), next(iter(self._waiting)))
        jobs = self._waiting[number]
        many = 1
        if number in self._seconds:
            share = len(jobs) // (2 * self.workers)  # smaller ones at the end, to end together
            many = max(1, min(self.MOST, share, int(self.TARGET / max(self._mean(number), 1e-9))))
        batch = [jobs.pop() for _ in range(many)]
        if not jobs:
            del self._waiting[number]
        return batch

    def learn(self, job: Job, seconds: float) -> None:
        """Note how long a game took."""
        self._seconds.setdefault(job.point.number, []).append(seconds)

    def left(self) -> float:
        """Return the seconds that games not handed over yet will take, by the played ones of their points."""
        known = {number: jobs for number, jobs in self._waiting.items() if number in self._seconds}
        return sum(len(jobs) * self._mean(number) for number, jobs in known.items()) / self.workers

    def withdraw(self, point: int) -> list[Job]:
        """Take out the games of a point that have not been handed over, and return them."""
        return self._waiting.pop(point, [])

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Take back games that were handed over and have not been played."""
        for job in reversed(list(jobs)):
            self._waiting.setdefault(job.point.number, []).append(job)

    def _mean(self, number: int) -> float:
        return sum(self._seconds[number]) / len(self._seconds[number])
