"""The private proper learner: zero until a sparse-vector test fires on the largest count, then a stable choice."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from disttrack.mechanisms.above_threshold import AboveThreshold
from disttrack.mechanisms.checks import Checked, Positive, Share, Whole
from disttrack.mechanisms.noise import Floats, Laplace
from disttrack.privacy.mechanisms.halting import AboveThresholdHalting, HaltingTimes, Ones, panels
from disttrack.privacy.mechanisms.monitors import quiet_cut
from disttrack.privacy.mechanisms.prediction.base import ZERO, Halts, Labels, Learner, LearnerRun, Points


@dataclass(frozen=True)
class SparseHistogram(Checked):
    """Adds Laplace noise to each positive count, and returns the point of the largest if it is large enough.

    A changed example moves two counts by 1 each, which noise of scale 2 / epsilon hides. Whether a point has a
    positive count is hidden by the cut 1 + (2 / epsilon) ln(2 / delta), which a count of 1 passes with probability
    delta / 4: so the choice is (epsilon, delta)-private, and needs no list of all points.

    Parameters
    ----------
    epsilon, delta
        Privacy for data sets that differ in one example.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Bun, Nissim, Stemmer 2016 (recalled), as Algorithm 3 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024 uses it.
    """

    epsilon: Positive
    delta: Share

    @property
    def noise(self) -> Laplace:
        """Noise of a count."""
        return Laplace(2 / self.epsilon)

    @property
    def cut(self) -> float:
        """Lower limit of a chosen noisy count."""
        return 1 + 2 / self.epsilon * math.log(2 / self.delta)

    def enough(self, failure: float) -> float:
        """Return the count from which on the only point is chosen, except with this probability."""
        return self.cut - self.noise.quantile(failure)

    def choose(self, counts: Mapping[int, int], rng: np.random.Generator) -> int:
        """Return the chosen point, or ZERO: one draw per point, in their order."""
        points = sorted(point for point, count in counts.items() if count > 0)
        if not points:
            return ZERO
        noisy = self.noise.hide(np.array([float(counts[point]) for point in points]), rng)
        best = int(noisy.argmax())
        return points[best] if noisy[best] > self.cut else ZERO

    def named(self, count: int) -> float:
        """Return the probability that the only point with a count is chosen."""
        return self.noise.tail(self.cut - count) if count > 0 else 0.0

    def chances(self, counts: Mapping[int, int]) -> dict[int, float]:
        """Return the distribution of the choice, including ZERO, exact to about 1e-12.

        The probability of a point is the integral of its noisy count's density times the others' distribution functions
        above the cut, by Gauss-Legendre panels between the kinks of the Laplace densities.
        """
        points = sorted(point for point, count in counts.items() if count > 0)
        if len(points) == 1:
            there = self.named(counts[points[0]])
            return {points[0]: there, ZERO: 1 - there}
        values = np.array([counts[point] for point in points], dtype=np.float64)
        levels, weights = self._panels(values)
        gaps = (levels - values[:, None]) / self.noise.scale
        below = np.where(gaps < 0, 0.5 * np.exp(np.minimum(gaps, 0)), 1 - 0.5 * np.exp(-np.maximum(gaps, 0)))
        density = np.exp(-np.abs(gaps)) / (2 * self.noise.scale)
        chances = {}
        for place, point in enumerate(points):
            others = np.delete(below, place, axis=0).prod(axis=0)
            chances[point] = float((weights * density[place] * others).sum())
        return {**chances, ZERO: 1 - sum(chances.values())}

    def _panels(self, values: Floats) -> tuple[Floats, Floats]:
        """Return nodes and weights of the integral from the cut on."""
        scale = self.noise.scale
        top = max(self.cut, float(values.max(initial=0.0))) + 45 * scale
        inner = [value for value in values.tolist() if value > self.cut]
        return panels(sorted({self.cut, top, *inner, *np.arange(self.cut, top, scale).tolist()}), 16)


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
    Observation 1.8 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, and a stable choice; derived.
    The upper bound beside Theorem 1.11.
    """

    kind = "private-proper"
    error = "about (8 / epsilon) ln(T) mistakes"
    arithmetic = "grid"

    epsilon: Positive
    horizon: Whole
    delta: Share = 0.01
    share: Share = 2 / 3
    false_alarm: Share = 0.01

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

    def first_time(self, zeros: Points, target: int, begin: int, rng: np.random.Generator, runs: int) -> HaltingTimes:
        times, named = AboveThresholdHalting(self.test), self.histogram.named

        def halting(ones: Ones, first: int, last: int) -> float:
            """Return the probability that the monitor fires in the round before, and the histogram names the target.

            Only examples of the target have label 1, so once the monitor has fired the hypothesis never changes.
            """
            total, from_, upto = 0.0, max(1, first - 1), last - 1
            for count, (one, after) in enumerate(pairwise([*ones, upto + 1]), start=1):
                begin, end = max(one, from_), min(after - 1, upto)
                if begin <= end:
                    total += times.halting(ones, begin, end) * named(count)
            return total

        return Halts(halting)


class ProperRun(LearnerRun):
    """A running private proper learner."""

    __slots__ = ("_choices", "_counts", "_most", "_point", "_rules", "_test", "fired_at", "t")

    def __init__(self, rules: PrivateProper, rng: np.random.Generator) -> None:
        tests, self._choices = rng.spawn(2)
        self._rules = rules
        self._test = rules.test.start(tests)
        self._counts: Counter[int] = Counter()
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
            self._counts[point] += 1
            self._most = max(self._most, self._counts[point])
        if self._test.step(self._most):
            self._fire()

    def _fire(self) -> None:
        self.fired_at = self.t
        self._point = self._rules.histogram.choose(self._counts, self._choices)

    def release(self, points: Points, labels: Labels) -> Points:
        begun = self.t
        for one in [*np.flatnonzero(labels).tolist(), len(points)]:
            if self.fired_at is None:
                self._wait(begun + one - self.t)
            if self.fired_at is not None:
                break
            if one < len(points):
                self.learn(int(points[one]), True)
        self.t = begun + len(points)
        shown_from = len(points) if self.fired_at is None else max(0, self.fired_at - begun)
        return np.where(np.arange(len(points)) < shown_from, ZERO, self._point)

    def _wait(self, rounds: int) -> None:
        """Take rounds with label 0, in which the largest count stays; if the monitor fires, up to that one."""
        fired = self._test.first(np.full(rounds, self._most))
        self.t += rounds if fired is None else fired + 1
        if fired is not None:
            self._fire()

    def facts(self) -> dict[str, int | None]:
        return {"fired_at": self.fired_at}
