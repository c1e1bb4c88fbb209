"""Streams of updates of a data set: in each step an item is inserted, an item is deleted, or nothing happens.

A step is coded as a whole number: 0 is a pause, x + 1 inserts item x, and -s deletes the item that was inserted in
step s. So equal items are distinct, and a deletion can name an item that does not exist.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import View
from disttrack.adversaries.contents.plans import names
from disttrack.adversaries.oblivious import RoundRobin
from disttrack.privacy.mechanisms.dynamic.base import PAUSE

Codes = Sequence[int] | NDArray[np.int64]
"""Codes of the next steps."""
CHUNK = 4096
"""Number of steps that an infinite stream plans at a time."""


class Live:
    """The live items, by the step of their insertion; picks one at random in constant time."""

    __slots__ = ("_keys", "_places", "items")

    def __init__(self) -> None:
        self.items: dict[int, int] = {}
        """Item by the step of its insertion."""
        self._keys: list[int] = []
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def insert(self, step: int, item: int) -> None:
        """Add an item."""
        self.items[step] = item
        self._places[step] = len(self._keys)
        self._keys.append(step)

    def delete(self, step: int) -> int | None:
        """Delete an item and return it; None if no item of that step is live."""
        item = self.items.pop(step, None)
        if item is not None:
            place, last = self._places.pop(step), self._keys.pop()
            if last != step:
                self._keys[place] = last
                self._places[last] = place
        return item

    def any(self, draw: float) -> int:
        """Return the step of insertion of one of them, chosen by a number drawn from 0 to 1."""
        return self._keys[int(draw * len(self._keys))]


class UpdateView(View):
    """The view of an adversary of a data set: the latest answers, and its own moves.

    `output` contains the answers to all queries, `sites` is the number of values that an item may have, `items` the
    number of steps, `sent` the number of updates.

    Parameters
    ----------
    live
        The items that it has inserted and not deleted.
    exact
        Returns the exact answers, which follow from these.

    Attributes
    ----------
    truth
        The exact answers at the time of the present ones.
    """

    _shown = ("exact", "live", "truth")
    __slots__ = ("_exact", "_live", "_truth")

    exact: Callable[[], NDArray[np.float64]]
    live: Live
    truth: NDArray[np.float64]

    def __init__(self, *, live: Live, exact: Callable[[], NDArray[np.float64]], **given: Any) -> None:
        super().__init__(**given)
        self.record(live=live, exact=exact)
        self._output = self._truth = exact()

    def observe(self, answer: object) -> None:
        """Record the answers after a step, None if they are the old ones; for the game only."""
        self._steps += 1
        if answer is not None:
            self._output = answer
            self._changes += 1
            self._changed_at = self._steps


class UpdateStream(RoundRobin):
    """Chooses the updates of a data set."""

    kind: ClassVar[str] = ""
    plays: ClassVar[tuple[str, ...]] = ("static-queries", "dynamic-queries")
    deletes: ClassVar[bool] = False
    """Whether it deletes items."""
    domain: ClassVar[int | None] = None
    """The number of values of its items; None if any number is allowed."""

    descriptions = frozenset({"deletes", "domain"})

    @abstractmethod
    def updates(self, view: UpdateView) -> Codes | None:
        """Return the codes of the next steps, one number per step; None to end the stream.

        An oblivious stream is asked after these steps; another one also when the answers are new, and the rest
        of its plan is then dropped.
        """

    def move(self, view: UpdateView) -> int:
        """Return the code of the next step; a plan is dropped when an adversary that reacts sees new answers."""
        if not self.oblivious and view.changes and view.changed_at == view.steps:
            view.record(truth=view.exact())
            self._ahead = None
        code: int = super().move(view) or PAUSE
        view.record(sent=view.sent + (code != PAUSE))
        return code

    def stretches(self, view: UpdateView) -> Iterator[object]:
        """Yield the codes plan by plan, up to the last step of the game."""
        begun = view.steps
        while begun < view.items:
            view.record(steps=begun)
            codes = self.updates(view)
            if codes is None or not len(codes):
                return
            listed = names("codes of updates", codes, texts=False)
            if listed.dtype == object:
                raise ValueError("codes of updates must be whole numbers of 64 bits")
            yield listed[: view.items - begun]
            begun += len(codes)


def draw_items(rng: np.random.Generator, domain: int, exponent: float, size: int) -> NDArray[np.int64]:
    """Return items whose value is x with probability in proportion to (x + 1)^-exponent; uniform at 0."""
    if exponent == 0:
        return rng.integers(0, domain, size)
    sums = np.cumsum(np.arange(1, domain + 1, dtype=np.float64) ** -exponent)
    items: NDArray[np.int64] = np.searchsorted(sums, rng.random(size) * sums[-1], side="right")
    return items
