"""Intervals of an ordered domain: two prefix sums per answer, instead of a matrix of ones."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.queries.base import Family, Items

MOST: Final = 1 << 22
"""Largest number of intervals of a family."""


class Intervals(Family):
    """The number of items in each interval a ... b of values: of all intervals, or of some drawn once.

    Parameters
    ----------
    domain
        Number of values.
    number
        Number of intervals; 0 for all domain (domain + 1) / 2 of them. They are drawn without replacement, and are the
        same for the same domain and number: queries are public.

    Raises
    ------
    ValueError
        If there are fewer intervals than `number`, or more than four million.
    """

    kind = "intervals"
    says: ClassVar[str] = "the items in each interval, or in some; |X| + |Q| by prefix sums"

    def __init__(self, domain: int, number: int = 0) -> None:
        super().__init__(domain)
        whole("number", number, 0)
        there = domain * (domain + 1) // 2
        if number > there or (number or there) > MOST:
            raise ValueError(
                f"number of intervals must be at most {min(there, MOST):,} for a domain of {domain:,} values;"
                f" got {number or there:,}"
            )
        if number:
            chosen = np.sort(np.random.default_rng((domain, number)).choice(there, number, replace=False))
        else:
            chosen = np.arange(there)
        # interval number i among those beginning at a: a (2 domain - a + 1) / 2 intervals begin before a
        before = np.arange(domain) * (2 * domain - np.arange(domain) + 1) // 2
        self.first = np.searchsorted(before, chosen, side="right") - 1
        self.last = self.first + chosen - before[self.first]

    @property
    def number(self) -> int:
        return len(self.first)

    def evaluate(self, counts: Floats) -> Floats:
        sums = np.concatenate(([0.0], np.cumsum(counts, dtype=np.float64)))
        answers: Floats = sums[self.last + 1] - sums[self.first]
        return answers

    def contain(self, queries: Items, items: Items) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = (self.first[queries] <= items) & (items <= self.last[queries])
        return inside

    @cached_property
    def l1(self) -> float:
        """Largest number of intervals that contain a value."""
        edges = np.bincount(self.first, minlength=self.domain + 1)
        edges -= np.bincount(self.last + 1, minlength=self.domain + 1)
        return float(np.cumsum(edges).max())
