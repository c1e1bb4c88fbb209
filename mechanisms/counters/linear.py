"""Linear counters: the exact sum plus noise that does not depend on the stream.

With x the stream, A the all-ones lower triangle and z independent draws, such a counter publishes A x + R z, which is
R (B x + z) for the matrix B of its noisy sums, the `encoder`. A `NoisePath` computes R z as a stream, one number per
step; the counting and the array form of `release` are then the same for all of them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.counters.base import Counter, Run
from disttrack.mechanisms.noise import Draws, Floats, or_silence

BLOCK = 1 << 15
"""Steps processed at a time, so that they stay in the cache."""


class NoisePath(Protocol):
    """The noise of the estimates, one step after the other: R z as a stream. `Draws` is one, with R the identity."""

    def one(self) -> float:
        """Return the noise of the next step."""
        ...

    def many(self, size: int) -> Floats:
        """Return the noise of the next `size` steps, at most `BLOCK`; a faster form must be equal to this loop."""
        return np.array([self.one() for _ in range(size)], dtype=np.float64)


class LinearCounter(Counter):
    """A counter that states the path of its noise; its runs are then complete."""

    @abstractmethod
    def noise(self, rng: np.random.Generator) -> NoisePath:
        """Return the noise of a fresh run."""

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> LinearRun:
        return LinearRun(self, self.noise(or_silence(rng, silent)))


class LinearRun(Run):
    """A running linear counter: the exact sum and the path of its noise."""

    __slots__ = ("_noise", "_one")

    def __init__(self, counter: Counter, noise: NoisePath) -> None:
        super().__init__(counter)
        self._noise = noise
        self._one = noise.one

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        self.t = t
        self._total += x
        return self._total + self._one()

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        self.t += len(numbers)
        out = np.empty(len(numbers))
        for at in range(0, len(numbers), BLOCK):
            sums = self._prefixes(numbers[at : at + BLOCK])
            np.add(sums, self._noise.many(len(sums)), out=out[at : at + BLOCK])
        return out


class SummedNoise:
    """The sum of all draws so far."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self._sum = 0.0

    def one(self) -> float:
        self._sum += self._draws.one()
        return self._sum

    def many(self, size: int) -> Floats:
        noise = self._draws.many(size)
        noise[0] += self._sum
        np.cumsum(noise, out=noise)
        self._sum = float(noise[-1])
        return noise
