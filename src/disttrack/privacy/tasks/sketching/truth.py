"""The exact truth for a sketch: second moment, distinct items, one item's frequency, or their sum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

import numpy as np

from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.sketches import TARGET, Goal, Move

Norm = Literal["two", "one"]
_NOTHING: Final = (0, 0, 0, 0, 0)
"""Of a stream that begins: the target, the 1-norm, the largest one, the squares, and the items with a frequency."""


class Truth:
    """The exact values for the stream so far.

    Parameters
    ----------
    goal
        The quantity: the sum of the squared frequencies, the number of items with a frequency above 0, the frequency of
        the target, or the sum of all.
    norm
        The norm of all frequencies to which the errors of a frequency are relative. Those of a sum are relative to the
        largest one so far, others to the value.
    """

    __slots__ = ("_counts", "_goal", "_norm", "_sums")

    def __init__(self, goal: Goal, norm: Norm = "two") -> None:
        self._goal, self._norm = goal, norm
        self._counts: dict[int, int] = {}
        self._sums = _NOTHING

    def follow(self, updates: Iterable[Move]) -> tuple[Floats, Floats]:
        """Apply updates, or `RESET`; a change of 0 resets the item.

        Return the values that the sketch estimates after each, and the reference values of the relative errors.
        """
        counts, (target, total, largest, squares, present) = self._counts, self._sums
        after_each = []
        for item, change in updates:
            if item < 0:
                counts.clear()
                target, total, largest, squares, present = _NOTHING
            else:
                before = counts.get(item, 0)
                change = change or -before
                after = counts[item] = before + change
                squares += change * (before + after)
                total += abs(after) - abs(before)
                largest = max(largest, total)
                present += (after > 0) - (before > 0)
                if item == TARGET:
                    target += change
            after_each.append((target, total, largest, squares, present))
        self._sums = (target, total, largest, squares, present)
        table = np.array(after_each, dtype=np.float64).reshape(-1, len(_NOTHING))
        value = {"frequency": 0, "sum": 1, "second-moment": 3, "distinct": 4}[self._goal]
        if self._goal == "frequency":
            return table[:, value], np.sqrt(table[:, 3]) if self._norm == "two" else table[:, 1]
        return table[:, value], table[:, 2 if self._goal == "sum" else value]

    @property
    def touched(self) -> int:
        """Different items of the stream so far."""
        return len(self._counts)
