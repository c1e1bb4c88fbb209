"""The two-level counter: items and blocks of items, each released once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.counters.base import Counter, Run, noise_or_silence
from disttrack.mechanisms.noise import Draws, Floats, Laplace


@dataclass(frozen=True)
class TwoLevel(Counter):
    """Two-level counter: at t = q block + r the estimate adds q noisy blocks and r noisy items.

    An item lies in at most two releases, itself and its block, so each has Lap(2 / epsilon) and
    Var_t = 8 (q + r) / epsilon^2.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most.
    block
        Items in a block; None for the root of the horizon, rounded up.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Chan, Shi, Song 2011, section 3.2.

    Examples
    --------
    >>> TwoLevel(epsilon=1.0, horizon=100).variance(25)
    56.0
    """

    kind = "two-level"
    source = "Chan, Shi, Song 2011, section 3.2"
    error = "sqrt(8 (floor(t / block) + t mod block)) / epsilon, block = sqrt(horizon)"
    memory = "O(1)"
    arithmetic = "grid"

    block: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.block is not None:
            whole("block", self.block)

    @property
    def block_size(self) -> int:
        """Items in a block."""
        return self.block or math.isqrt(self.steps - 1) + 1

    @property
    def scale(self) -> float:
        """Scale of each noise: the releases that an item lies in at most, over epsilon."""
        return (2 if 1 < self.block_size <= self.steps else 1) / self.epsilon

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, sum(divmod(t, self.block_size)))]

    def worst_steps(self, steps: int) -> Sequence[int]:
        return [steps, max(1, (steps + 1) // self.block_size * self.block_size - 1)]

    def encoder(self, steps: int) -> Floats:
        ends = np.arange(1, steps + 1)
        size = self.block_size
        starts = np.where(ends % size == 0, ends - size, ends - 1)
        return ((ends > starts[:, None]) & (ends <= ends[:, None])) / self.scale

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> TwoLevelRun:
        return TwoLevelRun(self, rng, silent)


class TwoLevelRun(Run):
    """A running two-level counter: the noise of the blocks, and that of the items since the last block."""

    __slots__ = ("_block", "_blocks", "_draws", "_items", "_place")

    def __init__(self, counter: TwoLevel, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        noise = noise_or_silence(Laplace(counter.scale), silent)
        self._draws = Draws(noise, rng, batch=min(counter.steps, 1024))
        self._block = counter.block_size
        self._place = 0
        self._blocks = 0.0
        self._items = 0.0

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        self.t = t
        self._total += x
        self._place += 1
        if self._place == self._block:
            self._place = 0
            self._blocks += self._draws.one()
            self._items = self._blocks
        else:
            self._items += self._draws.one()
        return self._total + self._items

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        noise = self._draws.many(len(numbers))
        place, size, at = self._place, self._block, 0
        while at < len(noise):
            stop = min(len(noise), at + size - place)
            whole_block = place + stop - at == size
            items = noise[at : stop - whole_block]
            if len(items):
                items[0] += self._items
                np.cumsum(items, out=items)
                self._items = float(items[-1])
            if whole_block:
                self._blocks += float(noise[stop - 1])
                self._items = self._blocks
                noise[stop - 1] = self._blocks
            place = 0 if whole_block else place + stop - at
            at = stop
        self._place = place
        self.t += len(numbers)
        return self._prefixes(numbers) + noise
