"""The coins that sites toss, drawn in batches: a scalar call of numpy takes longer than a message."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.rules import gap_of
from disttrack.mechanisms.rules import gap_scale as gap_scale

_LARGEST_BATCH = 1024
_FIRST_BATCH = 64
_WORD: Final = 32
"""Bits of the words of which numpy draws whole numbers."""
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


def batch_after(last: Any) -> Any:
    """Return the size of the batch after one of this size; of the first one after 0."""
    return min(max(2 * last, _FIRST_BATCH), _LARGEST_BATCH)


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
        self._last_batch = 0
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
        self._last_batch = batch_after(self._last_batch)
        return self._last_batch


class StraightCoins(Coins):
    """The exponentials of `gap` for arrays, in arrays: numpy draws them in the order of one by one.

    Many are drawn at once, since copies of a tracker toss hundreds at a message.
    """

    LARGEST: ClassVar[int] = 4096

    __slots__ = ()

    def draw(self, wanted: int = 1) -> Any:
        """Return the next coins, at least this number."""
        return self.rng.standard_exponential(max(wanted, self.LARGEST))


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
            if end - begun == self.LARGEST:  # as all later ones
                drawn[begun:] = drawn[begun:].reshape(-1, self.LARGEST)[:, ::-1].ravel()
                break
            drawn[begun:end] = drawn[begun:end][::-1].copy()
            begun = end
        return drawn


# ------------------------------------------------------------ numbers of `up_to`, made of words when they are wanted


def draw_words(rng: np.random.Generator, pairs: int) -> Any:
    """Return the next words of a generator of PCG64, twice this number.

    They make the numbers of `Coins` where nothing else is drawn, of sizes that change so often that most of a batch is
    dropped.
    """
    return rng.bit_generator.random_raw(pairs).astype("<u8", copy=False).view("<u4")


def number_of(word: Any, size: Any) -> Any:
    """Return the number up to `size` that is drawn by a word.

    Source: Lemire, "Fast random integer generation in an interval" (2019), as `Generator.integers` has it.
    """
    return 1 + ((word * size) >> _WORD)


def least_low(size: Any) -> Any:
    """Return the least low part of a product of word and size: of any below it numpy takes another word."""
    return ((1 << _WORD) - size) % size


def low_of(word: Any, size: Any) -> Any:
    """Return the low part of their product."""
    return word * size & ((1 << _WORD) - 1)


@cache
def words_make_numbers() -> bool:
    """Return whether numpy draws numbers by these rules, which a version to come may change."""
    one, other = np.random.default_rng(1), np.random.default_rng(1)
    size = 3 << (_WORD - 3)  # every fourth word is left out
    made = [number_of(word, size) for word in map(int, draw_words(one, 64)) if low_of(word, size) >= least_low(size)]
    return bool((other.integers(1, size, size=len(made), endpoint=True) == made).all())
