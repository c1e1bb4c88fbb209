"""The coins that sites toss, drawn in batches: a scalar call of numpy takes longer than a message."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechanisms.rules import gap_scale as gap_scale

_LARGEST_BATCH = 1024


class Coins:
    """Random draws for one site or for an array of sites, from one generator.

    A shape is what the result looks like: None for one number, otherwise a number of draws.

    Parameters
    ----------
    rng
        The sites' `numpy.random.Generator`.
    """

    __slots__ = ("_exponentials", "_last_batch", "_numbers", "_size", "rng")

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self._last_batch = 32
        self._exponentials: list[float] = []
        self._numbers: list[int] = []
        self._size = 0

    def gap(self, scale: float, shape: int | None = None) -> Any:
        """Return how many tosses it takes until a coin of bias p succeeds: geometric on 1, 2, …

        `scale` is `gap_scale(p)`.
        """
        # P[floor(E scale) >= g] = exp(-g / scale) = (1 - p)^g
        if shape is not None:
            return (self.rng.standard_exponential(shape) * scale).astype(np.int64) + 1
        try:
            return int(self._exponentials.pop() * scale) + 1
        except IndexError:
            self._exponentials = self.rng.standard_exponential(self._batch()).tolist()
            return self.gap(scale)

    def up_to(self, size: int, shape: int | None = None) -> Any:
        """Return a number from 1 to `size`, each equally likely."""
        if shape is not None:
            return self.rng.integers(1, size, size=shape, endpoint=True)
        if size == self._size and self._numbers:
            return self._numbers.pop()
        # what is left for another size is thrown away: sizes change with rounds only
        self._size = size
        self._numbers = self.rng.integers(1, size, size=self._batch(), endpoint=True).tolist()
        return self._numbers.pop()

    def success(self, p: float, shape: int | None = None) -> Any:
        """Return whether one toss of a coin of bias p succeeds."""
        return self.gap(gap_scale(p), shape) == 1

    def _batch(self) -> int:
        self._last_batch = min(2 * self._last_batch, _LARGEST_BATCH)
        return self._last_batch
