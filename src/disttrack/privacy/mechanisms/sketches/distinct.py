"""The number of distinct items: the k least hash values, and HyperLogLog.

Both depend only on the set of items: a repeated item changes nothing, and changes below 1 are refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from disttrack.mechanisms.checks import Positive, at_least
from disttrack.privacy.mechanisms.sketches.base import Sketch, SketchRun, arrays_of, key_of
from disttrack.privacy.mechanisms.sketches.estimates import estimate_of_least, known_estimate, rank_of
from disttrack.privacy.mechanisms.sketches.kernel import SketchForm, hyperloglog, kmv
from disttrack.privacy.mechanisms.sketches.mixing import Hashes, mixed


def refuse_deletion(change: int) -> None:
    """Raise ValueError for a change below 1."""
    if change < 1:
        raise ValueError(f"a sketch of distinct items takes changes of at least 1; got {change!r}")


class DistinctRun(SketchRun, ABC):
    """A running sketch of distinct items, by their hash values under a secret key."""

    def __init__(self, size: int, key: int) -> None:
        self._size, self._key = size, key
        self._hashes = Hashes(key)
        self.reset()

    @abstractmethod
    def reset(self) -> None: ...

    @abstractmethod
    def take(self, bits: int) -> None:
        """Take the hash value of an item."""

    def update(self, item: int, change: int) -> None:
        refuse_deletion(change)
        self.take(self._hashes[item])

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        items, _ = arrays_of(frequencies)
        for bits in np.unique(mixed(items.astype(np.uint64), self._key)).tolist():
            self.take(bits)


def power_of_two(name: str, value: int) -> None:
    """Raise ValueError unless the whole number `value` is a power of two."""
    if value & (value - 1):
        raise ValueError(f"{name} must be a power of two; got {value!r}")


@dataclass(frozen=True)
class Kmv(Sketch):
    """Keeps the k least hash values; with v the largest of them, as a share of the range, the estimate is (k - 1) / v.

    Its relative standard deviation is about 1 / sqrt(k - 2). Up to k items it is exact.

    Parameters
    ----------
    size
        Number of stored hash values, k.
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Bar-Yossef et al. 2002; Beyer et al. 2007.
    Bar-Yossef, Jayram, Kumar, Sivakumar, Trevisan 2002; the unbiased estimate: Beyer, Haas, Reinwald, Sismanis,
    Gemulla 2007.

    Examples
    --------
    >>> run = Kmv(size=64).start(np.random.default_rng(0))
    >>> for item in (1, 2, 3, 2):
    ...     run.update(item, 1)
    >>> run.estimate()
    3.0
    """

    goal = "distinct"
    kind = "kmv"
    error = "relative standard deviation 1 / sqrt(size - 2), against streams fixed in advance"

    size: Annotated[int, at_least(3)]
    alpha: Positive = 0.25

    @property
    def words(self) -> int:
        return self.size

    def start(self, rng: np.random.Generator) -> KmvRun:
        return KmvRun(self.size, key_of(rng))


class KmvRun(DistinctRun):
    """The least hash values of a running sketch, sorted."""

    def reset(self) -> None:
        self._least: list[int] = []

    def take(self, bits: int) -> None:
        least = self._least
        place = bisect_left(least, bits)
        if place < self._size and least[place : place + 1] != [bits]:
            least.insert(place, bits)
            del least[self._size :]

    def estimate(self) -> float:
        if len(self._least) < self._size:
            return float(len(self._least))
        return estimate_of_least(self._size, self._least[-1] + 1)

    def form(self) -> SketchForm:
        return kmv(self._key, self._size)


@dataclass(frozen=True)
class HyperLogLog(Sketch):
    """HyperLogLog: each of m registers keeps the largest rank of its hash values; a harmonic mean of 2^rank estimates.

    The relative standard deviation is about 1.04 / sqrt(m), for any number of items: empty registers enter the mean by
    what they tell of small numbers, so that no other estimate takes over below some number of items. (The original
    estimate does so at 2.5 m items, and errs by 2.5 % of bias and three times its stated error there at m = 16,384.)

    Parameters
    ----------
    registers
        Registers m, a power of two of at least 128.
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Flajolet, Fusy, Gandouet, Meunier 2007 (the sketch); Ertl 2017 (the estimate).
    Ertl 2017, "New cardinality estimation algorithms for HyperLogLog sketches".

    Examples
    --------
    >>> run = HyperLogLog(registers=1024).start(np.random.default_rng(0))
    >>> for item in (1, 2, 3, 2):
    ...     run.update(item, 1)
    >>> round(run.estimate(), 1)
    3.0
    """

    goal = "distinct"
    kind = "hyperloglog"
    error = "relative standard deviation 1.04 / sqrt(registers), against streams fixed in advance"

    registers: Annotated[int, at_least(128), power_of_two]
    alpha: Positive = 0.25

    @property
    def words(self) -> int:
        """A register has 6 bits, a word 64."""
        return -(-6 * self.registers // 64)

    @property
    def total_rows(self) -> int:
        return self.registers

    def start(self, rng: np.random.Generator) -> HyperLogLogRun:
        return HyperLogLogRun(self.registers, key_of(rng))


class HyperLogLogRun(DistinctRun):
    """The registers of a running sketch; the sum of 2^-rank and the number of empty registers are updated exactly."""

    def reset(self) -> None:
        self._width = 65 - self._size.bit_length()  # bits that give the rank; those before them give the register
        self._first = 1 << (self._width - 1)
        self._ranks = [0] * self._size
        self._empty = self._size
        self._sum = float(self._size)

    def take(self, bits: int) -> None:
        register, rank = bits >> self._width, rank_of(bits, self._first)
        before = self._ranks[register]
        if rank > before:
            self._ranks[register] = rank
            self._sum += 2.0**-rank - 2.0**-before
            self._empty -= before == 0

    def estimate(self) -> float:
        return known_estimate(self._size, self._sum, self._empty)

    def form(self) -> SketchForm:
        return hyperloglog(self._key, self._size, self._width)
