"""The naive counters: fresh noise on every estimate, one noise on every item, and two levels of items and blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import Whole
from disttrack.mechanisms.counters.linear import NEVER, NodeCounter, NodeNoise, Nodes, UserLevelCounter
from disttrack.mechanisms.noise import Draws, Floats, Laplace


@dataclass(frozen=True)
class Fresh(UserLevelCounter):
    """Fresh noise at each step: every estimate is a separate release, with Lap(horizon / epsilon).

    An entry counts in all estimates after it, so the budget is split over the horizon; the standard
    deviation is sqrt(2) horizon / epsilon at every step. Several entries of one user count in most estimates if they
    are the earliest ones: steps 1, 1 + separation, ....

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010, section 4.
    As a first naive solution.

    Examples
    --------
    >>> Fresh(epsilon=1.0, horizon=10).variance(3)
    200.0
    """

    kind = "fresh"
    error = "sqrt(2) horizon / epsilon"
    memory = "O(1)"
    arithmetic = "grid"

    @property
    def scale(self) -> float:
        """Scale of the noise: the estimates that the entries of one user count in, over epsilon."""
        missed = self.separation * self.entries * (self.entries - 1) // 2
        return (self.entries * self.steps - missed) / self.epsilon

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, 1)]

    def encoder(self, steps: int) -> Floats:
        return np.tri(steps) / self.scale

    def noise(self, rng: np.random.Generator) -> Draws:
        return Draws(Laplace(self.scale), rng, batch=min(self.steps, 1024))


@dataclass(frozen=True)
class PerItem(NodeCounter):
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
    Chan, Shi, Song 2011, section 3.1.
    The second simple counter.

    Examples
    --------
    >>> PerItem(epsilon=1.0).variance(8)
    16.0
    """

    kind = "per-item"
    error = "sqrt(2 t) / epsilon"
    memory = "O(1)"
    arithmetic = "grid"
    needs_horizon = False
    levels = 1

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, t)]

    def nodes(self, before: int, upto: int) -> Nodes:
        items = np.arange(before + 1, upto + 1)
        return Nodes(items, np.full(len(items), NEVER), items - 1, items)

    def noise(self, rng: np.random.Generator) -> NodeNoise:
        return NodeNoise(self.nodes, Draws(Laplace(self.scale), rng))

    encoder = NodeCounter.encoder


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
