"""Batches of games: so many that handing them over costs little, and so few that the journal is never far behind.

How long a game takes is known only afterwards, so batches are sized by what games have taken so far.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from disttrack.simulator.runs.jobs import Job


class Batches:
    """Cuts games into batches of about half a second, the costly ones first.

    One game of each point comes before all others: it tells how long the point's games take, and whether they draw
    any coins at all. Games with the same code of the user's follow each other, and no batch has games with different
    code: each has processes of its own.

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
        self._own = {job.point.number: job.point.own for job in jobs if first[job.point.number] == job.key}
        most: defaultdict[frozenset[str], float] = defaultdict(float)
        for job in jobs:
            most[self._of(job)] = max(most[self._of(job)], job.cost)

        def order(job: Job) -> tuple[bool, float, list[str], float]:
            own = self._of(job)
            return first[job.point.number] == job.key, most[own], sorted(own), job.cost

        self._jobs = sorted(jobs, key=order)
        self._slots, self._hands = slots, (slots + 1) // 2  # half of the slots wait
        self._taken: dict[int, tuple[float, float]] = {}  # seconds and cost of the games played, by point
        self._seconds = 0.0
        self._cost = 0.0

    def __bool__(self) -> bool:
        return bool(self._jobs)

    @property
    def own(self) -> frozenset[str]:
        """Return the code of the user's that the next batch is played with."""
        return self._of(self._jobs[-1])

    def learn(self, job: Job, seconds: float) -> None:
        """Note how long a game took."""
        before, cost = self._taken.get(job.point.number, (0.0, 0.0))
        self._taken[job.point.number] = before + seconds, cost + job.cost
        self._seconds += seconds
        self._cost += job.cost

    def left(self) -> float:
        """Return the seconds that the games not handed over yet will take, by what has been seen of each point."""
        if not self._cost:
            return 0.0
        costs: defaultdict[int, float] = defaultdict(float)
        for job in self._jobs:
            costs[job.point.number] += job.cost
        return sum(cost * self._rate(point) for point, cost in costs.items()) / self._hands

    def withdraw(self, point: int) -> list[Job]:
        """Take out the games of a point that have not been handed over, and return them."""
        taken = [job for job in self._jobs if job.point.number == point]
        if taken:
            self._jobs = [job for job in self._jobs if job.point.number != point]
        return taken

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Take back games that were handed over and have not been played."""
        self._jobs += reversed(list(jobs))

    def next(self) -> list[Job]:
        """Return the next batch; one game as long as nothing is known."""
        batch = [self._jobs.pop()]
        if not self._cost:
            return batch
        left = sum(self._expected(job) for job in self._jobs[-self.MOST * self._slots :])
        target = min(self.TARGET, left / (2 * self._slots))  # smaller ones at the end, to end together
        expected = self._expected(batch[0])
        while self._jobs and len(batch) < self.MOST and self._of(self._jobs[-1]) == self._of(batch[0]):
            expected += self._expected(self._jobs[-1])
            if expected > target:
                break
            batch.append(self._jobs.pop())
        return batch

    def _of(self, job: Job) -> frozenset[str]:
        """Return the code of the user's that a game is played with."""
        return self._own[job.point.number]

    def _expected(self, job: Job) -> float:
        return job.cost * self._rate(job.point.number)

    def _rate(self, point: int) -> float:
        """Return the seconds that a unit of cost took, at this point or else on average."""
        seconds, cost = self._taken.get(point, (self._seconds, self._cost))
        return seconds / cost
