"""Counters whose state is private: at one look, and by randomised response at a look after every step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.checks import probability, whole
from disttrack.mechanisms.counters.base import Counter, Run, State
from disttrack.mechanisms.counters.linear import LinearRun
from disttrack.mechanisms.faults import TOSSED
from disttrack.mechanisms.noise import Draws, Floats, Laplace, or_silence
from disttrack.mechanisms.segments import SegmentNoise


@dataclass(frozen=True)
class PanPrivate(Counter):
    """Pan-private counter: a noisy count, plus the noise of the h segments that contain the step.

    With 2^h the horizon, rounded up, segments have lengths 2^(h-1), ..., 1. All h + 1 noises are Lap((1
    + h) / epsilon), so the variance is 2 (1 + h) ((1 + h) / epsilon)^2 at every step: the
    distribution of the noise never changes. The noise of a segment is drawn when the segment begins and
    erased when it ends; one look at the state costs no more than epsilon.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates and of one view of the state together.
    horizon
        Number of steps at most.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010, Figure 1.
    Privacy: Theorem 4.1; the variance is derived.

    Examples
    --------
    >>> round(PanPrivate(epsilon=1.0, horizon=64).variance(5) ** 0.5, 2)
    26.19
    """

    kind = "pan-private"
    error = "sqrt(2 (1 + h)^3) / epsilon at every step, h = log2(horizon) rounded up, 1 at least"
    memory = "O(log horizon)"
    arithmetic = "grid"
    pan_private = True

    @property
    def levels(self) -> int:
        """Levels of segments, h; one at least, or else nothing hides a step from who has looked before it."""
        return max(1, (self.steps - 1).bit_length())

    @property
    def scale(self) -> float:
        """Scale of each noise."""
        return (1 + self.levels) / self.epsilon  # Initialization: xi

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, 1 + self.levels)]

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> PanPrivateRun:
        return PanPrivateRun(self, or_silence(rng, silent))


class PanPrivateRun(LinearRun):
    """A running pan-private counter: Figure 1, whose statement 1 is the sum of `LinearRun`, and 2 to 4 `SegmentNoise`.

    The noise is drawn only when it is needed: noise drawn ahead would be in memory, and an intruder
    would know the noise of the next outputs.
    """

    __slots__ = ()

    _noise: SegmentNoise

    def __init__(self, counter: PanPrivate, rng: np.random.Generator) -> None:
        draws = Draws(Laplace(counter.scale), rng, batch=1)
        noisy_zero = draws.one()
        super().__init__(counter, SegmentNoise(counter.levels, draws))
        self._total = noisy_zero  # Initialization

    def state(self) -> State:
        """Return the state that an intruder sees between two steps: the noisy count and the noises in force."""
        return {**super().state(), "noise": self._noise.in_force}


@dataclass(frozen=True)
class RandomizedResponse(Counter):
    """Randomised response: each bit is flipped with probability q = 1 / (1 + exp(epsilon)), then counted.

    With S the flipped bits counted so far the estimate is (S - t q) / (1 - 2q). Its standard deviation is
    sqrt(t q (1 - q)) / (1 - 2q), about sqrt(t) / epsilon. The state is private at every step, however
    often it is seen, and no counter has an error below the order of sqrt(n) under n intrusions.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates and of all states together.
    horizon
        Number of steps at most; None for no end.

    Source
    ------
    Warner 1965; Dwork, Naor, Pitassi, Rothblum 2010, section 4.2.
    Lower bound: Theorem 4.3 of the latter.

    Examples
    --------
    >>> round(RandomizedResponse(epsilon=1.0).variance(100), 3)
    92.067
    """

    kind = "randomized-response"
    error = "sqrt(t q (1 - q)) / (1 - 2q), q = 1 / (1 + exp(epsilon)); bits only"
    memory = "O(1)"
    arithmetic = "coins"
    faults: ClassVar = TOSSED
    needs_horizon = False
    pan_private = True
    only_bits = True

    @property
    def flip(self) -> float:
        """Probability q that a bit is flipped."""
        return 1 / (1 + math.exp(self.epsilon))

    def variance(self, t: int) -> float:
        whole("t", t)
        return t * self.flip * (1 - self.flip) / (1 - 2 * self.flip) ** 2

    def error_bound(self, t: int, beta: float) -> float:
        """Return a bound that the error at step `t` exceeds with probability at most `beta` (Hoeffding)."""
        whole("t", t)
        probability("beta", beta)
        return math.sqrt(t * math.log(2 / beta) / 2) / (1 - 2 * self.flip)

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> RandomizedResponseRun:
        return RandomizedResponseRun(self, rng, silent)


class RandomizedResponseRun(Run):
    """Running randomised response; each coin is tossed when needed, so that none is in memory ahead."""

    __slots__ = ("_flip", "_rng", "_weight")

    def __init__(self, counter: RandomizedResponse, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        self._rng = rng
        self._flip = 0.0 if silent else counter.flip
        self._weight = 1 / (1 - 2 * self._flip)

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        if x != 0 and x != 1:
            raise ValueError(f"x must be 0 or 1 for randomised response; got {x!r}")
        self.t = t
        self._total += 1 - x if self._rng.random() < self._flip else x
        return (self._total - t * self._flip) * self._weight

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        wrong = (numbers != 0) & (numbers != 1)
        if wrong.any():
            raise ValueError(f"x must be 0 or 1 for randomised response; got {numbers[wrong][0]:g}")
        flipped = np.where(self._rng.random(len(numbers)) < self._flip, 1 - numbers, numbers)
        steps = np.arange(self.t + 1, self.t + 1 + len(numbers))
        self.t += len(numbers)
        return (self._prefixes(flipped) - steps * self._flip) * self._weight
