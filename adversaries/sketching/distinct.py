"""The insertion attack on sketches of distinct items: keep the items that do not move the estimate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from disttrack.adversaries.sketching.base import Attacker, StreamView
from disttrack.mechanisms.checks import Natural, Whole, ZeroToOne
from disttrack.mechanisms.sketches import RESET, Move


@dataclass
class QuietItems(Attacker):
    """Tries items on separate streams, and finally sends the ones that did not move the estimate in one stream.

    A service counts many streams with one hash function, or their sketches could not be merged. The attacker repeatedly
    begins a stream with the same `prefill` items, tries `window` fresh ones after them, and notes those after
    which the estimate did not change: their hash values do not affect the sketch in its state at that time. Finally
    it begins a stream with the prefill and sends all noted items. The estimate stays near `prefill` +
    `window`.

    Parameters
    ----------
    prefill
        Items at the beginning of each stream.
    window
        Items tried in each stream.

    Source
    ------
    Reviriego, Ting 2020, section III; Paterson, Raynal 2022, section 4.
    """

    kind: ClassVar[str] = "quiet-items"
    source: ClassVar[str] = "Reviriego, Ting 2020, section III"

    prefill: Natural = 2000
    window: Whole = 2000
    _noted: list[int] = field(default_factory=list, init=False, repr=False)
    _place: int = field(default=0, init=False, repr=False)
    _tried: int = field(default=0, init=False, repr=False)
    _old: float = field(default=0.0, init=False, repr=False)
    _last: bool = field(default=False, init=False, repr=False)

    def move(self, view: StreamView) -> Move | None:
        place = self._place
        if place > self.prefill and not self._last and self.notes(view):
            self._noted.append(self._tried)
        if not self._last and self._runs_out(view, place):
            self._last, self._place = True, 0
            return RESET
        if not self._last and place == self.prefill + self.window:
            self._place = 0
            return RESET
        self._place += 1
        if place < self.prefill:
            return place + 1, 1
        if self._last:
            return (self._noted[place - self.prefill], 1) if place - self.prefill < len(self._noted) else None
        self._old = view.output
        self._tried = max(self._tried, self.prefill) + 1
        return self._tried, 1

    def _runs_out(self, view: StreamView, place: int) -> bool:
        """Return whether just enough updates are left for the last stream, so that no other item can be tried."""
        rest = 2 if place < self.prefill + self.window else self.prefill + 2
        return view.left <= self.prefill + len(self._noted) + 1 + rest

    def notes(self, view: StreamView) -> bool:
        """Return whether to note the item just tried: the estimate has not moved."""
        return view.output == self._old


@dataclass
class UnsortedItems(QuietItems):
    """The control of `quiet-items`: the same streams, but a coin of bias `share` decides which items are noted.

    Parameters
    ----------
    share
        Share of the items that are noted.
    """

    kind: ClassVar[str] = "unsorted-items"
    source: ClassVar[str] = "control of quiet-items"

    share: ZeroToOne = 0.8

    def notes(self, view: StreamView) -> bool:
        return bool(view.rng.random() < self.share)
