"""Plain sketches of items: the number of distinct ones, and the frequency of one.

Sketches of distinct items depend only on the set of items: a repeated item changes nothing, and changes below 1 are
refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Annotated, Any

import numpy as np

from disttrack.mechanisms.checks import Odd, Positive, Whole, at_least
from disttrack.privacy.mechanisms.sketches.base import TARGET, Sketch, SketchRun, arrays_of, key_of
from disttrack.privacy.mechanisms.sketches.estimates import estimate_of_least, known_estimate, place_and_sign, rank_of
from disttrack.privacy.mechanisms.sketches.hashes import Hashes, mixed
from disttrack.privacy.mechanisms.sketches.kernel import (
    SketchForm,
    count_min_moves,
    count_sketch_moves,
    counter_rows,
    hyperloglog,
    kmv,
)


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


class CounterRows(Sketch):
    """A sketch of frequencies that has `depth` rows of `width` counters."""

    goal = "frequency"

    width: int
    depth: int

    @property
    def words(self) -> int:
        return self.width * self.depth


class CounterRowsRun(SketchRun, ABC):
    """Running rows of counters, a linear sketch: each row adds every change, with a sign, to one of its counters."""

    def __init__(self, rules: CounterRows, rng: np.random.Generator) -> None:
        self._width = rules.width
        self._keys = [key_of(rng) for _ in range(rules.depth)]
        self._hashes = [Hashes(key) for key in self._keys]
        self._rows = [[0] * rules.width for _ in self._keys]
        self._target = [self._place(mixed(TARGET, key)) for key in self._keys]

    @abstractmethod
    def _place(self, bits: Any) -> tuple[Any, Any]:
        """Return the counter of an item with these hash bits, and its sign: of one item or of an array of them."""

    @property
    def _counts(self) -> list[int]:
        """The target's frequency according to each row."""
        return [sign * row[place] for row, (place, sign) in zip(self._rows, self._target, strict=True)]

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        items, counts = arrays_of(frequencies)
        for number, key in enumerate(self._keys):
            places, signs = self._place(mixed(items.astype(np.uint64), key))
            row = np.array(self._rows[number])
            np.add.at(row, places, signs * counts)
            self._rows[number] = row.tolist()


@dataclass(frozen=True)
class CountSketch(CounterRows):
    """CountSketch: each row adds a random sign times the change to a random counter; the estimate is a median.

    A row errs by more than sqrt(3 / width) ‖f‖₂ with probability at most 1/3, the median of the rows with a
    probability that falls exponentially in their number.

    Parameters
    ----------
    width
        Counters of a row.
    depth
        Rows, an odd number.
    alpha
        Error that counts as a failure, as a share of ‖f‖₂.

    Source
    ------
    Charikar, Chen, Farach-Colton 2002.
    Lemma 4, here with the constant of Chebyshev's inequality.

    Examples
    --------
    >>> run = CountSketch(width=16, depth=3).start(np.random.default_rng(0))
    >>> run.update(0, 5)
    >>> run.estimate()
    5.0
    """

    kind = "count-sketch"
    error = "sqrt(3 / width) times the 2-norm, failures exponentially rare in depth; streams fixed in advance"

    width: Whole
    depth: Odd = 5
    alpha: Positive = 0.5

    def start(self, rng: np.random.Generator) -> CountSketchRun:
        return CountSketchRun(self, rng)


class CountSketchRun(CounterRowsRun):
    """A running CountSketch. Its scale is the median 2-norm of its rows, each an AMS estimate."""

    def __init__(self, rules: CountSketch, rng: np.random.Generator) -> None:
        super().__init__(rules, rng)
        self._squares = [0] * rules.depth  # sum of squares of the counters of each row

    def _place(self, bits: Any) -> tuple[Any, Any]:
        return place_and_sign(bits, self._width)

    def update(self, item: int, change: int) -> None:
        for number, hashes in enumerate(self._hashes):
            row = self._rows[number]
            place, sign = self._place(hashes[item])
            self._squares[number] += change * (2 * sign * row[place] + change)
            row[place] += sign * change

    def estimate(self) -> float:
        return float(sorted(self._counts)[len(self._rows) // 2])

    def form(self) -> SketchForm:
        return counter_rows(count_sketch_moves, self._keys, self._width, self._target)

    def scale(self) -> float:
        return sqrt(sorted(self._squares)[len(self._squares) // 2])

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        super().absorb(frequencies)
        self._squares = [sum(count * count for count in row) for row in self._rows]


@dataclass(frozen=True)
class CountMin(CounterRows):
    """The count-min sketch: each row adds the change to a random counter; the estimate is the least counter of an item.

    It never underestimates if no frequency is negative, and overestimates by more than (e / width) ‖f‖₁ with
    probability at most e^-depth.

    Parameters
    ----------
    width
        Counters of a row.
    depth
        Rows.
    alpha
        Error that counts as a failure, as a share of ‖f‖₁.

    Source
    ------
    Cormode, Muthukrishnan 2005, theorem 1.

    Examples
    --------
    >>> run = CountMin(width=16, depth=3).start(np.random.default_rng(0))
    >>> run.update(0, 5)
    >>> run.estimate()
    5.0
    """

    kind = "count-min"
    error = "e / width times the 1-norm with probability 1 - e^-depth, one-sided; streams fixed in advance"

    width: Whole
    depth: Whole = 4
    alpha: Positive = 0.1

    def start(self, rng: np.random.Generator) -> CountMinRun:
        return CountMinRun(self, rng)


class CountMinRun(CounterRowsRun):
    """A running count-min sketch. Its scale is the sum of all changes, which is ‖f‖₁ if no frequency is negative."""

    def __init__(self, rules: CountMin, rng: np.random.Generator) -> None:
        super().__init__(rules, rng)
        self._total = 0

    def _place(self, bits: Any) -> tuple[Any, Any]:
        return bits % self._width, 1

    def update(self, item: int, change: int) -> None:
        for row, hashes in zip(self._rows, self._hashes, strict=True):
            row[hashes[item] % self._width] += change
        self._total += change

    def estimate(self) -> float:
        return float(min(self._counts))

    def form(self) -> SketchForm:
        return counter_rows(count_min_moves, self._keys, self._width, self._target)

    def scale(self) -> float:
        return float(self._total)

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        super().absorb(frequencies)
        self._total += sum(frequencies.values())
