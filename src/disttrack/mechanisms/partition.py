"""Private partitioning of a stream into segments of about (1 / epsilon) log t items each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.faults import DRAWN
from disttrack.mechanisms.noise import Draws, Floats, Laplace, or_silence

WINDOW = 512
"""Steps searched at first for the end of a segment."""


@dataclass(frozen=True)
class PrivatePartition(Mechanism):
    """Private partitioning: one sparse-vector test per segment, on the number of items since it began.

    Segment j closes when the test fires, with threshold (7 / epsilon) ln(2 T_j / beta_j), beta_j = 6
    beta / (pi j)^2. With a horizon T_j is the horizon. Without one T_1 = 2, a segment also closes at
    step T_j, and T_(j+1) is the square of the step at which segment j closed. Each test declares its
    segment, so the budgets do not add up.

    Parameters
    ----------
    epsilon
        Privacy loss of all the segments' ends together.
    horizon
        Number of steps at most; None for no end.
    beta
        Probability that some segment contains more than (13 / epsilon) ln(2 T_j / beta_j) items, or less
        than a thirteenth of that without having reached its deadline.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Qiu, Yi 2022, Algorithm 2; Dwork, Naor, Reingold, Rothblum 2015.
    Without a horizon and with one.
    """

    kind = "private-partition"
    error = "at most (13 / epsilon) ln(2 T_j / beta_j) items a segment"
    arithmetic = "grid"
    faults: ClassVar = DRAWN

    epsilon: Positive
    horizon: Whole | None = None
    beta: Share = 0.05

    def threshold(self, segment: int, deadline: int) -> float:
        """Return the threshold of segment number `segment`, from 1, whose T_j is `deadline`."""
        failure = 6 * self.beta / (math.pi * segment) ** 2
        return 7 / self.epsilon * math.log(2 * deadline / failure)

    def most_items(self, segment: int, deadline: int, beta: float) -> float:
        """Return a bound that the items of a segment exceed with probability at most `beta`."""
        return self.threshold(segment, deadline) + 6 / self.epsilon * math.log(2 / beta)

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> PartitionRun:
        """Return a fresh run; `silent` turns the noise off, for tests."""
        return PartitionRun(self, or_silence(rng, silent))


class PartitionRun:
    """A running partition: comments give the lines of Algorithm 2 of Qiu, Yi 2022, without its horizon.

    Thresholds and queries have separate generators, so batches do not mix.
    """

    __slots__ = ("_deadline", "_hidden", "_queries", "_thresholds", "count", "partition", "segments", "t")

    def __init__(self, partition: PrivatePartition, rng: np.random.Generator) -> None:
        self.partition = partition
        for_thresholds, for_queries = rng.spawn(2)
        threshold_noise, query_noise = Laplace(2 / partition.epsilon), Laplace(4 / partition.epsilon)
        self._thresholds = Draws(threshold_noise, for_thresholds, batch=16)
        self._queries = Draws(query_noise, for_queries)
        self.t = 0
        self.segments = 0
        """Segments closed so far."""
        self._deadline = 2  # l. 1
        self._begin()

    def _begin(self) -> None:
        """Begin a segment, with a new sparse-vector test."""
        if self.partition.horizon is not None:
            self._deadline = self.partition.horizon
        self.count = 0.0
        threshold = self.partition.threshold(self.segments + 1, self._deadline)  # l. 1 and 7
        self._hidden = self._thresholds.hide(threshold)  # l. 2 and 8

    def _close(self) -> float:
        """Close the segment, begin the next one, and return the items of the one that closed."""
        items = self.count  # l. 6
        self.segments += 1  # l. 7
        self._deadline = self.t**2
        self._begin()
        return items

    def step(self, x: float = 1) -> float | None:
        """Take the next number; return the segment's sum if the segment closes with it, else None."""
        x = self._queries.on_grid(x)
        self.t += 1  # l. 3
        self.count += x  # l. 4
        noise = self._queries.one()
        timed_out = self.partition.horizon is None and self.t >= self._deadline
        if self.count + noise > self._hidden or timed_out:  # l. 5
            return self._close()
        return None

    def closings(self, numbers: Floats) -> list[tuple[int, float]]:
        """Take several numbers; return the segments that close with them as pairs (place, sum)."""
        numbers, noise = self._queries.on_grid(numbers), self._queries.many(len(numbers))
        closed = []
        at, window = 0, WINDOW
        while at < len(numbers):
            size = min(window, len(numbers) - at)
            if self.partition.horizon is None:
                size = min(size, max(1, self._deadline - self.t))
            sums = numbers[at : at + size].copy()
            sums[0] += self.count
            np.cumsum(sums, out=sums)
            fired = sums + noise[at : at + size] > self._hidden
            place = int(fired.argmax())
            if not fired[place]:
                place = size - 1
            self.t += place + 1
            self.count = float(sums[place])
            at += place + 1
            timed_out = self.partition.horizon is None and self.t >= self._deadline
            window = min(2 * window, 1 << 15)
            if fired[place] or timed_out:
                closed.append((at - 1, self._close()))
                window = WINDOW
        return closed
