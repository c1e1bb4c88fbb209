"""The hybrid counter for an unknown horizon: releases at powers of two, binary trees between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from disttrack.mechanisms.counters.linear import NodeNoise, UserLevelCounter, dyadic_nodes
from disttrack.mechanisms.noise import Ahead, Draws, Floats, Laplace

LEVELS: Final = 63
"""Levels of a tree at most: steps are below 2^63."""


@dataclass(frozen=True)
class Hybrid(UserLevelCounter):
    """Hybrid mechanism: no horizon is needed; the error grows with the logarithm of the steps so far.

    With P = 2^i the last power of two up to t, the estimate is the sum up to P with noise of i + 1
    epochs, Lap(2 / epsilon) each, plus a binary counter over the items since P, at epsilon / 2 and with
    max(1, i) levels. Var_t = 8 (i + 1) / epsilon^2 + 2 popcount(t - P) (2 max(1, i) / epsilon)^2.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most; None for no end.

    Source
    ------
    Chan, Shi, Song 2011, hybrid mechanism; Qiu, Yi 2022, section 2.
    The item that ends an epoch enters the epoch's release only.

    Examples
    --------
    >>> [Hybrid(epsilon=1.0).variance(t) for t in (1, 2, 3, 7, 1000)]
    [8.0, 16.0, 24.0, 88.0, 3320.0]
    """

    kind = "hybrid"
    error = "sqrt(8 (i + 1) + 8 popcount(t - 2^i) i^2) / epsilon, i = floor(log2 t)"
    memory = "O(log t)"
    arithmetic = "grid"
    needs_horizon = False

    @property
    def share(self) -> float:
        """Privacy loss of one entry."""
        return self.epsilon / self.entries

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        power = t.bit_length() - 1
        rest = (t - (1 << power)).bit_count()
        return [(2 / self.share, power + 1), (2 * max(1, power) / self.share, rest)]

    def encoder(self, steps: int) -> Floats:
        rows = np.zeros((steps, steps))
        for t in range(1, steps + 1):
            power = t.bit_length() - 1
            since = t - (1 << power)
            if since:
                rows[t - 1, t - (since & -since) : t] = self.share / (2 * max(1, power))
            else:
                rows[t - 1, t >> 1 : t] = self.share / 2
        return rows

    def noise(self, rng: np.random.Generator) -> HybridNoise:
        return HybridNoise(self.share, rng)


class HybridNoise(Ahead):
    """The noise of the epochs, plus that of a binary tree in the present one."""

    __slots__ = ("_epochs", "_epsilon", "_of_epochs", "_of_trees", "_t", "_tree", "spacing")

    def __init__(self, epsilon: float, rng: np.random.Generator) -> None:
        super().__init__()
        of_epochs, self._of_trees = rng.spawn(2)
        self._epsilon = epsilon
        self._of_epochs = Draws(Laplace(2 / epsilon), of_epochs, batch=1)
        self.spacing = Laplace(2 * LEVELS / epsilon).grid(rng)  # no tree has a coarser grid
        self._epochs = 0.0
        self._tree: NodeNoise
        self._t = 0

    def ahead(self) -> Floats:
        return self._piece(1024)

    def fresh(self, size: int) -> Floats:
        pieces = [np.empty(0)]
        while size:
            pieces.append(self._piece(size))
            size -= len(pieces[-1])
        return np.concatenate(pieces)

    def _piece(self, most: int) -> Floats:
        """Return the noise of the next steps up to the end of the epoch, or of the step that ends it."""
        t = self._t + 1
        if t & (t - 1):
            within = min(most, (1 << t.bit_length()) - t)
            self._t += within
            return self._epochs + self._tree.fresh(within)
        # t is a power of two: the logarithmic part releases the sum of the epoch, and a fresh tree begins (Qiu, Yi
        # 2022, section 2.3)
        self._t = t
        self._epochs += self._of_epochs.one()
        noise = Laplace(2 * max(1, t.bit_length() - 1) / self._epsilon)  # another scale needs another grid
        self._tree = NodeNoise(dyadic_nodes, Draws(noise, self._of_trees.spawn(1)[0]))
        return np.array([self._epochs])
