"""The insertion attack on sketches of distinct items: keep the items that do not move the estimate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from disttrack.adversaries.scripts import Scripted
from disttrack.adversaries.sketching.base import Attacker, StreamView
from disttrack.mechanisms.checks import Natural, Whole, ZeroToOne
from disttrack.mechanisms.sketches import RESET, Move


@dataclass
class QuietItems(Scripted, Attacker):
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

    def script(self, view: StreamView) -> Iterator[Move]:
        noted: list[int] = []
        tried, place = self.prefill, 0
        while not self._runs_out(view, place, len(noted)):
            if place == self.prefill + self.window:
                yield RESET
                place = 0
                continue
            place += 1
            if place <= self.prefill:
                yield place, 1
                continue
            tried, old = tried + 1, view.output
            yield tried, 1
            if self.notes(view, old):
                noted.append(tried)
        yield RESET
        for item in chain(range(1, self.prefill + 1), noted):
            yield item, 1

    def _runs_out(self, view: StreamView, place: int, noted: int) -> bool:
        """Return whether just enough updates are left for the last stream, so that no other item can be tried."""
        rest = 2 if place < self.prefill + self.window else self.prefill + 2
        return view.left <= self.prefill + noted + 1 + rest

    def notes(self, view: StreamView, old: float) -> bool:
        """Return whether to note the item just tried: the estimate has not moved from the old one."""
        return view.output == old


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

    def notes(self, view: StreamView, old: float) -> bool:
        return bool(view.rng.random() < self.share)
