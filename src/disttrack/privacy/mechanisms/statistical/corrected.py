"""Answers from a guess, and from the data only where a sparse-vector test finds that the guess is wrong."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from disttrack.privacy.mechanisms.statistical.base import QueryRun
from disttrack.privacy.mechanisms.statistical.queries import Data, StatisticalQuery

Hide = Callable[[float, float], float]
"""Returns a number with noise of a multiple of the mechanism's scale, rounded to the grid of the noise before."""
ANSWER: Final = 1.0
THRESHOLD: Final = 2.0
TEST: Final = 4.0
"""Multiples for an answer from the data, a threshold, and each test of it."""


class CorrectedRun(QueryRun):
    """A guess answers every query on which the data agree with it up to a threshold. Subclasses define `guess`.

    With Laplace noise of scale sigma over n points, the tests up to one that fails and its answer take 1 / (sigma n)
    each of a pure privacy budget (Dwork, Roth 2014, section 3.6).

    Attributes
    ----------
    paid
        Answers from the data so far.
    """

    def __init__(self, data: Data, threshold: float, budget: int, hide: Hide) -> None:
        self._data, self._level, self._budget, self._hide = data, threshold, budget, hide
        self.paid = 0
        self._threshold = hide(threshold, THRESHOLD)

    @abstractmethod
    def guess(self, query: StatisticalQuery) -> float:
        """Return the answer without the data."""

    def measured(self, mean: float) -> float:
        """Return the answer for a mean over the data."""
        return self._hide(mean, ANSWER)

    def learn(self, query: StatisticalQuery, excess: float) -> None:
        """Use that an answer from the data exceeds its guess by `excess`; here, not at all."""

    def answer(self, query: StatisticalQuery) -> float:
        guess = self.guess(query)
        if self.paid == self._budget:
            return guess
        mean = float(query.mean(self._data))
        if abs(mean - guess) <= self._hide(self._threshold, TEST):
            return guess
        self.paid += 1
        self._threshold = self._hide(self._level, THRESHOLD)
        shown = self.measured(mean)
        self.learn(query, shown - guess)
        return shown
