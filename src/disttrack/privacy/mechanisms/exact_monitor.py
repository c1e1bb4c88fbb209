"""The best private threshold monitor of a short stream: a linear program over all rules of halting."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple

import numpy as np

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import FromZero, Positive, Whole
from disttrack.mechanisms.faults import TOSSED
from disttrack.mechanisms.shortcuts import Shortcut
from disttrack.privacy.mechanisms.halting import Ones
from disttrack.privacy.mechanisms.monitors import HALTING

MOST: Final = 5_000
"""Largest number of prefixes of streams; a linear program of this size is solved in about ten seconds."""


class Prefix(NamedTuple):
    """The beginning of a stream: its ones, and its length."""

    ones: tuple[int, ...]
    length: int

    @property
    def parent(self) -> Prefix:
        """The same without the last step."""
        return Prefix(tuple(one for one in self.ones if one < self.length), self.length - 1)


def prefixes(k: int, horizon: int, most: int | None = None) -> Iterator[Prefix]:
    """Yield the prefixes of streams up to the k-th one; with `most`, those of all streams with `most` ones at most."""
    level = [Prefix((), 0)]
    while level:
        yield from level
        open_ones = [one for one in level if one.length < horizon and (most is not None or len(one.ones) < k)]
        level = []
        for ones, length in open_ones:
            level.append(Prefix(ones, length + 1))
            if len(ones) < (k if most is None else most):
                level.append(Prefix((*ones, length + 1), length + 1))


class _Program:
    """The rows of the program, and its variables: silence after each prefix, the largest failure, shares of delta."""

    def __init__(self, places: Mapping[Prefix, int], growth: float, delta: float) -> None:
        self._places, self._growth, self._delta = places, growth, delta
        self.largest = len(places)
        self._spent: dict[tuple[int, int], int] = {}
        self._terms: list[tuple[int, int, float]] = []
        self._limits: list[float] = []

    def at_most(self, limit: float, *terms: tuple[int, float]) -> None:
        """Add a row; terms of the same variable add up."""
        self._terms += [(len(self._limits), variable, factor) for variable, factor in terms]
        self._limits.append(limit)

    def keep_apart(self, here: Prefix, other: Prefix, ends: bool) -> None:
        """Limit how much more often the monitor halts on a prefix than on its neighbour, and if it ends never does."""
        mine, its = self._places[here], self._places[other]
        before, its_before = self._places[here.parent], self._places[other.parent]
        used: list[tuple[int, float]] = []
        if self._delta:
            self._spent[mine, its] = variable = self.largest + 1 + len(self._spent)
            used = [(variable, -1.0)]
            if before != its_before:  # what was used up to the step before is used
                used.append((self._spent[before, its_before], 1.0))
                self.at_most(0, *used)
        self.at_most(0, (before, 1), (mine, -1), (its_before, -self._growth), (its, self._growth), *used)
        if ends:
            self.at_most(self._delta, (mine, 1), (its, -self._growth), *((variable, 1.0) for variable, _ in used[:1]))

    def solve(self) -> list[float]:
        """Return the values of the variables with the smallest largest failure."""
        from scipy import optimize, sparse  # slow imports, only needed by this function

        bounds = [(1.0, 1.0), *[(0.0, 1.0)] * self.largest, *[(0.0, self._delta)] * len(self._spent)]
        rows, variables, factors = zip(*self._terms, strict=True)
        matrix = sparse.coo_array((factors, (rows, variables)), shape=(len(self._limits), len(bounds))).tocsr()
        goal = np.eye(1, len(bounds), self.largest)[0]
        found = optimize.linprog(goal, matrix, self._limits, bounds=bounds, method="highs-ipm")
        values: list[float] = found.x.tolist()
        return values


def solution(
    k: int, epsilon: float, horizon: int, delta: float = 0.0, most: int | None = None
) -> tuple[float, Mapping[Prefix, float]]:
    """Return the smallest possible largest failure, and the probabilities not to have halted after each prefix.

    These never grow; the chance to halt in a step, and never to, is within e^epsilon of a neighbour's, but for delta in
    total; no stream has a larger failure than the one that is minimised.

    Parameters
    ----------
    k, epsilon, horizon, delta
        As for `ExactMonitor`.
    most
        If given, all streams with `most` ones at most take part to their ends, and not only up to the k-th one.
    """
    places = {prefix: number for number, prefix in enumerate(prefixes(k, horizon, most))}
    program, half = _Program(places, math.exp(epsilon), delta), math.ceil(k / 2)
    for prefix, number in places.items():
        ones, length = prefix
        if not length:
            continue
        program.at_most(0, (number, 1), (places[prefix.parent], -1))
        for one in ones:
            other = Prefix(tuple(each for each in ones if each != one), length)
            for pair in ((prefix, other), (other, prefix)):
                program.keep_apart(*pair, ends=length == horizon or (most is None and len(ones) == k))
        if len(ones) == k and ones[-1] == length:  # early, or not yet halted
            early = places[Prefix(ones[: half - 1], ones[half - 1] - 1)]
            program.at_most(-1, (early, -1), (number, 1), (program.largest, -1))
        elif length == horizon and len(ones) < half:
            program.at_most(-1, (number, -1), (program.largest, -1))
    values = program.solve()
    return values[program.largest], dict(zip(places, values, strict=False))


_solved = lru_cache(maxsize=64)(solution)


@dataclass(frozen=True)
class ExactMonitor(Mechanism):
    """Threshold monitor that errs least of all private ones, on the worst stream of a given length.

    Its chances to halt are the solution of a linear program with a variable for each prefix of a stream. So `failure`
    is a lower bound for every monitor that is (epsilon, delta)-private. The program ends with the k-th one, where the
    game does; with all streams to their ends its value is the same wherever this was tried (up to 8 steps).

    Parameters
    ----------
    k
        The threshold, in ones.
    epsilon, delta
        Privacy loss.
    horizon
        Number of steps. Streams of this length have at most 5,000 prefixes with fewer than k ones: 64 steps for k = 2,
        15 for k = 4.

    Raises
    ------
    ValueError
        If a parameter is out of range, or the program too large.

    Source
    ------
    derived here; the problem is Problem 1.6 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024.
    """

    kind = "exact-monitor"
    error = "the least of all"
    arithmetic = "coins"
    faults: ClassVar = TOSSED
    shortcuts: ClassVar = {**HALTING, "failure": Shortcut(None)}

    k: Whole
    epsilon: Positive
    horizon: Whole
    delta: FromZero = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        steps = range(self.horizon + 1)
        size = sum(math.comb(step, count) for step in steps for count in range(min(self.k, step + 1)))
        if size > MOST:
            raise ValueError(f"horizon must be smaller for k = {self.k}: {size:,} prefixes, of {MOST:,} at most")

    @property
    def failure(self) -> float | None:
        """Probability of an error on the worst stream."""
        return _solved(self.k, self.epsilon, self.horizon, self.delta)[0]

    def halting_times(self, rng: np.random.Generator | None = None) -> ExactMonitor:
        """Return the exact distribution of the halting step, computed by this object's `halting`."""
        return self

    def halting(self, ones: Ones, first: int, last: int) -> float:
        """Return the probability that it halts in one of the steps `first` ... `last`, up to the k-th one."""
        return self._silence(ones, first - 1) - self._silence(ones, last) if first <= last else 0.0

    def halt(self, ones: Ones, steps: int, rng: np.random.Generator) -> int | None:
        """Play the monitor on a stream and return the step at which it answers top; None for never."""
        drawn = rng.random()
        ends = ones[self.k - 1] if len(ones) >= self.k else steps
        return next((step for step in range(1, min(ends, steps) + 1) if self._silence(ones, step) < drawn), None)

    def _silence(self, ones: Ones, step: int) -> float:
        """Return the probability that it has not halted after a step."""
        step = min(step, self.horizon, ones[self.k - 1] if len(ones) >= self.k else self.horizon)
        prefix = Prefix(tuple(ones[: bisect_right(ones, step)]), step)
        return _solved(self.k, self.epsilon, self.horizon, self.delta)[1][prefix]
