"""The two-level counter: items and blocks of items, each released once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import Whole
from disttrack.mechanisms.counters.linear import NEVER, NodeCounter, Nodes


@dataclass(frozen=True)
class TwoLevel(NodeCounter):
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
    error = "sqrt(8 (floor(t / block) + t mod block)) / epsilon, block = sqrt(horizon)"
    memory = "O(1)"

    block: Whole | None = None

    @property
    def block_size(self) -> int:
        """Items in a block."""
        return self.block or math.isqrt(self.steps - 1) + 1

    @property
    def levels(self) -> int:
        """Releases that an item lies in at most."""
        return 2 if 1 < self.block_size <= self.steps else 1

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, sum(divmod(t, self.block_size)))]

    def worst_steps(self, steps: int) -> Sequence[int]:
        return [steps, max(1, (steps + 1) // self.block_size * self.block_size - 1)]

    def nodes(self, before: int, upto: int) -> Nodes:
        """Return the item of each step, used until its block is full; a full block takes the place of its last item."""
        ends, size = np.arange(before + 1, upto + 1), self.block_size
        blocks = ends // size
        full = blocks * size == ends
        until = np.where(full, NEVER, (blocks + 1) * size)
        return Nodes(ends, until, ends - np.where(full, size, 1), ends)
