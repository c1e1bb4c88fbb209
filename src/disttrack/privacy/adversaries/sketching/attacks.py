"""Streams against sketches, each attack with its control: distinct items, frequencies, second moments, resets."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import count
from math import sqrt
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import FromZero, Natural, Positive, Share, Whole, ZeroToOne
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.adversaries.sketching.base import (
    Attacker,
    ObliviousStream,
    StreamView,
    Stretching,
    Updates,
    size_known,
)
from disttrack.privacy.adversaries.sketching.rules import BEGIN, Rule, attack_ams
from disttrack.privacy.mechanisms.sketches.base import RESET, TARGET, Move


@dataclass
class FreshItems(ObliviousStream):
    """Each update is a new item, from 1 on.

    Source
    ------
    the stream of distinct items.
    """

    kind: ClassVar[str] = "fresh-items"

    def stretch(self, begun: int, length: int, rng: np.random.Generator) -> tuple[Updates, Updates]:
        return np.arange(begun + 1, begun + length + 1), np.ones(length, dtype=np.int64)


@dataclass
class RandomItems(ObliviousStream):
    """Each update adds or subtracts one of an item drawn uniformly from a domain.

    Parameters
    ----------
    domain
        Items of the domain.

    Source
    ------
    a turnstile stream without a plan.
    """

    kind: ClassVar[str] = "random-items"
    plays: ClassVar[tuple[str, ...]] = ("second-moment", "frequency")

    domain: Whole = 1000

    def stretch(self, begun: int, length: int, rng: np.random.Generator) -> tuple[Updates, Updates]:
        return rng.integers(0, self.domain, length), 2 * rng.integers(0, 2, length) - 1


@dataclass
class FlipFlop(ObliviousStream):
    """Items are inserted one after the other, and deleted in the same order: the truth rises and falls without end.

    Every rise and fall makes a robust form change its output many times, using up its planned number of changes.

    Parameters
    ----------
    size
        Items inserted before the first one is deleted.

    Source
    ------
    turnstile streams of a large flip number (Ben-Eliezer, Jayaram, Woodruff, Yogev 2020).
    """

    kind: ClassVar[str] = "flip-flop"

    size: Whole = 1000

    def stretch(self, begun: int, length: int, rng: np.random.Generator) -> tuple[Updates, Updates]:
        turns, items = np.divmod(np.arange(begun, begun + length), self.size)
        return items, 1 - 2 * (turns % 2)


Stretches = Generator[Updates, Floats, None]
"""What `stretches` returns."""
LARGE: Final = 1 << 31
"""Limit of updates times their largest change, for numbers of 64 bits in a sketch of a million rows."""
LAPS: Final = 256
"""Turns in which the items of a cover are updated, between two looks."""


def insertions(items: Updates) -> Updates:
    """Return a stretch that inserts these items."""
    stretch = np.ones((len(items), 2), dtype=np.int64)
    stretch[:, 0] = items
    return stretch


@dataclass
class QuietItems(Stretching):
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
    Reviriego, Ting 2020, section III.
    Paterson, Raynal 2022, section 4.
    """

    kind: ClassVar[str] = "quiet-items"
    plays: ClassVar[tuple[str, ...]] = ("distinct-count",)

    prefill: Natural = 2000
    window: Whole = 2000

    def stretches(self, view: StreamView) -> Stretches:
        noted: list[int] = []
        tried, place, whole = self.prefill, 0, self.prefill + self.window
        while not self._runs_out(view, place, len(noted)):
            if place == whole:
                yield np.array([RESET])
                place = 0
                continue
            room = view.left - self.prefill - len(noted) - 3  # updates that need not be kept for the last stream
            if place < self.prefill:
                length = min(self.prefill - place, room)
                yield insertions(np.arange(place + 1, place + length + 1))
            else:
                length = min(whole - place, (room + 1) // 2)  # each may be noted, which takes a further update
                items, old = np.arange(tried + 1, tried + length + 1), view.output
                estimates = yield insertions(items)
                noted += items[self.notes(view, np.append(old, estimates[:-1]), estimates)].tolist()
                tried += length
            place += length
        yield np.array([RESET])
        yield insertions(np.array([*range(1, self.prefill + 1), *noted], dtype=np.int64))

    def _runs_out(self, view: StreamView, place: int, noted: int) -> bool:
        """Return whether just enough updates are left for the last stream, so that no other item can be tried."""
        rest = 2 if place < self.prefill + self.window else self.prefill + 2
        return view.left <= self.prefill + noted + 1 + rest

    def notes(self, view: StreamView, old: Floats, new: Floats) -> NDArray[np.bool_]:
        """Return which of the items just tried to note: the estimate has not moved from the old one."""
        quiet: NDArray[np.bool_] = new == old
        return quiet


@dataclass
class UnsortedItems(QuietItems):
    """The control of `quiet-items`: the same streams, but a coin of bias `share` decides which items are noted.

    Parameters
    ----------
    share
        Share of the items that are noted.

    Source
    ------
    control of quiet-items.
    """

    kind: ClassVar[str] = "unsorted-items"

    share: ZeroToOne = 0.8

    def notes(self, view: StreamView, old: Floats, new: Floats) -> NDArray[np.bool_]:
        return view.rng.random(len(new)) < self.share


@dataclass
class TailAttack(Stretching):
    """Adds tails of fresh items with random signs, and keeps those after which the estimate of the target has risen.

    The target is never updated. Each tail is small noise to the sketch, but the kept ones push in the same direction:
    after r tails the error of the estimate is about sqrt(r / depth) times the sketch's bound.

    Parameters
    ----------
    tail
        Items of a tail; None for a quarter of the sketch's width.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlós, Shechner, Stemmer 2022, section 4.
    The idea; here with answers to queries of one item.
    """

    kind: ClassVar[str] = "tail-attack"
    plays: ClassVar[tuple[str, ...]] = ("second-moment", "frequency")

    tail: Whole | None = None

    def stretches(self, view: StreamView) -> Stretches:
        length = self.tail or max(1, (size_known(view, "width", "size") or 64) // 4)
        begun, before, old = TARGET + 1, np.empty((0, 2), dtype=np.int64), view.output
        while True:
            tail = insertions(np.arange(begun, begun + length))
            tail[:, 1] = 2 * view.rng.integers(0, 2, length) - 1
            begun += length
            estimates = yield np.concatenate((before, tail))
            old = float(estimates[len(before) - 1]) if len(before) else old
            before = tail[:0]
            if self.takes_back(view, old):
                before = tail.copy()
                before[:, 1] *= -1
            else:
                old = view.output

    def takes_back(self, view: StreamView, old: float) -> bool:
        """Return whether to remove the tail just added: the estimate has not risen from the old one."""
        return not view.output > old


@dataclass
class RandomTails(TailAttack):
    """The control of `tail-attack`: the same tails, but a coin decides which are removed.

    Source
    ------
    control of tail-attack.
    """

    kind: ClassVar[str] = "random-tails"

    def takes_back(self, view: StreamView, old: float) -> bool:
        return bool(view.rng.random() < 0.5)


@dataclass
class CoverAttack(Stretching):
    """Finds few items that share all counters of the target in a count-min sketch, and updates these repeatedly.

    First it adds fresh items until the estimate of the target, which is never updated, has risen: some of them
    cover its counters. Then it removes one after the other, and restores those without which the estimate
    falls: at most `depth` remain. Updating them in turn raises the estimate by one in each turn.

    Source
    ------
    Markelon, Filić, Shrimpton 2023, section 4.
    Cover sets; Clayton, Patton, Shrimpton 2019, section 6.
    """

    kind: ClassVar[str] = "cover-attack"
    plays: ClassVar[tuple[str, ...]] = ("second-moment", "frequency")

    def stretches(self, view: StreamView) -> Stretches:
        last = TARGET
        while not view.output > 0:
            last += 1
            yield np.array([(last, 1)])
        risen, cover = view.output, []
        for item in range(last, TARGET, -1):
            yield np.array([(item, -1)])
            if view.output < risen:
                cover.append(item)
                yield np.array([(item, 1)])
        # nothing for a form that hides which items matter: none was found
        while cover:
            yield insertions(np.array([*cover[1:], *cover[:1]] * LAPS))


@dataclass
class AmsAttack(Scripted, Attacker):
    """Begins with C sqrt(t) of one item, then adds fresh items and keeps those after which the estimate has not risen.

    The truth only grows from then on. The estimate falls by a constant in every second step, so that after O(t) steps
    it is below half of the truth.

    Parameters
    ----------
    constant
        C.
    rows
        Assumed rows t of the sketch; None for the value in the sketch's parameters.
    burn
        Number of initial updates: the one item's frequency is doubled and halved in turn, which makes the output of any
        correct form change every time, until a robust form has used up its planned changes.
    pulses
        Number of times that the one item's frequency is doubled and halved before each look at the estimate. A form
        whose answer stands while it is near must then give a new one; its memory of the last answer is erased. The
        item's weight is doubled for good whenever fresh items outweigh it.
    until
        Ratio of the estimate to the truth at which it stops, 0 for never.

    Source
    ------
    lecture on adaptive streaming, adversary for the AMS sketch.
    Hardt, Woodruff 2013.
    """

    kind: ClassVar[str] = "ams-attack"
    plays: ClassVar[tuple[str, ...]] = ("second-moment", "frequency")
    tosses: ClassVar[bool] = False
    """Whether it looks at coins in place of the estimates."""

    constant: Positive = 4.0
    rows: Whole | None = None
    burn: Natural = 0
    pulses: Natural = 0
    until: FromZero = 0.0

    def stretches(self, view: StreamView) -> Iterator[Rule]:
        """Yield the script as a rule on arrays, for as long as it has moves; nothing if numbers may be too large."""
        weight = self._weight(view)
        if view.updates * max(weight, sqrt(view.updates)) > LARGE:
            return
        whole = [BEGIN, weight, 0, 0, 0, 2 * ((self.burn + 1) // 2), 2 * self.pulses]
        rule = Rule(attack_ams, whole, [0.0, self.until], view.rng if self.tosses else None)
        while not rule.over:
            yield rule

    def _weight(self, view: StreamView) -> int:
        """Return the frequency of the one item."""
        rows = self.rows or size_known(view, "rows", "size") or 100
        return max(1, round(self.constant * sqrt(rows)))

    def script(self, view: StreamView) -> Iterator[Move]:
        weight = self._weight(view)
        yield 0, weight  # w <- C sqrt(t) e_1; numbers are those of the lecture's attack
        yield from _pulses((self.burn + 1) // 2, weight)
        kept = 0
        for item in count(1):
            if self.until and view.output < self.until * (weight**2 + kept):
                return
            if self.pulses and kept > weight**2:
                yield 0, weight
                weight *= 2
            yield from _pulses(self.pulses, weight)
            old = view.output  # 1
            yield item, 1  # 2
            yield from _pulses(self.pulses, weight)
            if self.takes_back(view, old):  # 3 and 4
                yield item, -1
            else:
                kept += 1

    def takes_back(self, view: StreamView, old: float) -> bool:
        """Return whether to undo the item just added: the estimate has risen from the old one."""
        return view.output > old


def _pulses(times: int, weight: int) -> Iterator[Move]:
    """Double and halve the frequency of item 0, which is the weight."""
    for _ in range(times):
        yield 0, weight
        yield 0, -weight


@dataclass
class RandomUpdates(AmsAttack):
    """The control of `ams-attack`: the same updates, but a coin decides which are undone, not the estimate.

    Source
    ------
    control of ams-attack.
    """

    kind: ClassVar[str] = "random-updates"
    tosses: ClassVar[bool] = True

    def takes_back(self, view: StreamView, old: float) -> bool:
        return bool(view.rng.random() < 0.5)


FIRST = 64
"""Items among which the first units are divided."""


@dataclass
class ResetSampled(Scripted, Attacker):
    """Increments fresh items, and resets those after which the estimate has risen: what is left was not sampled.

    It begins with 64 items that have `total` units together, and resets one of these whenever as many units have come
    in their place. So the sum of the counters hardly changes while the sample is emptied.

    Parameters
    ----------
    total
        Units of the first items, together.
    weight
        Units of each further item; most stay for each update with 0.77 over the rate of the sample, and nearly as many
        with ln 2.

    Source
    ------
    Cohen, Gribelyuk, Nelson, Stemmer 2026, abstract (arXiv 2601.21989).
    The order and the number of the updates are derived here.
    """

    kind: ClassVar[str] = "reset-sampled"
    plays: ClassVar[tuple[str, ...]] = ("resettable-sum",)

    total: Whole = 1_000_000
    weight: Whole = 1

    def script(self, view: StreamView) -> Iterator[Move]:
        share, first = -(-self.total // FIRST), list(range(FIRST))
        yield from ((item, share) for item in first)
        units = 0
        for item in count(FIRST):
            old = view.output
            yield item, self.weight
            if self.resets(view, old):
                yield item, 0
                continue
            units += self.weight
            if first and units >= share:
                units -= share
                yield first.pop(), 0

    def resets(self, view: StreamView, old: float) -> bool:
        """Return whether to reset the item just incremented: the estimate has risen from the old one."""
        return view.output > old


@dataclass
class BlindResets(ResetSampled):
    """The control of `reset-sampled`: a coin of bias `share` decides which items are reset.

    Parameters
    ----------
    share
        Share of the further items that are reset.

    Source
    ------
    control of reset-sampled.
    """

    kind: ClassVar[str] = "blind-resets"

    share: Share = 0.5

    def resets(self, view: StreamView, old: float) -> bool:
        return bool(view.rng.random() < self.share)
