"""Threshold queries on a fixed data set, asked one after the other: how many points are at most q?"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.counters.sparse import SparseInfinite
from disttrack.mechanisms.faults import DRAWN
from disttrack.mechanisms.noise import Draws, Laplace, or_silence, real_numbers
from disttrack.privacy.mechanisms.faults import TwiceDelta


@dataclass(frozen=True)
class SortedQueries(Mechanism):
    """Queries in increasing order: the points between two of them are the input of a sparse-stream counter.

    The error is that of the counter, O((log^1.5 n + log t) / epsilon).

    Parameters
    ----------
    epsilon
        Privacy loss of all answers together, for data sets that differ by the presence of one point.
    beta
        Failure probability of the counter's partition.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, section 1.2.1.
    Sorted queries are the counter problem.
    """

    kind = "sorted-queries"
    error = "O((log^1.5 n + log t) / epsilon); queries in increasing order only"
    arithmetic = "grid"
    faults: ClassVar = DRAWN
    increasing: ClassVar[bool] = True
    """Whether it answers queries in increasing order only."""

    epsilon: Positive
    beta: Share = 0.05

    def largest_error(self, points: int, queries: int, beta: float) -> float:
        """Return a bound on the errors of all answers, except with probability `beta`."""
        return SparseInfinite(self.epsilon, beta=self.beta).error_bound(queries, beta / queries, points)

    def start(self, data: ArrayLike, rng: np.random.Generator, *, silent: bool = False) -> SortedQueriesRun:
        """Return a fresh run on `data`; `silent` turns the noise off, for tests."""
        return SortedQueriesRun(self, data, or_silence(rng, silent))


class SortedQueriesRun:
    """A run of answers to increasing queries."""

    __slots__ = ("_counter", "_data", "_last", "_seen")

    def __init__(self, rules: SortedQueries, data: ArrayLike, rng: np.random.Generator) -> None:
        self._counter = SparseInfinite(rules.epsilon, beta=rules.beta).start(rng)
        self._data = np.sort(real_numbers(data)).tolist()
        self._last, self._seen = -math.inf, 0

    def answer(self, query: float) -> float:
        """Return about how many points are at most `query`."""
        if query < self._last:
            raise ValueError(f"query must be at least the one before, {self._last!r}; got {query!r}")
        self._last = query
        upto = bisect_right(self._data, query)
        fresh, self._seen = upto - self._seen, upto
        return self._counter.step(fresh)


@dataclass(frozen=True)
class SparseVectorQueries(Mechanism):
    """Queries in any order, by two-sided sparse-vector tests between answers already given.

    A query between two answered ones is tested: within a margin of the left answer, or of the right one,
    it takes that answer at no cost; in between, a fresh noisy answer is paid for and the test restarts.
    Each payment cuts an interval into parts of at least half a margin, so at most 2 n / margin are
    made; the margin 8 sqrt(n ln(4 T / beta) / epsilon) balances the noise of that many payments.

    Parameters
    ----------
    epsilon, delta
        Privacy of all answers together, for data sets of the same size that differ in one point.
    points
        Number of points, n.
    queries
        Maximum number of queries, T.
    beta
        Probability that some answer errs by more than `largest_error`.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Bun, Steinke, Ullman 2017, BetweenThresholds; margins derived.
    Recalled.
    """

    kind = "sparse-vector-queries"
    error = "O(sqrt(n log(T) / epsilon) + (c / epsilon) log(c / (epsilon delta))), c payments"
    arithmetic = "grid"
    faults: ClassVar = DRAWN

    epsilon: Positive
    points: Whole
    queries: Whole
    delta: Share = 1e-6
    beta: Share = 0.05

    @property
    def margin(self) -> float:
        """Largest difference of counts at which an answered query's answer is reused."""
        return 8 * math.sqrt(self.points * math.log(4 * self.queries / self.beta) / self.epsilon)

    @property
    def payments(self) -> int:
        """Maximum number of fresh answers."""
        return math.ceil(2 * self.points / self.margin)

    @property
    def share(self) -> float:
        """Budget of one test, and of one fresh answer."""
        return self.epsilon / (2 * (self.payments + 1))

    @property
    def width(self) -> float:
        """Least distance of a test's two thresholds."""
        share = min(self.share, 1.0)
        return 12 / share * (math.log(10 / share) + math.log((self.payments + 1) / self.delta) + 1)

    def largest_error(self, points: int, queries: int, beta: float) -> float:
        """Return a bound on the errors of all answers, except with probability `beta`."""
        noise = 8 / self.share * math.log(4 * queries / beta)
        return max(self.margin + noise, self.margin + self.width / 2) + noise

    def start(self, data: ArrayLike, rng: np.random.Generator, *, silent: bool = False) -> SparseVectorQueriesRun:
        """Return a fresh run on `data`; `silent` turns the noise off, for tests."""
        return SparseVectorQueriesRun(self, data, or_silence(rng, silent))


class SparseVectorQueriesRun:
    """A run of answers to queries in any order."""

    __slots__ = (
        "_answers",
        "_asked",
        "_data",
        "_fresh",
        "_margin",
        "_queries",
        "_shift",
        "_shifts",
        "paid",
        "rules",
        "t",
    )

    def __init__(self, rules: SparseVectorQueries, data: ArrayLike, rng: np.random.Generator) -> None:
        self.rules = rules
        self._data = np.sort(real_numbers(data)).tolist()
        if len(self._data) != rules.points:
            raise ValueError(f"data must hold {rules.points} points; got {len(self._data)}")
        self._queries = Draws(Laplace(6 / rules.share), rng)
        self._shifts = Draws(Laplace(2 / rules.share), rng, batch=16)
        self._fresh = Draws(Laplace(1 / rules.share), rng, batch=16)
        self._asked = [-math.inf, math.inf]
        self._answers = [0.0, float(rules.points)]
        self._margin = self._shifts.on_grid(rules.margin)
        self._shift = self._shifts.one()
        self.paid = 0
        """Fresh answers so far."""
        self.t = 0

    def answer(self, query: float) -> float:
        """Return about how many points are at most `query`."""
        if self.t >= self.rules.queries:
            raise ValueError(f"query {self.t + 1} is past the limit of {self.rules.queries} queries")
        self.t += 1
        place = bisect_left(self._asked, query)
        if self._asked[place] == query:
            return self._answers[place]
        low, high = self._answers[place - 1], self._answers[place]
        margin = self._margin
        if high - low < 2 * margin + self.rules.width or self.paid >= self.rules.payments:
            return (low + high) / 2
        noisy = bisect_right(self._data, query) + self._queries.one()
        if noisy <= low + margin + self._shift:
            answer = low
        elif noisy >= high - margin - self._shift:
            answer = high
        else:
            exact = bisect_right(self._data, query)
            answer = min(max(exact + self._fresh.one(), low), high)
            self.paid += 1
            self._shift = self._shifts.one()
        self._asked.insert(place, query)
        self._answers.insert(place, answer)
        return answer


@dataclass(frozen=True)
class ReleaseQueries(Mechanism):
    """Queries answered from a sample: each point is kept with probability delta, drawn once.

    It is (0, delta)-private; the standard deviation of an answer is sqrt(n_q (1 - delta) / delta), n_q
    the exact one.

    Parameters
    ----------
    delta
        Probability that a point is kept.

    Raises
    ------
    ValueError
        If `delta` is out of range.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, Observation 1.8.
    """

    kind = "release-queries"
    error = "sqrt(n_q (1 - delta) / delta)"
    arithmetic = "coins"
    faults: ClassVar = {"half-noise": TwiceDelta}

    delta: Share

    def largest_error(self, points: int, queries: int, beta: float) -> float:
        """Return a bound on the errors of all answers, except with probability `beta` (Bernstein, union bound)."""
        logs = math.log(2 * queries / beta)
        return (logs / 3 + math.sqrt(logs**2 / 9 + 2 * points * self.delta * logs)) / self.delta

    def start(self, data: ArrayLike, rng: np.random.Generator) -> ReleaseQueriesRun:
        """Return a fresh run on `data`."""
        return ReleaseQueriesRun(self, data, rng)


class ReleaseQueriesRun:
    """A run of answers from a sample."""

    __slots__ = ("_kept", "rules")

    def __init__(self, rules: ReleaseQueries, data: ArrayLike, rng: np.random.Generator) -> None:
        self.rules = rules
        points = np.sort(real_numbers(data))
        self._kept = points[rng.random(len(points)) < rules.delta].tolist()

    def answer(self, query: float) -> float:
        """Return about how many points are at most `query`."""
        return bisect_right(self._kept, query) / self.rules.delta
