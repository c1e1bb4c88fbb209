"""The exact truth for a sketch: second moment, distinct items, one item's frequency, or their sum."""

from __future__ import annotations

from math import sqrt
from typing import Literal

from disttrack.privacy.mechanisms.sketches import TARGET, Goal

Norm = Literal["two", "one"]


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

    __slots__ = ("_counts", "_goal", "_largest", "_norm", "_present", "_squares", "_sum", "_target")

    def __init__(self, goal: Goal, norm: Norm = "two") -> None:
        self._goal, self._norm = goal, norm
        self.reset()

    def reset(self) -> None:
        """Begin a new stream."""
        self._counts: dict[int, int] = {}
        self._squares = self._sum = self._largest = self._present = self._target = 0

    def update(self, item: int, change: int) -> None:
        """Apply an update; a change of 0 resets the item."""
        before = self._counts.get(item, 0)
        change = change or -before
        after = self._counts[item] = before + change
        self._squares += change * (before + after)
        self._sum += abs(after) - abs(before)
        self._largest = max(self._largest, self._sum)
        self._present += (after > 0) - (before > 0)
        if item == TARGET:
            self._target += change

    @property
    def touched(self) -> int:
        """Different items of the stream so far."""
        return len(self._counts)

    @property
    def value(self) -> int:
        """The value that the sketch estimates."""
        if self._goal == "frequency":
            return self._target
        if self._goal == "sum":
            return self._sum
        return self._squares if self._goal == "second-moment" else self._present

    def scale(self) -> float:
        """Return the reference value of the relative error."""
        if self._goal != "frequency":
            return self._largest if self._goal == "sum" else self.value
        return sqrt(self._squares) if self._norm == "two" else self._sum
