"""Base classes of adversaries of sketches: their view of the stream, and their moves.

An attacker sees every estimate and its own moves. It knows the sketch's kind and parameters, never its coins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

Move = tuple[int, int]
"""An item, from 0, and the change of its frequency."""
RESET: Final[Move] = (-1, 0)
"""The move that begins a new stream: all frequencies are 0 again. Sketches of distinct items allow it."""
Whole = NDArray[np.int64]


class StreamView:
    """The information that an attacker has.

    Attributes
    ----------
    updates
        Maximum number of updates of this game.
    steps
        Updates so far.
    output
        The present estimate, 0 before the first update.
    known
        The sketch's kind and parameters.
    rng
        The attacker's own random generator.
    """

    __slots__ = ("known", "output", "rng", "steps", "updates")

    def __init__(self, *, updates: int, rng: np.random.Generator, known: Mapping[str, Any] | None = None) -> None:
        self.updates = updates
        self.steps = 0
        self.output = 0.0
        self.known: Mapping[str, Any] = known or {}
        self.rng = rng

    @property
    def left(self) -> int:
        """Updates left."""
        return self.updates - self.steps


class Attacker(ABC):
    """Chooses the updates. Subclasses define `move`; parameters are the fields of a dataclass.

    Each game plays a copy, so fields that change during a game (``field(init=False)``) are fresh in the next.
    """

    kind: ClassVar[str] = ""
    source: ClassVar[str] = ""
    oblivious: ClassVar[bool] = False
    """True if it does not depend on the outputs: `stretch` then gives many updates at once; `move` is not called."""

    @abstractmethod
    def move(self, view: StreamView) -> Move | None:
        """Return the next update; None to end the game."""


class ObliviousStream(Attacker):
    """A stream that is fixed in advance. Subclasses define `stretch`."""

    oblivious: ClassVar[bool] = True

    @abstractmethod
    def stretch(self, begun: int, length: int, rng: np.random.Generator) -> tuple[Whole, Whole]:
        """Return items and changes of the updates begun + 1 … begun + length."""

    def move(self, view: StreamView) -> Move:
        items, changes = self.stretch(view.steps, 1, view.rng)
        return int(items[0]), int(changes[0])


def size_known(view: StreamView, *names: str) -> int | None:
    """Return the first of these parameters that the sketch has; None if it has none of them."""
    return next((int(view.known[name]) for name in names if view.known.get(name)), None)
