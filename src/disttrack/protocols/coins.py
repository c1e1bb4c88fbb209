"""The coins that sites toss, drawn in batches: a scalar call of numpy takes longer than a message."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from disttrack.mechanisms.rules import gap_of
from disttrack.mechanisms.rules import gap_scale as gap_scale

_LARGEST_BATCH = 1024
_LARGEST_GAP = 2.0**62
"""Upper limit of a number of tosses, so that it fits an integer array; no game is as long."""
_ROOMY = 2.0**54
"""Largest mean that cannot exceed this limit: an exponential draw is below 2^8."""


def gaps_of(exponentials: Any, scale: float) -> Any:
    """Return the numbers of tosses until a coin of bias p succeeds, from exponential draws; as `gap_of` for arrays."""
    # P[floor(E scale) >= g] = exp(-g / scale) = (1 - p)^g
    gaps = exponentials * scale
    if scale > _ROOMY:
        gaps = np.minimum(gaps, _LARGEST_GAP)
    return gaps.astype(np.int64) + 1


class Coins:
    """Random draws for one site or for an array of sites, from one generator.

    `shape` is None for one number, otherwise the number of draws.

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
        """Return the number of tosses until a coin of bias p succeeds: geometric on 1, 2, …

        `scale` is `gap_scale(p)`.
        """
        if shape is not None:
            return gaps_of(self.rng.standard_exponential(shape), scale)
        try:
            return gap_of(self._exponentials.pop(), scale)
        except IndexError:
            self._exponentials = self.rng.standard_exponential(self._batch()).tolist()
            return self.gap(scale)

    def up_to(self, size: int) -> int:
        """Return a number from 1 to `size`, each equally likely."""
        if size == self._size and self._numbers:
            return self._numbers.pop()
        # the rest of a batch for another size is dropped: sizes change with rounds only
        self._size = size
        self._numbers = self.rng.integers(1, size, size=self._batch(), endpoint=True).tolist()
        return self._numbers.pop()

    def success(self, p: float, shape: int | None = None) -> Any:
        """Return whether one toss of a coin of bias p succeeds."""
        return self.gap(gap_scale(p), shape) == 1

    def _batch(self) -> int:
        self._last_batch = min(2 * self._last_batch, _LARGEST_BATCH)
        return self._last_batch


class StraightCoins(Coins):
    """The exponentials of `gap` for arrays, in arrays: numpy draws them in the order of one by one."""

    __slots__ = ()

    def draw(self, wanted: int = 1) -> Any:
        """Return the next coins, at least this number."""
        return self.rng.standard_exponential(max(wanted, _LARGEST_BATCH))


class OrderedCoins(Coins):
    """The same draws in arrays: in the order in which `Coins` hands them out one by one.

    Attributes
    ----------
    size
        0 for the exponentials of `gap`; else draws are numbers of `up_to` this size.
    """

    LARGEST: ClassVar[int] = _LARGEST_BATCH

    __slots__ = ("_before", "size")

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.size = 0

    def undraw(self) -> None:
        """Take the last batch back, of which no coin has been handed out: the next one is drawn in its place."""
        self.rng.bit_generator.state, self._last_batch = self._before

    def draw(self, wanted: int = 1) -> Any:
        """Return the coins of the next batches, as many batches as are needed for `wanted` coins."""
        self._before = self.rng.bit_generator.state, self._last_batch
        ends = [self._batch()]
        while ends[-1] < wanted:
            ends.append(ends[-1] + self._batch())
        if self.size:
            drawn: Any = self.rng.integers(1, self.size, size=ends[-1], endpoint=True)
        else:
            drawn = self.rng.standard_exponential(ends[-1])
        begun = 0
        for end in ends:
            drawn[begun:end] = drawn[begun:end][::-1].copy()
            begun = end
        return drawn
