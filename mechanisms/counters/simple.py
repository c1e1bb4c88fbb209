"""The two naive counters: fresh noise on every estimate, and one noise on every item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.counters.base import Counter, Run, noise_or_silence
from disttrack.mechanisms.noise import Draws, Floats, Laplace


@dataclass(frozen=True)
class Fresh(Counter):
    """Fresh noise at each step: every estimate is a separate release, with Lap(horizon / epsilon).

    An entry counts in all estimates after it, so the budget is split over the horizon; the standard
    deviation is sqrt(2) horizon / epsilon at every step.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010, section 4, as a first naive solution.

    Examples
    --------
    >>> Fresh(epsilon=1.0, horizon=10).variance(3)
    200.0
    """

    kind = "fresh"
    source = "Dwork, Naor, Pitassi, Rothblum 2010, section 4"
    error = "sqrt(2) horizon / epsilon"
    memory = "O(1)"
    arithmetic = "grid"

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.steps / self.epsilon, 1)]

    def encoder(self, steps: int) -> Floats:
        return np.tri(steps) * (self.epsilon / self.steps)

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> FreshRun:
        return FreshRun(self, rng, silent)


class FreshRun(Run):
    """A running naive counter."""

    __slots__ = ("_draws",)

    def __init__(self, counter: Fresh, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        noise = noise_or_silence(Laplace(counter.steps / counter.epsilon), silent)
        self._draws = Draws(noise, rng, batch=min(counter.steps, 1024))

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        self.t = t
        self._total += x
        return self._total + self._draws.one()

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        self.t += len(numbers)
        return self._prefixes(numbers) + self._draws.many(len(numbers))


@dataclass(frozen=True)
class PerItem(Counter):
    """One noise per item: each entry is released with Lap(1 / epsilon), and the estimates add these up.

    Var_t = 2 t / epsilon^2. No horizon is needed.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most; None for no end.

    Source
    ------
    Chan, Shi, Song 2011, section 3.1, the second simple counter.

    Examples
    --------
    >>> PerItem(epsilon=1.0).variance(8)
    16.0
    """

    kind = "per-item"
    source = "Chan, Shi, Song 2011, section 3.1"
    error = "sqrt(2 t) / epsilon"
    memory = "O(1)"
    arithmetic = "grid"
    needs_horizon = False

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(1 / self.epsilon, t)]

    def encoder(self, steps: int) -> Floats:
        return np.eye(steps) * self.epsilon

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> PerItemRun:
        return PerItemRun(self, rng, silent)


class PerItemRun(Run):
    """A running counter with one noise per item."""

    __slots__ = ("_draws", "_noise")

    def __init__(self, counter: PerItem, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        self._draws = Draws(noise_or_silence(Laplace(1 / counter.epsilon), silent), rng)
        self._noise = 0.0

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        self.t = t
        self._total += x
        self._noise += self._draws.one()
        return self._total + self._noise

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        if not len(numbers):
            return numbers
        noise = self._draws.many(len(numbers))
        noise[0] += self._noise
        np.cumsum(noise, out=noise)
        self._noise = float(noise[-1])
        self.t += len(numbers)
        return self._prefixes(numbers) + noise
