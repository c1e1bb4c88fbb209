"""The exact truth for a sketch: second moment, distinct items, or one item's frequency."""

from __future__ import annotations

from math import sqrt
from typing import Literal, Protocol

from disttrack.mechanisms.sketches import TARGET, Goal

Norm = Literal["two", "one"]


class Truth(Protocol):
    """The exact value for the stream so far.

    Attributes
    ----------
    value
        The value that the sketch estimates.
    """

    value: int

    def update(self, item: int, change: int) -> None:
        """Apply an update."""
        ...

    @property
    def touched(self) -> int:
        """Different items of the stream so far."""
        ...

    def scale(self) -> float:
        """Return the reference value of the relative error."""
        ...

    def reset(self) -> None:
        """A new stream begins."""
        ...


class _Frequencies:
    """Frequencies of all items."""

    __slots__ = ("_counts", "value")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._counts: dict[int, int] = {}
        self.value = 0

    @property
    def touched(self) -> int:
        return len(self._counts)

    def scale(self) -> float:
        return self.value


class SecondMoment(_Frequencies):
    """The sum of the squared frequencies; errors are relative to it."""

    __slots__ = ()

    def update(self, item: int, change: int) -> None:
        count = self._counts.get(item, 0)
        self.value += change * (2 * count + change)
        self._counts[item] = count + change


class Distinct(_Frequencies):
    """The number of items with a frequency above 0; errors are relative to it."""

    __slots__ = ()

    def update(self, item: int, change: int) -> None:
        count = self._counts.get(item, 0)
        self._counts[item] = count + change
        self.value += (count + change > 0) - (count > 0)


class Frequency(_Frequencies):
    """The frequency of the target; errors are relative to a norm of all frequencies."""

    __slots__ = ("_norm", "_squares", "_sum")

    def __init__(self, norm: Norm) -> None:
        self._norm = norm
        super().__init__()

    def reset(self) -> None:
        super().reset()
        self._sum = self._squares = 0

    def update(self, item: int, change: int) -> None:
        count = self._counts.get(item, 0)
        self._squares += change * (2 * count + change)
        self._sum += abs(count + change) - abs(count)
        self._counts[item] = count + change
        if item == TARGET:
            self.value += change

    def scale(self) -> float:
        return sqrt(self._squares) if self._norm == "two" else self._sum


def truth_of(goal: Goal, norm: Norm) -> Truth:
    """Return the truth for a goal, at the beginning of a stream."""
    if goal == "second-moment":
        return SecondMoment()
    return Distinct() if goal == "distinct" else Frequency(norm)
