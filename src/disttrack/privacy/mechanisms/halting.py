"""The step at which a mechanism halts on a stream of bits, and the stream on which a monitor must err."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from disttrack.mechanisms.above_threshold import AboveThreshold
from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.noise import Floats

Ones = Sequence[int]
"""A stream of bits, as the increasing list of the steps, from 1, that carry a one."""


def runs_of_constant_sum(ones: Ones, steps: int) -> Iterator[tuple[int, int, int]]:
    """Yield the runs of steps with equal prefix sum as triples (sum, first step, last step)."""
    bounds = [1, *ones, steps + 1]
    for count, (first, after) in enumerate(pairwise(bounds)):
        if after > first:
            yield count, first, after - 1


class HaltingTimes(Protocol):
    """The interface that the hard instance needs of a mechanism."""

    def halting(self, ones: Ones, first: int, last: int) -> float:
        """Return the probability that the mechanism halts in one of the steps `first` ... `last`."""
        ...


class AboveThresholdHalting:
    """The exact distribution of the step at which a sparse-vector test of the prefix sums halts.

    Given the noise of the threshold the queries are independent, and the probability that none fires in m
    steps with the same prefix sum is a power. So one integral over the threshold's noise, by
    Gauss-Legendre panels whose edges are the integrand's kinks, gives any number of steps at once.

    Parameters
    ----------
    test
        The sparse-vector test.
    most_ones
        Largest number of ones in a stream; for more, the result is less precise.

    Source
    ------
    Derived from Algorithm 1 of Qiu, Yi 2022.
    """

    def __init__(self, test: AboveThreshold, most_ones: int = 64) -> None:
        self.test = test
        scale = test.threshold_noise.scale
        reach = 40 * scale
        edges = {-reach, 0.0, reach, *(-reach + scale * i for i in range(81))}
        edges.update(j - test.threshold for j in range(most_ones + 1) if abs(j - test.threshold) < reach)
        shift, weights = panels(sorted(edges), 24)
        self._weights = weights * (np.exp(-np.abs(shift) / scale) / (2 * scale))
        self._levels = test.threshold + shift
        self._log_silence: dict[int, Floats] = {}

    def _silence(self, count: int) -> Floats:
        """Return ln of the probability that a query of value `count` does not fire, by threshold noise."""
        if count not in self._log_silence:
            gap = (self._levels - count) / self.test.query_noise.scale
            above = 0.5 * np.exp(-np.abs(gap))
            silence: Floats = np.where(gap >= 0, np.log1p(-above), np.log(np.maximum(above, 1e-300)))
            self._log_silence[count] = silence
        return self._log_silence[count]

    def _log_survival(self, ones: Ones, step: int) -> Floats:
        """Return ln of the probability that no query fires up to `step`, for each noise of the threshold."""
        total: Floats = np.zeros(len(self._levels))
        for count, first, last in runs_of_constant_sum(ones[: bisect_right(ones, step)], step):
            total += (last + 1 - first) * self._silence(count)
        return total

    def halting(self, ones: Ones, first: int, last: int) -> float:
        """Return the probability that the test halts in one of the steps `first` ... `last`."""
        if last < first:
            return 0.0
        start, end = self._log_survival(ones, first - 1), self._log_survival(ones, last)
        return float(np.sum(self._weights * np.exp(start) * -np.expm1(end - start)))


class SampledHalting:
    """The distribution of the halting step from simulated runs, reused for every question about a stream.

    Parameters
    ----------
    halt
        Function of (ones, rng) that plays the mechanism and returns the step at which it halts; None for
        never.
    runs
        Simulated runs per stream.
    rng
        Generator of the runs.
    """

    def __init__(
        self, halt: Callable[[Ones, np.random.Generator], int | None], runs: int, rng: np.random.Generator
    ) -> None:
        whole("runs", runs)
        self._halt, self.runs, self._rng = halt, runs, rng
        self._known: dict[tuple[int, ...], Floats] = {}

    def halting(self, ones: Ones, first: int, last: int) -> float:
        """Return the share of runs that halt in one of the steps `first` ... `last`."""
        stream = tuple(ones)
        if stream not in self._known:
            halts = (self._halt(stream, self._rng) for _ in range(self.runs))
            self._known[stream] = np.array([math.inf if step is None else step for step in halts])
        return float(np.mean((first <= self._known[stream]) & (self._known[stream] <= last)))


def panels(corners: object, nodes: int) -> tuple[Floats, Floats]:
    """Return the places and weights of an integral with this number of nodes between any two neighbouring corners.

    Examples
    --------
    >>> places, weights = panels([0.0, 1.0, 3.0], 2)
    >>> round(float((weights * places**3).sum()), 9)
    20.25
    """
    places, weights = np.polynomial.legendre.leggauss(nodes)
    ends = np.asarray(corners)
    half = np.diff(ends)[:, None] / 2
    middle = (ends[:-1] + ends[1:])[:, None] / 2
    return (middle + half * places).ravel(), (half * weights).ravel()


@dataclass(frozen=True)
class HardInstance:
    """A hard stream, and the monitor's behaviour on it.

    Attributes
    ----------
    ones
        The steps that carry a one, `k` of them.
    steps
        Length of the stream, 2^(k+1) - 2; zeros may be appended.
    checked
        The step before which the probability of halting is computed; all ones lie before it.
    halts_before
        Probability that the monitor halts before `checked`, as summed by the construction.
    halves
        For each round, the probabilities of halting in the left and in the right half.
    """

    ones: tuple[int, ...]
    steps: int
    checked: int
    halts_before: float
    halves: tuple[tuple[float, float], ...]


def hard_instance(halting_times: HaltingTimes, k: int) -> HardInstance:
    """Return the stream of k ones that is hardest for a monitor with this halting distribution.

    In each round the interval is halved. If the monitor is likelier to halt in the right half, a one
    goes to the first step of the left one, where the search continues; else it goes to the first step of
    the right one. So the monitor is unlikely to have halted when all k ones have come, although it
    must have halted by then.

    Parameters
    ----------
    halting_times
        The distribution of the step at which the monitor halts: exact, or sampled.
    k
        Ones to place, the monitor's threshold.

    Source
    ------
    Algorithm 1 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024; comments give its lines. The subscript p in line 14 is m.
    """
    whole("k", k)
    steps = 2 ** (k + 1) - 2
    first, last = 1, steps  # l. 1
    ones: tuple[int, ...] = ()
    halted = 0.0
    halves = []
    for _ in range(k):  # l. 2
        middle = (first + last + 1) // 2
        left = halting_times.halting(ones, first, middle - 1)  # l. 3
        right = halting_times.halting(ones, middle, last)  # l. 4
        halves.append((left, right))
        if left <= right:  # l. 5
            ones = (*ones, first)  # l. 6
            halted += halting_times.halting(ones, first, first)  # l. 7
            first, last = first + 1, middle - 1  # l. 8 and 9
        else:
            ones = (*ones, middle)  # l. 13
            halted += left + halting_times.halting(ones, middle, middle)  # l. 14
            first = middle + 1  # l. 15
    return HardInstance(ones, steps, first, halted, tuple(halves))
