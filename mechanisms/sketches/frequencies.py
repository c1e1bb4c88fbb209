"""The frequency of one item: CountSketch and the count-min sketch, in `depth` rows of `width` counters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from disttrack.mechanisms.checks import positive, whole
from disttrack.mechanisms.sketches.base import TARGET, Goal, Sketch, SketchRun, arrays_of, key_of
from disttrack.mechanisms.sketches.mixing import mixed, mixed_all


class CounterRows(Sketch):
    """A sketch of frequencies that has `depth` rows of `width` counters."""

    width: int
    depth: int

    @property
    def goal(self) -> Goal:
        return "frequency"

    @property
    def words(self) -> int:
        return self.width * self.depth


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
    Charikar, Chen, Farach-Colton 2002, lemma 4 (here with the constant of Chebyshev's inequality).

    Examples
    --------
    >>> run = CountSketch(width=16, depth=3).start(np.random.default_rng(0))
    >>> run.update(0, 5)
    >>> run.estimate()
    5.0
    """

    kind: ClassVar[str] = "count-sketch"
    source: ClassVar[str] = "Charikar, Chen, Farach-Colton 2002"
    error: ClassVar[str] = (
        "sqrt(3 / width) times the 2-norm, failures exponentially rare in depth; streams fixed in advance"
    )

    width: int
    depth: int = 5
    alpha: float = 0.5

    def __post_init__(self) -> None:
        whole("width", self.width)
        whole("depth", self.depth)
        if self.depth % 2 == 0:
            raise ValueError(f"depth must be an odd number; got {self.depth!r}")
        positive("alpha", self.alpha)

    def start(self, rng: np.random.Generator) -> CountSketchRun:
        return CountSketchRun(self, rng)


class CountSketchRun(SketchRun):
    """A running CountSketch. Its scale is the median 2-norm of its rows, each an AMS estimate."""

    __slots__ = ("_keys", "_rows", "_squares", "_target", "_width")

    def __init__(self, rules: CountSketch, rng: np.random.Generator) -> None:
        self._width = rules.width
        self._keys = [key_of(rng) for _ in range(rules.depth)]
        self._rows = [[0] * rules.width for _ in self._keys]
        self._squares = [0] * rules.depth  # sum of squares of the counters of each row
        self._target = [self._place(TARGET, key) for key in self._keys]

    def _place(self, item: int, key: int) -> tuple[int, int]:
        """Return an item's counter in a row, and its sign there."""
        bits = mixed(item, key)
        return (bits >> 1) % self._width, 1 if bits & 1 else -1

    def update(self, item: int, change: int) -> None:
        for number, key in enumerate(self._keys):
            row = self._rows[number]
            place, sign = self._place(item, key)
            self._squares[number] += change * (2 * sign * row[place] + change)
            row[place] += sign * change

    def estimate(self) -> float:
        estimates = sorted(sign * row[place] for row, (place, sign) in zip(self._rows, self._target, strict=True))
        return float(estimates[len(estimates) // 2])

    def scale(self) -> float:
        return sqrt(sorted(self._squares)[len(self._squares) // 2])

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        items, counts = arrays_of(frequencies)
        for number, key in enumerate(self._keys):
            bits = mixed_all(items, key)
            places = ((bits >> np.uint64(1)) % np.uint64(self._width)).astype(np.int64)
            signed = np.where(bits & np.uint64(1), counts, -counts)
            row = np.array(self._rows[number])
            np.add.at(row, places, signed)
            self._rows[number] = row.tolist()
            self._squares[number] = int((row**2).sum())


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

    kind: ClassVar[str] = "count-min"
    source: ClassVar[str] = "Cormode, Muthukrishnan 2005, theorem 1"
    error: ClassVar[str] = (
        "e / width times the 1-norm with probability 1 - e^-depth, one-sided; streams fixed in advance"
    )

    width: int
    depth: int = 4
    alpha: float = 0.1

    def __post_init__(self) -> None:
        whole("width", self.width)
        whole("depth", self.depth)
        positive("alpha", self.alpha)

    def start(self, rng: np.random.Generator) -> CountMinRun:
        return CountMinRun(self, rng)


class CountMinRun(SketchRun):
    """A running count-min sketch. Its scale is the sum of all changes, which is ‖f‖₁ if no frequency is negative."""

    __slots__ = ("_keys", "_rows", "_target", "_total", "_width")

    def __init__(self, rules: CountMin, rng: np.random.Generator) -> None:
        self._width = rules.width
        self._keys = [key_of(rng) for _ in range(rules.depth)]
        self._rows = [[0] * rules.width for _ in self._keys]
        self._target = [mixed(TARGET, key) % self._width for key in self._keys]
        self._total = 0

    def update(self, item: int, change: int) -> None:
        for row, key in zip(self._rows, self._keys, strict=True):
            row[mixed(item, key) % self._width] += change
        self._total += change

    def estimate(self) -> float:
        return float(min(row[place] for row, place in zip(self._rows, self._target, strict=True)))

    def scale(self) -> float:
        return float(self._total)

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        items, counts = arrays_of(frequencies)
        for number, key in enumerate(self._keys):
            places = (mixed_all(items, key) % np.uint64(self._width)).astype(np.int64)
            row = np.array(self._rows[number])
            np.add.at(row, places, counts)
            self._rows[number] = row.tolist()
        self._total += int(counts.sum())
