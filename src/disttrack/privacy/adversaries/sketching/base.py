"""Base classes of adversaries of sketches: their view of the stream, and their moves.

An attacker sees every estimate and its own moves. It knows the sketch's kind and parameters, never its coins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import Facts, Known, Opponent
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.noise import Floats

Updates = NDArray[np.int64]
STRETCH = 1 << 14
"""Updates of a fixed stream drawn at once; another number gives other streams."""


class StreamView(Facts):
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

    _shown = ("known", "output", "rng", "steps", "updates")
    __slots__ = tuple(f"_{name}" for name in _shown)

    known: Mapping[str, Any]
    output: float
    rng: np.random.Generator
    steps: int
    updates: int
    _steps: int
    _output: float

    def __init__(self, *, updates: int, rng: np.random.Generator, known: Mapping[str, object] | None = None) -> None:
        self.record(updates=updates, steps=0, output=0.0, known=Known(known or {}), rng=rng)

    @property
    def left(self) -> int:
        """Updates left."""
        return self.updates - self.steps

    def observe(self, answer: float) -> None:
        """Record the estimate after an update; for the game only."""
        self._steps += 1
        self._output = answer

    def observe_many(self, answers: Floats) -> None:
        """Record the estimates after several updates; for the game only."""
        if len(answers):
            self._steps += len(answers)
            self._output = float(answers[-1])


class Attacker(Opponent):
    """Chooses the updates: a move is an update, or `RESET`."""

    plays: ClassVar[tuple[str, ...]] = ("second-moment", "distinct-count", "frequency")


class ObliviousStream(Attacker, ABC):
    """A stream that is fixed in advance. Subclasses define `stretch`."""

    oblivious: ClassVar[bool] = True

    @abstractmethod
    def stretch(self, begun: int, length: int, rng: np.random.Generator) -> tuple[Updates, Updates]:
        """Return items and changes of the updates begun + 1 … begun + length."""

    def stretches(self, view: StreamView) -> Iterator[Updates]:
        """Yield all updates in arrays, rows of item and change."""
        for begun in range(0, view.updates, STRETCH):
            view.record(steps=begun)
            yield np.column_stack(self.stretch(begun, min(STRETCH, view.updates - begun), view.rng))


class Stretching(Scripted, Attacker):
    """An attacker that looks at the estimates only between stretches of updates. Subclasses define `stretches`."""

    @abstractmethod
    def stretches(self, view: StreamView) -> Generator[Updates, Floats, None]:
        """Yield updates in arrays, rows of item and change; each ``yield`` gives the estimates after its rows."""

    def script(self, view: StreamView) -> Iterator[tuple[int, int]]:
        running, answers = self.stretches(view), None
        while True:
            try:
                stretch = running.send(answers)  # type: ignore[arg-type]
            except StopIteration:
                return
            answers = np.empty(len(stretch))
            for place, (item, change) in enumerate(stretch.tolist()):
                yield item, change
                answers[place] = view.output


def size_known(view: StreamView, *names: str) -> int | None:
    """Return the first of these parameters that the sketch has; None if it has none of them."""
    return next((int(view.known[name]) for name in names if view.known.get(name)), None)
