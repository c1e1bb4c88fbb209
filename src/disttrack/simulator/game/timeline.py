"""The timeline of a game: its state at checkpoints spaced evenly in the logarithm of the items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import expm1, log1p
from typing import ClassVar, TypeAlias

import numpy as np

from disttrack.protocols.base import Number
from disttrack.simulator.game.columns import CHECKPOINT
from disttrack.simulator.game.outputs import as_float

CHECKPOINTS = 200
Longs: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
Doubles: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]


def checkpoints(start: int, items: int, number: int = CHECKPOINTS, *, down: bool = False) -> list[int]:
    """Return about `number` item counts from start + 1 to start + items, evenly spaced in their logarithm.

    Parameters
    ----------
    down
        Whether counts are rounded down rather than to the nearest.

    Examples
    --------
    >>> checkpoints(0, 1000, 4)
    [1, 10, 100, 1000]
    >>> checkpoints(2**60, 3)[-1] - 2**60
    3
    """
    return list(_checkpoints(start, items, number, down))


@lru_cache(maxsize=32)
def _array(start: int, items: int, number: int) -> Longs:
    """Return `checkpoints` as an array that all games of a size share."""
    at = np.array(_checkpoints(start, items, number, False), dtype=np.int64)
    at.flags.writeable = False
    return at


@lru_cache(maxsize=32)
def _checkpoints(start: int, items: int, number: int, down: bool) -> tuple[int, ...]:
    if items < 1:
        return ()
    first, last = start + 1, start + items
    half = 0.0 if down else 0.5
    counts = {int(value + half) for value in np.geomspace(first, last, number)}
    if min(counts) < first or max(counts) > last:
        # floats cannot represent such counts: the increments are spaced instead, and added exactly
        growth = log1p((items - 1) / first) / max(1, number - 1)
        counts = {first + min(items - 1, int(first * expm1(growth * place) + half)) for place in range(number)}
    return tuple(sorted(counts | {first, last}))


class Timeline:
    """Collects one row per checkpoint.

    Attributes
    ----------
    due
        Number of items of the next checkpoint; an engine takes rows before anything
        happens at a later item.
    at
        The numbers of items of all checkpoints: an array.
    """

    names: ClassVar[Sequence[str]] = CHECKPOINT

    def __init__(self, start: int, items: int, number: int = CHECKPOINTS) -> None:
        self.at = _array(start, items, number)
        self._at = _checkpoints(start, items, number, False)
        self._place = 0
        self.due = self._next()
        self._rows: list[tuple[object, ...]] = []
        """Rows taken one by one, which follow those in the columns."""
        self._columns: list[list[object]] = [[] for _ in self.names]

    def pass_by(
        self,
        items: int,
        step: int,
        output: Number,
        messages: int,
        words: int,
        now: int,
        step_of: Callable[[int], int] | None = None,
    ) -> None:
        """Take the rows of the checkpoints up to `items`; `step` is the step at which there are `now` items.

        If steps are skipped, `step_of` returns the step of an item by its number.
        """
        while self.due <= items:
            due = self.due
            # without skipped steps, the step of an item is its number less a constant
            at = step_of(due) if step_of else step - (now - due)
            self._rows.append(self.row(at, due, output, messages, words))
            self._place += 1
            self.due = self._next()

    def waiting(self, items: int) -> Longs:
        """Return the checkpoints up to `items` that have no row yet."""
        return self.at[self._place : self.at.searchsorted(items, side="right")]

    def pass_all(self, steps: Longs, outputs: Doubles, messages: Longs, words: Longs) -> None:
        """Take the rows of the next checkpoints from arrays; the outputs are floats."""
        items = self.at[self._place : self._place + len(steps)]
        columns = steps, items, outputs, (outputs - items) / items, messages, words
        self._gather()
        self._extend(column.tolist() for column in columns)
        self._place += len(steps)
        self.due = self._next()

    def _gather(self) -> None:
        """Add the rows that were taken one by one to the columns."""
        if self._rows:
            self._extend(zip(*self._rows, strict=True))
            self._rows = []

    def _extend(self, columns: Iterable[Sequence[object]]) -> None:
        for column, values in zip(self._columns, columns, strict=True):
            column += values

    def _next(self) -> int:
        return self._at[self._place] if self._place < len(self._at) else 2**63

    def row(self, step: int, items: int, output: object, messages: int, words: int) -> tuple[object, ...]:
        """Return the row of a checkpoint."""
        value = as_float(output)
        return step, items, value, (value - items) / items, messages, words

    def columns(self) -> dict[str, list[object]]:
        """Return the rows as columns."""
        self._gather()
        return {name: list(column) for name, column in zip(self.names, self._columns, strict=True)}
