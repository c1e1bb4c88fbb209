"""The two-level counter: items and blocks of items, each released once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import Whole
from disttrack.mechanisms.counters.linear import LinearCounter
from disttrack.mechanisms.noise import Draws, Floats, Laplace


@dataclass(frozen=True)
class TwoLevel(LinearCounter):
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

    block: Whole | None = None

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

    def noise(self, rng: np.random.Generator) -> TwoLevelNoise:
        return TwoLevelNoise(self.block_size, Draws(Laplace(self.scale), rng, batch=min(self.steps, 1024)))


class TwoLevelNoise:
    """The noise of the blocks, and of the items since the last block."""

    __slots__ = ("_block", "_blocks", "_draws", "_items", "_place")

    def __init__(self, block: int, draws: Draws) -> None:
        self._block, self._draws = block, draws
        self._place = 0
        self._blocks = self._items = 0.0

    def one(self) -> float:
        self._place += 1
        if self._place == self._block:
            self._place = 0
            self._items = self._blocks = self._blocks + self._draws.one()
        else:
            self._items += self._draws.one()
        return self._items

    def many(self, size: int) -> Floats:
        noise = self._draws.many(size)
        at = 0
        while at < size:  # up to the end of the block
            stop = min(size, at + self._block - self._place)
            self._place = (self._place + stop - at) % self._block
            items = noise[at : stop if self._place else stop - 1]
            if len(items):
                items[0] += self._items
                np.cumsum(items, out=items)
                self._items = float(items[-1])
            if not self._place:
                noise[stop - 1] += self._blocks
                self._items = self._blocks = float(noise[stop - 1])
            at = stop
        return noise
