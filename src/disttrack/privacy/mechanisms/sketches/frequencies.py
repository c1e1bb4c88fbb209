"""The frequency of one item: CountSketch and the count-min sketch, in `depth` rows of `width` counters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from disttrack.mechanisms.checks import Odd, Positive, Whole
from disttrack.privacy.mechanisms.sketches.base import TARGET, Sketch, SketchRun, arrays_of, key_of
from disttrack.privacy.mechanisms.sketches.estimates import place_and_sign
from disttrack.privacy.mechanisms.sketches.kernel import SketchForm, count_min_moves, count_sketch_moves, counter_rows
from disttrack.privacy.mechanisms.sketches.mixing import Hashes, mixed


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
