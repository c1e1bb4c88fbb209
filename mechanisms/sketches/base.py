"""What every sketch of a stream offers: parameters that start a run, which takes updates and gives one estimate.

An update is an item (a whole number from 0) and the change of its frequency. What is estimated is the sketch's
*goal*: the second moment of the frequencies, the number of items with a frequency above 0, or the frequency of one
item, the target 0. The sketch knows its own coins; whoever chooses the updates sees the estimates only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

Goal = Literal["second-moment", "distinct", "frequency"]
Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

TARGET = 0
"""The item whose frequency is asked for where the goal is a frequency."""


class SketchRun(ABC):
    """A sketch at work.

    Attributes
    ----------
    exhausted
        Whether a robust form has used up what it was built for; it then goes on as the plain sketch that it is made
        of. Plain sketches are built for nothing and never exhausted.
    """

    exhausted: bool = False

    @abstractmethod
    def update(self, item: int, change: int) -> None:
        """Change the frequency of an item."""

    @abstractmethod
    def estimate(self) -> float:
        """Return the present estimate. Asking again gives the same answer."""

    def scale(self) -> float:
        """Return what the error is measured against, as far as the sketch can tell: the estimate itself."""
        return self.estimate()

    def play(self, items: Whole, changes: Whole) -> Floats:
        """Take many updates at once, and return the estimate after each."""
        estimates = np.empty(len(items))
        for place, (item, change) in enumerate(zip(items.tolist(), changes.tolist(), strict=True)):
            self.update(item, change)
            estimates[place] = self.estimate()
        return estimates

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        """Take a whole frequency vector at once; the state is then as after any updates that lead to it."""
        for item, frequency in frequencies.items():
            self.update(item, frequency)

    def reset(self) -> None:
        """Begin a new stream: all frequencies are 0 again, and the hash functions stay."""
        raise NotImplementedError(f"{type(self).__name__} cannot begin a new stream")


class Sketch(ABC):
    """Parameters of a sketch: a frozen dataclass with `alpha`, the error that counts as a failure."""

    kind: ClassVar[str] = ""
    source: ClassVar[str] = ""
    error: ClassVar[str] = ""

    alpha: float

    @property
    @abstractmethod
    def goal(self) -> Goal:
        """What it estimates."""

    @property
    @abstractmethod
    def words(self) -> int:
        """Memory in words: counters, hash values, and coefficients of hash functions that are no random oracle."""

    @property
    def total_rows(self) -> int:
        """Rows, registers or kept hash values of all copies together: the size that theory speaks of."""
        return self.words

    @property
    def active_rows(self) -> int:
        """Rows that an update goes through in this code, which makes copies only when their turn comes."""
        return self.total_rows

    @property
    def built_for(self) -> int | None:
        """Changes of the output that a robust form bears; None for a plain sketch, which is built for none."""
        return None

    @abstractmethod
    def start(self, rng: np.random.Generator) -> SketchRun:
        """Return a fresh run with coins of its own."""


def arrays_of(frequencies: Mapping[int, int]) -> tuple[Whole, Whole]:
    """Return the items of a frequency vector, and their frequencies."""
    length = len(frequencies)
    items = np.fromiter(frequencies.keys(), dtype=np.int64, count=length)
    return items, np.fromiter(frequencies.values(), dtype=np.int64, count=length)


def tally(frequencies: dict[int, int], item: int, change: int) -> None:
    """Change the frequency of an item; those of 0 are not kept."""
    frequency = frequencies.get(item, 0) + change
    if frequency:
        frequencies[item] = frequency
    else:
        frequencies.pop(item, None)


def key_of(rng: np.random.Generator) -> int:
    """Return a fresh 63-bit key for a hash function."""
    return int(rng.integers(1 << 63))
