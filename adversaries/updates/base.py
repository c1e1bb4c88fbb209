"""What feeds a data set: in each step an item comes, an item goes, or nothing happens.

A step is written as a whole number: 0 is a pause, x + 1 inserts item x, and -s deletes the item that was inserted in
step s. So equal items are told apart, and a deletion can name one that is not there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import View
from disttrack.adversaries.oblivious import RoundRobin
from disttrack.adversaries.schedules import Schedule

Codes = Sequence[int] | NDArray[np.int64]
"""What happens in each of the next steps."""
CHUNK = 4096
"""Steps that a stream without end plans at a time."""


class Live:
    """The items that are there, by the step in which each came; picks one at random in constant time."""

    __slots__ = ("_keys", "_places", "items")

    def __init__(self) -> None:
        self.items: dict[int, int] = {}
        """Item by the step of its insertion."""
        self._keys: list[int] = []
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def insert(self, step: int, item: int) -> None:
        """Take note of an item."""
        self.items[step] = item
        self._places[step] = len(self._keys)
        self._keys.append(step)

    def delete(self, step: int) -> int | None:
        """Take an item out and return it; None if none that came in that step is there."""
        item = self.items.pop(step, None)
        if item is not None:
            place, last = self._places.pop(step), self._keys.pop()
            if last != step:
                self._keys[place] = last
                self._places[last] = place
        return item

    def any(self, draw: float) -> int:
        """Return the step in which one of them came, by a number drawn from 0 to 1."""
        return self._keys[int(draw * len(self._keys))]


class UpdateView(View):
    """What an adversary of a data set sees: all answers so far by the latest ones, and its own moves.

    `output` holds the answers to all queries, `sites` is the number of values that an item may have, `items` the number
    of steps, `sent` the number of updates.

    Attributes
    ----------
    live
        The items that it has put there and not taken away.
    truth
        The exact answers, which follow from these.
    """

    __slots__ = ("live", "truth")

    def __init__(self, *, live: Live, **given: Any) -> None:
        super().__init__(**given)
        self.live = live
        self.truth: NDArray[np.float64] | None = None


class UpdateStream(RoundRobin):
    """Chooses the updates of a data set. In games that only count items it feeds the sites in turn."""

    kind: ClassVar[str] = ""
    source: ClassVar[str] = ""
    deletes: ClassVar[bool] = False
    """Whether it deletes anything."""
    domain: ClassVar[int | None] = None
    """The number of values that its items have; None if any number will do."""

    @abstractmethod
    def updates(self, view: UpdateView) -> Codes | None:
        """Return what happens in the next steps, one number a step; None if nothing more ever will.

        An oblivious stream is asked when these have passed; another one also when the answers are new, and what was
        left of its plan is then forgotten.
        """

    def plan(self, view: View) -> Schedule:
        return super().plan(view)


def draw_items(rng: np.random.Generator, domain: int, exponent: float, size: int) -> NDArray[np.int64]:
    """Return items of which value x has probability in proportion to (x + 1)^-exponent; all alike at 0."""
    if exponent == 0:
        return rng.integers(0, domain, size)
    sums = np.cumsum(np.arange(1, domain + 1, dtype=np.float64) ** -exponent)
    items: NDArray[np.int64] = np.searchsorted(sums, rng.random(size) * sums[-1], side="right")
    return items
