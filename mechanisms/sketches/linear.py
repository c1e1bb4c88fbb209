"""Running AMS rows: counters y = A f in groups, and the sum of their squares, updated exactly.

All numbers are whole. A product of a column of signs with the counters is computed in 32-bit floats, which represent
whole numbers up to 2^24 exactly: as long as rows · max |y| is below that, no intermediate sum is rounded, in any order
of the terms. Beyond it, 64-bit floats are used. Squares are 64-bit floats, exact up to 2^53.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.sketches.base import Floats, SketchRun, Whole, arrays_of
from disttrack.mechanisms.sketches.signs import SignKind, signs_of

EXACT: Final = 1 << 24
"""Whole numbers up to this are exact as 32-bit floats."""
_CHUNK: Final = 32
"""Updates processed at once: their columns are multiplied with each other, at the cost of one product per pair."""
_ENTRIES: Final = 1 << 20
"""Entries of a sign matrix processed at once when frequencies are absorbed."""


class LinearRun(SketchRun):
    """Groups of AMS rows, and the median of their means.

    Parameters
    ----------
    groups, rows
        Groups, and rows of each.
    signs
        dense or hashed.
    rng
        Generator of the signs.

    Attributes
    ----------
    squares
        Sum of the squared counters of each group.
    """

    __slots__ = ("_counters", "_groups", "_room", "_rows", "_signs", "squares")

    def __init__(self, groups: int, rows: int, signs: SignKind, rng: np.random.Generator) -> None:
        self._groups, self._rows = groups, rows
        self._signs = signs_of(signs, groups * rows, rng)
        self._clear()

    def _clear(self) -> None:
        self._counters: Any = np.zeros(self._groups * self._rows, dtype=np.float32)
        self._room: float = EXACT // self._rows  # possible growth of the largest counter before sums are rounded
        self.squares = np.zeros(self._groups)

    def _make_room(self, growth: int) -> None:
        """Make room for this growth of the counters: measure them, and change to 64-bit floats if necessary."""
        self._room = EXACT // self._rows - float(np.abs(self._counters).max()) - growth
        if self._room < 0:
            self._counters = self._counters.astype(np.float64)
            self._room = float("inf")

    def update(self, item: int, change: int) -> None:
        self._room -= abs(change)
        if self._room < 0:
            self._make_room(abs(change))
        column, counters = self._signs.column(item), self._counters
        if self._groups == 1:
            self.squares[0] += change * (2.0 * float(column.dot(counters)) + change * self._rows)
        else:
            shape = self._groups, self._rows
            dots = np.einsum("gr,gr->g", column.reshape(shape), counters.reshape(shape)).astype(np.float64)
            self.squares += change * (2.0 * dots + change * self._rows)
        if change == 1:
            counters += column
        elif change == -1:
            counters -= column
        else:
            counters += change * column

    def estimate(self) -> float:
        if self._groups == 1:
            return float(self.squares[0]) / self._rows
        return float(np.partition(self.squares, self._groups // 2)[self._groups // 2]) / self._rows

    def means(self) -> Floats:
        """Return the estimate of each group."""
        return self.squares / self._rows

    def release(self, updates: Whole) -> Floats:
        items, changes = np.ascontiguousarray(updates.T)
        parts = [
            self._several(items[at : at + _CHUNK], changes[at : at + _CHUNK]) for at in range(0, len(items), _CHUNK)
        ]
        squares = np.concatenate(parts, axis=1) if parts else np.empty((self._groups, 0))
        middle = self._groups // 2
        chosen = squares[0] if self._groups == 1 else np.partition(squares, middle, axis=0)[middle]
        return np.asarray(chosen / self._rows)

    def _several(self, items: Whole, changes: Whole) -> Floats:
        """Return the squares of each group after each of several updates.

        The product of a column with the counters before its update is the product with the initial counters, plus
        the products with the columns in between.
        """
        growth = int(np.abs(changes).sum())
        self._room -= growth
        if self._room < 0:
            self._make_room(growth)
        counters = self._counters
        columns = self._signs.columns(items).astype(counters.dtype, copy=False)
        grouped = columns.reshape(len(items), self._groups, self._rows).transpose(1, 0, 2)
        with_first = (grouped @ counters.reshape(self._groups, self._rows, 1))[..., 0].astype(np.float64)
        among = (grouped @ grouped.transpose(0, 2, 1)).astype(np.float64)
        dots = with_first + np.tril(among, -1) @ changes
        squares: Floats = self.squares[:, None] + np.cumsum(changes * (2 * dots + changes * self._rows), axis=1)
        self.squares = squares[:, -1].copy()
        counters += changes.astype(counters.dtype) @ columns
        return squares

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        items, counts = arrays_of(frequencies)
        if float(np.abs(counts).sum()) + float(np.abs(self._counters).max()) >= EXACT:
            self._counters = self._counters.astype(np.float64)
        kind = self._counters.dtype
        length = max(1, _ENTRIES // len(self._counters))
        for at in range(0, len(items), length):
            columns = self._signs.columns(items[at : at + length]).astype(kind, copy=False)
            self._counters += counts[at : at + length].astype(kind) @ columns
        self._room = float("inf") if kind == np.float64 else 0.0
        grouped = self._counters.astype(np.float64).reshape(self._groups, self._rows)
        self.squares = np.einsum("gr,gr->g", grouped, grouped)

    def product(self, other: LinearRun) -> float:
        """Return the mean product of two runs' counters, which must have the same signs: an estimate of <f, g>."""
        mine = self._counters.astype(np.float64)  # the counters of both runs may be large
        return float(mine @ other._counters.astype(np.float64)) / len(mine)

    def twin(self) -> LinearRun:
        """Return an empty run with the same signs."""
        empty = object.__new__(LinearRun)
        empty._groups, empty._rows, empty._signs = self._groups, self._rows, self._signs
        empty._clear()
        return empty

    def reset(self) -> None:
        self._clear()
