"""Oblivious streams of updates: growing, churning, growing and shrinking, a sliding window."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.updates.base import CHUNK, Codes, Live, UpdateStream, UpdateView, draw_items
from disttrack.mechanisms.checks import Natural, NotNegative, Whole, ZeroToOne


@dataclass
class Grow(UpdateStream):
    """Inserts items and deletes none: one per step, or a few at steps drawn at random.

    Parameters
    ----------
    count
        Total number of items, scattered over the steps; None for one per step.
    exponent
        Value x is inserted with probability in proportion to (x + 1)^-exponent.
    """

    kind: ClassVar[str] = "grow"
    source: ClassVar[str] = "insertion-only streams; with a count the sparse ones of Qiu, Yi 2022, Table 1"
    oblivious: ClassVar[bool] = True

    count: Natural | None = None
    exponent: NotNegative = 1.0

    def updates(self, view: UpdateView) -> Codes | None:
        if self.count is None:
            return draw_items(view.rng, view.sites, self.exponent, CHUNK) + 1
        if view.steps:
            return None
        codes = np.zeros(view.items, dtype=np.int64)
        count = min(self.count, view.items)
        steps = view.rng.choice(view.items, count, replace=False, shuffle=False)
        codes[steps] = draw_items(view.rng, view.sites, self.exponent, count) + 1
        return codes


@dataclass
class GrowAndDelete(UpdateStream):
    """Inserts up to a peak, deletes down to a rest, then inserts and deletes in turn; it deletes at random.

    Parameters
    ----------
    peak
        Items before the first deletion.
    rest
        Items from which the churn begins.
    exponent
        Value x is inserted with probability in proportion to (x + 1)^-exponent.
    void
        Share of the deletions that name an item that is not live, drawn at random.
    """

    kind: ClassVar[str] = "grow-and-delete"
    source: ClassVar[str] = "the streams on which the size and the number of updates part: Qiu, Yi 2022, section 4"
    oblivious: ClassVar[bool] = True
    deletes: ClassVar[bool] = True

    peak: Whole = 10_000
    rest: Natural = 1_000
    exponent: NotNegative = 1.0
    void: ZeroToOne = 0.0
    _live: Live = field(default_factory=Live, init=False, repr=False)
    _falling: bool = field(default=False, init=False, repr=False)
    _turn: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rest > self.peak:
            raise ValueError(f"rest must be at most the peak, {self.peak}; got {self.rest}")

    def updates(self, view: UpdateView) -> Codes:
        items = draw_items(view.rng, view.sites, self.exponent, CHUNK).tolist()
        draws: list[float] = view.rng.random(CHUNK).tolist()
        voids: NDArray[np.bool_] = view.rng.random(CHUNK) < self.void
        codes = []
        live = self._live
        for place, (item, draw, void) in enumerate(zip(items, draws, voids.tolist(), strict=True), start=1):
            if self._inserts(len(live)):
                live.insert(view.steps + place, item)
                codes.append(item + 1)
            elif void or not len(live):
                codes.append(-(view.steps + place))
            else:
                codes.append(-live.any(draw))
                live.delete(-codes[-1])
        return codes

    def _inserts(self, size: int) -> bool:
        """Return whether the next update is an insertion."""
        if self._turn:
            self._turn = False
            return False
        if self._falling and size > self.rest:
            return False
        if self._falling:
            self._turn = True
            return True
        self._falling = size >= self.peak
        return not self._falling


@dataclass
class Churn(GrowAndDelete):
    """Inserts up to a size, and from then on inserts and deletes in turn.

    Parameters
    ----------
    peak
        The size.
    rest
        Not to be given: it equals the size.
    exponent
        Value x is inserted with probability in proportion to (x + 1)^-exponent.
    void
        Share of the deletions that name an item that is not live, drawn at random.
    """

    kind: ClassVar[str] = "churn"
    source: ClassVar[str] = "a data set of constant size under constant change"

    rest: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.rest = self.peak
        super().__post_init__()


@dataclass
class Sliding(UpdateStream):
    """A sliding window: after `window` insertions, each one is followed by the deletion of the oldest item.

    Parameters
    ----------
    window
        Items in the window.
    exponent
        Value x is inserted with probability in proportion to (x + 1)^-exponent.
    """

    kind: ClassVar[str] = "sliding"
    source: ClassVar[str] = "the last items of a stream"
    oblivious: ClassVar[bool] = True
    deletes: ClassVar[bool] = True

    window: Whole = 1_000
    exponent: NotNegative = 1.0
    _held: deque[int] = field(default_factory=deque, init=False, repr=False)

    def updates(self, view: UpdateView) -> Codes:
        codes = []
        for place, item in enumerate(draw_items(view.rng, view.sites, self.exponent, CHUNK).tolist(), start=1):
            if len(self._held) > self.window:
                codes.append(-self._held.popleft())
            else:
                codes.append(item + 1)
                self._held.append(view.steps + place)
        return codes
