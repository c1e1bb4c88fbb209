"""Base classes of sketches: parameters that start a run, which takes updates and gives one estimate.

An update is an item (a whole number from 0) and the change of its frequency. The sketch estimates its
*goal*: the second moment of the frequencies, the number of items with a frequency above 0, the frequency of one
item, the target 0, or the sum of all frequencies, which are then counters that are incremented and reset. Its coins
are secret; the adversary that chooses the updates sees only the estimates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.shortcuts import Shortcut, Shortcuts

Goal = Literal["second-moment", "distinct", "frequency", "sum"]
Whole = NDArray[np.int64]

TARGET = 0
"""The item whose frequency is the goal, if the goal is a frequency."""
Move = tuple[int, int]
"""An item, from 0, and the change of its frequency; a sum has changes above 0, and 0 resets the item."""
RESET: Final[Move] = (-1, 0)
"""The move that begins a new stream: all frequencies are 0 again. Sketches of distinct items allow it."""


class SketchRun(Shortcuts, ABC):
    """A running sketch.

    Attributes
    ----------
    exhausted
        Whether a robust form has used up its budget of changes; it then continues as its underlying plain sketch.
        Plain sketches have no such budget and are never exhausted.
    """

    exhausted: bool = False

    @abstractmethod
    def update(self, item: int, change: int) -> None:
        """Change the frequency of an item."""

    @abstractmethod
    def estimate(self) -> float:
        """Return the present estimate. Repeated calls give the same answer."""

    def scale(self) -> float:
        """Return the reference value of the relative error, as known to the sketch: the estimate itself."""
        return self.estimate()

    def step(self, move: Move) -> float:
        """Make a move, an update or `RESET`, and return the estimate after it."""
        item, change = move
        if item < 0:
            self.reset()
        else:
            self.update(item, change)
        return self.estimate()

    def release(self, updates: Whole) -> Floats:
        """Make many updates, rows of item and change, and return the estimate after each; equal to `step` for each."""
        return np.array([self.step(update) for update in updates.tolist()], dtype=np.float64)

    def form(self) -> Any:
        """Return this fresh sketch as arrays (`kernel.SketchForm`), for many moves; None without such a form.

        The form gives the estimates that the sketch would give, which is not used any more.
        """
        return None

    def absorb(self, frequencies: Mapping[int, int]) -> None:
        """Apply a whole frequency vector at once; the state is then as after any updates that lead to it."""
        for item, frequency in frequencies.items():
            self.update(item, frequency)

    def reset(self) -> None:
        """Begin a new stream: all frequencies are 0 again, and the hash functions stay."""
        raise NotImplementedError(f"{type(self).__name__} cannot begin a new stream")

    shortcuts: ClassVar = {"release": Shortcut(release), "absorb": Shortcut(absorb), "form": Shortcut(form)}


class Sketch(Mechanism, ABC):
    """Parameters of a sketch: a frozen dataclass with `alpha`, the error that counts as a failure."""

    arithmetic: ClassVar[str] = ""  # it hides nothing
    conformance: ClassVar[str] = "disttrack.privacy.tasks.sketching.conformance"
    """Module with the conformance tests of its kind."""
    budget: ClassVar[str] = ""
    """Parameter of a robust form that has the number of changes of the output that it supports."""

    alpha: float

    @property
    def goal(self) -> Goal:
        """What it estimates; a class that always estimates the same states it as an attribute."""
        raise NotImplementedError

    @property
    @abstractmethod
    def words(self) -> int:
        """Memory in words: counters, hash values, and coefficients of hash functions (but of random oracles none)."""

    @property
    def total_rows(self) -> int:
        """Rows, registers or stored hash values of all copies together: the size used in theory."""
        return self.words

    @property
    def active_rows(self) -> int:
        """Rows that this code updates per item; it creates copies only when their turn comes."""
        return self.total_rows

    @property
    def built_for(self) -> int | None:
        """Changes of the output that a robust form supports; None for a plain sketch."""
        return int(getattr(self, self.budget)) if self.budget else None

    @abstractmethod
    def start(self, rng: np.random.Generator) -> SketchRun:
        """Return a fresh run with its own coins."""

    shortcuts: ClassVar = {"arithmetic": Shortcut("")}
    descriptions = frozenset(
        {"active_rows", "budget", "built_for", "conformance", "goal", "goals", "total_rows", "words"}
    )


def arrays_of(frequencies: Mapping[int, int]) -> tuple[Whole, Whole]:
    """Return the items of a frequency vector, and their frequencies."""
    length = len(frequencies)
    items = np.fromiter(frequencies.keys(), dtype=np.int64, count=length)
    return items, np.fromiter(frequencies.values(), dtype=np.int64, count=length)


def tally(frequencies: dict[int, int], item: int, change: int) -> None:
    """Change the frequency of an item; zero frequencies are removed."""
    frequency = frequencies.get(item, 0) + change
    if frequency:
        frequencies[item] = frequency
    else:
        frequencies.pop(item, None)


def key_of(rng: np.random.Generator) -> int:
    """Return a fresh 63-bit key for a hash function."""
    return int(rng.integers(1 << 63))
