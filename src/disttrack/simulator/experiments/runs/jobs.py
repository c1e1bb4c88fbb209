"""The games of a run as jobs: planned, and handed out in batches.

Batches are large enough that handing them over costs little, and small enough that all workers end together. The
duration of a game is known only afterwards, so batches are sized by the finished games of the same point.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, log1p, nan
from typing import Final, NamedTuple

from disttrack.simulator.experiments.results.formats import duration, percent
from disttrack.simulator.experiments.runs.estimate import seconds_of
from disttrack.simulator.game.tasks.base import Record, Task
from disttrack.simulator.kinds.point import Point, canonical
from disttrack.simulator.kinds.source import guarded

GUARD: Final = 'in a script, call run under `if __name__ == "__main__":`'
"""The remedy where workers run the script of their owner."""
ENOUGH: Final = 0.01
"""Share of the items of a game from which on it says more than the estimate."""
SLOW: Final = 10.0
"""Times the expected seconds of a game after which it is reported, be it long or its worker still."""
SHORTEST: Final = 10.0
"""Seconds up to which no game is reported."""


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
        made_of, cost = point.made_of(), seconds_of(task.demand(point))
        identity = canonical([point.identity(), made_of])
        for trial, own in enumerate(seeds[seed][:trials]):
            key = hashlib.sha256(f"{own}\n{identity}".encode()).hexdigest()[:40]
            jobs.append(Job(key, point, trial, own, cost, made_of))
    return jobs


def game_seed(seed: int, trial: int) -> int:
    """Return the seed of a trial, below 2^53.

    It is the same for all points, so that protocols are compared on the same coins.

    Examples
    --------
    >>> game_seed(2023, 0) == game_seed(2023, 0) != game_seed(2023, 1)
    True
    """
    from numpy.random import SeedSequence

    (state,) = SeedSequence([seed, trial]).generate_state(1, "uint64")
    return int(state) >> 11


class InPlay(NamedTuple):
    """A game in play: its job, when it began (`time.monotonic`), and the share of its items that are sent, or NaN.

    `stands` is where it is in the user's code, if it is there.
    """

    job: Job
    begun: float
    share: float = nan
    stands: str = ""


class Batches:
    """Hands out games in batches of about half a second, each of one point.

    The first game of each point comes before all others: it shows how long the point's games take, and whether they
    draw any coins at all. Points with the same code of the user's follow each other, the costly ones first; while the
    first game of a protocol against an adversary is in play, which may compile functions, others come before theirs.

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
    in_play
        Returns the games in play; set by the pool that plays them.
    remedy
        How to end a game that takes too long; set by a pool that has no limit.
    """

    TARGET = 0.5
    """Intended seconds of a batch: a hand-over costs about a millisecond."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.workers = 1
        self.in_play: Callable[[], Sequence[InPlay]] = tuple
        self.remedy = "--game-timeout SECONDS (game_timeout) ends it"
        self.own = any(job.point.own for job in jobs)
        by_point: defaultdict[int, list[Job]] = defaultdict(list)
        for job in jobs:
            by_point[job.point.number].append(job)
        ordered = sorted(by_point.values(), key=lambda jobs: (sorted(jobs[0].point.own), -jobs[0].cost))
        self._estimated = {number: waiting[0].cost for number, waiting in by_point.items()}
        self._left = {number: len(waiting) for number, waiting in by_point.items()}  # games that have not ended
        self._ended: dict[tuple[str, str], bool] = {}  # of each pair of sides that was handed out, if a game has ended
        self._overdue: set[str] = set()
        self._looks: dict[str, tuple[float, float]] = {}  # first share that was seen of a game in play, and when
        self._measured: dict[int, tuple[int, float]] = {}  # games of a point that were played, and their seconds
        for waiting in ordered:
            waiting.reverse()  # the next one is the last
        self._alone = [waiting.pop() for waiting in reversed(ordered)]
        self._waiting = {waiting[0].point.number: waiting for waiting in ordered if waiting}

    def __len__(self) -> int:
        return len(self._alone) + sum(map(len, self._waiting.values()))

    def next(self) -> list[Job]:
        """Return the next batch."""
        if self._alone:
            return [self._next_alone()]
        number = next((one for one in self._waiting if one in self._measured), next(iter(self._waiting)))
        jobs, size = self._waiting[number], 1
        if number in self._measured:
            share = len(jobs) // (2 * self.workers)  # smaller ones at the end, to end together
            size = max(1, min(share, int(self.TARGET / max(self.expected(number), 1e-9))))
        batch = [jobs.pop() for _ in range(size)]
        if not jobs:
            del self._waiting[number]
        return batch

    def _next_alone(self) -> Job:
        """Take out the next game that is handed out alone: where two workers would compile the same, another one."""
        own = self._alone[-1].point.own
        places = range(len(self._alone) - 1, -1, -1)
        free = (place for place in places if self._ended.get(_sides(self._alone[place].point), True))
        place = next((place for place in free if self._alone[place].point.own == own), -1)
        job = self._alone.pop(place)
        self._ended.setdefault(_sides(job.point), False)
        return job

    def learn(self, job: Job, seconds: float) -> None:
        """Note that a game has ended, and how long it took."""
        self._ended[_sides(job.point)] = True
        games, before = self._measured.get(job.point.number, (0, 0.0))
        self._measured[job.point.number] = games + 1, before + seconds
        self._left[job.point.number] -= 1
        self._looks.pop(job.key, None)

    def expected(self, point: int) -> float:
        """Return the seconds of a game of a point: the mean of those that were played, or else the estimate."""
        games, seconds = self._measured.get(point, (1, self._estimated[point]))
        return seconds / games

    def _slowness(self) -> float:
        """Return how many times their estimates the games that were played have taken, at least 1."""
        estimated = sum(self._estimated[point] * games for point, (games, _) in self._measured.items())
        return max(1.0, sum(seconds for _, seconds in self._measured.values()) / estimated) if estimated else 1.0

    def left(self) -> float:
        """Return the seconds until all games will have ended."""
        in_play = self.in_play()
        begun = Counter(game.job.point.number for game in in_play)
        remaining = [self._remaining(game) for game in in_play]
        slowness = self._slowness()  # games of points of which none was played are as slow as the others
        each = {number: self.expected(number) * (1 if number in self._measured else slowness) for number in self._left}
        for game, rest in zip(in_play, remaining, strict=True):
            if (number := game.job.point.number) not in self._measured:  # no game of its point has ended
                each[number] = max(each[number], time.monotonic() - game.begun + rest)
        for number, games in self._left.items():
            if (waiting := games - begun[number]) > 0:
                remaining += [each[number], each[number] * (waiting - 1)]
        longest = max(remaining[: len(in_play)] + remaining[len(in_play) :: 2], default=0.0)
        return max(longest, sum(remaining) / self.workers)  # no game is shared out among workers

    def _remaining(self, game: InPlay) -> float:
        """Return the seconds that a game in play will still take: by its items, once enough of them are sent.

        Its time grows with their logarithm, as messages do, or else with the items: as two looks at it agree better.
        """
        played, items = time.monotonic() - game.begun, game.job.point.items or 0
        expected = self.expected(game.job.point.number) - played
        if not game.share * items >= 1 or (game.share < ENOUGH and expected > 0):
            return max(expected, 0.0)
        then, share = self._looks.setdefault(game.job.key, (played, game.share))
        laws: tuple[Callable[[float], float], ...] = (log1p, float)
        now, before = game.share * items, share * items
        law = min(laws, key=lambda law: abs(log(played / then * law(before) / law(now))))
        return played * (law(items) / law(now) - 1)

    def overdue(self) -> list[str]:
        """Return a line for each game in play that has taken `SLOW` times the expected time: once for each."""
        lines = []
        for game in self.in_play():
            played, expected = time.monotonic() - game.begun, self.expected(game.job.point.number)
            if played > max(SLOW * expected, SHORTEST) and game.job.key not in self._overdue:
                self._overdue.add(game.job.key)
                sent = f"{percent(game.share)} of its items sent" if game.share == game.share else "it may be compiling"
                sent += f", now {game.stands}" if game.stands else ""
                lines.append(
                    f"{game.job.point.describe()}, trial {game.job.trial}: in play for {duration(played)}, expected "
                    f"{duration(expected)}; {sent}; {self.remedy}"
                )
        return lines

    def withdraw(self, point: int) -> list[Job]:
        """Take out the waiting games of a point, and return them."""
        jobs = self._waiting.pop(point, [])
        self._left[point] -= len(jobs)
        return jobs

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Take back games whose worker died; each is handed out alone, as one of them may have been the cause."""
        self._alone += reversed(list(jobs))


def _sides(point: Point) -> tuple[str, str]:
    """Return the kinds of the two sides of a point, whose games are played by the same compiled functions."""
    return point.protocol.kind, point.adversary.kind
