"""The private proper learner: zero until a sparse-vector test fires on the largest count, then a stable choice."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from disttrack.mechanisms.above_threshold import AboveThreshold
from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.halting import AboveThresholdHalting, HaltingTimes, Ones
from disttrack.mechanisms.monitors import quiet_cut
from disttrack.mechanisms.prediction.base import RUNS, ZERO, Labels, Learner, LearnerRun, Points
from disttrack.mechanisms.prediction.histogram import SparseHistogram

CHUNK = 1 << 16
"""Rounds tested at a time."""


@dataclass(frozen=True)
class PrivateProper(Learner):
    """Shows zero until a threshold monitor fires on the largest number of 1-labels at a point, then that point.

    The monitor is a sparse-vector test with `share` of epsilon, whose threshold is such that it fires with probability
    `false_alarm` if no label 1 comes in `horizon` rounds: (4 / (share epsilon)) ln(horizon) and a constant, which is
    the learner's number of mistakes. A stability-based histogram with the rest of epsilon chooses the point; if it
    chooses none, the hypothesis stays zero for ever. The threshold is never below the count that the histogram needs.

    Parameters
    ----------
    epsilon, delta
        Privacy of all hypotheses together.
    horizon
        Maximum number of rounds.
    share
        The monitor's share of epsilon.
    false_alarm
        Probability that it fires on labels 0 alone.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Derived: the upper bound beside Theorem 1.11 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, by Observation 1.8.
    """

    kind = "private-proper"
    source = "Observation 1.8 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, and a stable choice; derived"
    error = "about (8 / epsilon) ln(T) mistakes"
    arithmetic = "grid"

    epsilon: Positive
    horizon: Whole
    delta: Share = 0.01
    share: Share = 2 / 3
    false_alarm: Share = 0.01

    @property
    def privacy(self) -> tuple[float, float]:
        return self.epsilon, self.delta

    @property
    def histogram(self) -> SparseHistogram:
        """The choice of the point."""
        return SparseHistogram(self.epsilon * (1 - self.share), self.delta)

    @property
    def test(self) -> AboveThreshold:
        """The monitor of the largest count."""
        epsilon = self.epsilon * self.share
        quiet = quiet_cut(epsilon, self.horizon, self.false_alarm)
        return AboveThreshold(epsilon, max(quiet, self.histogram.enough(self.false_alarm)))

    def start(self, rng: np.random.Generator) -> ProperRun:
        return ProperRun(self, rng)

    def first_time(
        self, zeros: Points, target: int, begin: int, rng: np.random.Generator, runs: int = RUNS
    ) -> HaltingTimes:
        return _ProperFirst(self)


class ProperRun(LearnerRun):
    """A running private proper learner."""

    __slots__ = ("_choices", "_counts", "_most", "_point", "_rules", "_test", "fired_at", "t")

    def __init__(self, rules: PrivateProper, rng: np.random.Generator) -> None:
        tests, self._choices = rng.spawn(2)
        self._rules = rules
        self._test = rules.test.start(tests)
        self._counts: dict[int, int] = {}
        self._most = 0
        self._point = ZERO
        self.t = 0
        """Rounds so far."""
        self.fired_at: int | None = None
        """The round after which the monitor fired."""

    def hypothesis(self) -> int:
        return self._point

    def learn(self, point: int, label: bool) -> None:
        self.t += 1
        if self.fired_at is not None:
            return
        if label:
            self._count(point)
        if self._test.step(self._most):
            self._fire(self.t)

    def release(self, points: Points, labels: Labels) -> Points:
        released = np.full(len(points), ZERO, dtype=np.int64)
        at = 0
        while at < len(points) and self.fired_at is None:
            end = min(at + CHUNK, len(points))
            begun = self.t
            fired = self._test.first(self._largest(points[at:end], labels[at:end]))
            self.t = begun + (end - at if fired is None else fired + 1)
            # the counts up to the round that fired, or of all rounds
            for point in points[at : at + self.t - begun][labels[at : at + self.t - begun]].tolist():
                self._count(point)
            if fired is not None:
                self._fire(self.t)
                at += fired + 1
                break
            at = end
        released[at:] = self._point
        self.t += len(points) - at
        return released

    def _largest(self, points: Points, labels: Labels) -> Points:
        """Return the largest count after each of the next rounds."""
        largest = np.full(len(points), self._most, dtype=np.int64)
        ahead: dict[int, int] = {}
        for place in np.flatnonzero(labels).tolist():
            point = int(points[place])
            ahead[point] = ahead.get(point, self._counts.get(point, 0)) + 1
            largest[place] = ahead[point]
        return np.maximum.accumulate(largest)

    def _count(self, point: int) -> None:
        self._counts[point] = self._counts.get(point, 0) + 1
        self._most = max(self._most, self._counts[point])

    def _fire(self, step: int) -> None:
        self.fired_at = step
        self._point = self._rules.histogram.choose(self._counts, self._choices)

    def facts(self) -> dict[str, Any]:
        return {"fired_at": self.fired_at}


class _ProperFirst:
    """The round after the monitor fires, if the histogram then chooses the point: both exactly."""

    def __init__(self, rules: PrivateProper) -> None:
        self._halting = AboveThresholdHalting(rules.test)
        self._named = rules.histogram.named

    def halting(self, ones: Ones, first: int, last: int) -> float:
        """Return the probability that the target is first labelled 1 in one of the rounds `first` ... `last`.

        Only examples of the target have label 1, so once the monitor has fired the hypothesis never changes.
        """
        total, from_, upto = 0.0, max(1, first - 1), last - 1
        bounds = [*ones, upto + 1]
        for count, (one, after) in enumerate(pairwise(bounds), start=1):
            begin, end = max(one, from_), min(after - 1, upto)
            if begin <= end:
                total += self._halting.halting(ones, begin, end) * self._named(count)
        return total
