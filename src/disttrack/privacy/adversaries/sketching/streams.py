"""Streams fixed in advance: every item fresh, and items inserted and deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from disttrack.mechanisms.checks import Whole
from disttrack.privacy.adversaries.sketching.base import ObliviousStream, Updates


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
