"""Counters for sparse streams: a private partition, and a counter with one input per segment."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.checks import Share, probability, whole
from disttrack.mechanisms.counters.base import Counter, Run, State
from disttrack.mechanisms.counters.hybrid import Hybrid
from disttrack.mechanisms.laplace_sums import laplace_sum_quantile
from disttrack.mechanisms.noise import Floats, or_silence
from disttrack.mechanisms.partition import PrivatePartition


@dataclass(frozen=True)
class Sparse(Counter):
    """Sparse-stream counter by private partition, for a known horizon.

    Half the budget cuts the stream into segments of about (1 / epsilon) log T items, half goes to a
    hybrid counter that receives the count of each segment when it closes. Between closings the estimate
    is constant. So the error is that of a counter of few steps, plus the items of the open segment:
    O((log^1.5 n_t + log T) / epsilon).

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most.
    beta
        Probability that any of the segments is longer than planned.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Dwork, Naor, Reingold, Rothblum 2015; Qiu, Yi 2022, Table 1.
    Row 3 of the table.
    """

    kind = "sparse"
    error = "O((log^1.5 n_t + log horizon) / epsilon), n_t items so far"
    memory = "O(log n_t)"
    arithmetic = "grid"

    error_follows_items = True

    beta: Share = 0.05

    @property
    def partition(self) -> PrivatePartition:
        """The partition, at half the budget."""
        return PrivatePartition(self.epsilon / 2, self.horizon if self.needs_horizon else None, self.beta)

    @property
    def inner(self) -> Hybrid:
        """The counter of closed segments, at half the budget."""
        return Hybrid(self.epsilon / 2)

    def segments(self, t: int, items: int) -> int:
        """Return how many segments may have closed by step `t` if `items` of its entries are not 0."""
        return min(t, items)

    def error_bound(self, t: int, beta: float, items: int | None = None) -> float:
        """Return a bound that the error at step `t` exceeds with probability at most about `beta`.

        Parameters
        ----------
        t
            Step.
        beta
            Probability.
        items
            Ones in the stream so far; None for the maximum, `t`.
        """
        whole("t", t)
        probability("beta", beta)
        closed = self.segments(t, t if items is None else items)
        power = max(1, closed).bit_length() - 1
        scale = 2 / self.inner.epsilon
        worst = [(scale, power + 1), (scale * max(1, power), power)]
        noise = laplace_sum_quantile(worst, beta / 2) if closed else 0.0
        deadline = self.partition.horizon or max(2, t * t)  # the greatest T_j of a segment that is open at step t
        return noise + self.partition.most_items(closed + 1, deadline, beta / 2)

    def error_bound_throughout(self, steps: int, beta: float, items: int | None = None) -> float:
        return self.error_bound(steps, beta / steps, items)

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> SparseRun:
        return SparseRun(self, or_silence(rng, silent))


@dataclass(frozen=True)
class SparseInfinite(Sparse):
    """Sparse-stream counter without a horizon: the infinite private partition with a hybrid counter inside.

    As `sparse`, but each segment's threshold follows the step at which the one before closed. The error
    is O((log^1.5 n_t + log t) / epsilon).

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most; None for no end. It affects nothing except the end.
    beta
        Probability that any of the segments is longer than planned.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Qiu, Yi 2022, Algorithm 2 and Table 1.
    """

    kind = "sparse-infinite"
    error = "O((log^1.5 n_t + log t) / epsilon), n_t items so far"
    needs_horizon = False

    def segments(self, t: int, items: int) -> int:
        """Return how many segments may have closed by step `t`: segments with items, and segments timed out."""
        timed_out = 2 + math.ceil(math.log2(max(1.0, math.log2(max(2, t)))))
        return min(t, items + timed_out)

    arithmetic = "grid"
    error_bound, error_bound_throughout = Sparse.error_bound, Sparse.error_bound_throughout


class SparseRun(Run):
    """A running sparse-stream counter."""

    __slots__ = ("_estimate", "inner", "partition")

    def __init__(self, counter: Sparse, rng: np.random.Generator) -> None:
        super().__init__(counter)
        for_partition, for_counter = rng.spawn(2)
        self.partition = counter.partition.start(for_partition)
        self.inner = counter.inner.start(for_counter)
        self._estimate = 0.0

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        items = self.partition.step(x)  # Qiu, Yi 2022, section 2.4, or Algorithm 2
        self.t = t
        if items is not None:  # Theorem 8: a closed segment is one input of the dense counter
            self._estimate = self.inner.step(items)
        return self._estimate

    def state(self) -> State:
        return {"step": self.t, "count": self.inner.state()["count"] + self.partition.count}

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        out = np.empty(len(numbers))
        at = 0
        for place, items in self.partition.closings(numbers):
            out[at:place] = self._estimate
            self._estimate = self.inner.step(items)
            at = place
        out[at:] = self._estimate
        self.t += len(numbers)
        return out
