"""Means and covariances of many numbers, given observed values and sums: the best linear estimate of each."""

from __future__ import annotations

from typing import Final

import numpy as np

from disttrack.attack.adversaries.beliefs.base import Reals

ROUNDING: Final = 1e-9
"""Share of a variance below which the remainder is rounding: the number is then known."""


class Moments:
    """The means and covariances of k numbers, independent at first.

    An observation moves each mean by its covariance with the observed value, over that value's variance: the best
    estimate that is linear in all observations so far, and the expected value wherever that is linear. The covariances
    are stored as diag(own) - ties · weights · ties^T. An observed single number changes only the small matrix of
    weights, and each observed sum adds a column to the ties, so that either costs O(k · columns) and not O(k^2).

    Parameters
    ----------
    means
        The means, changed in place. Initially all of the numbers are known.
    """

    def __init__(self, means: Reals) -> None:
        self.means = means
        self._own: Reals = np.zeros(len(means))
        self._ties: Reals = np.zeros((len(means), 0))
        self._weights: Reals = np.zeros((0, 0))

    @property
    def certain(self) -> bool:
        """Whether all of the numbers are known."""
        return not self._own.any()

    def variance(self, place: int) -> float:
        """Return the variance of one of the numbers; 0 if it is known."""
        ties = self._ties[place]
        left = float(self._own[place] - ties @ self._weights @ ties)
        return left if left > ROUNDING * float(self._own[place]) else 0.0

    def shift(self, by: Reals | float, variances: Reals) -> None:
        """Add to each number an independent one, with these means and variances."""
        self.means += by
        self._own += variances

    def mix(self, place: int, value: float, probability: float) -> None:
        """Replace one of the numbers by `value` with this probability, independently of all."""
        stays = 1 - probability
        variance = stays * self.variance(place) + probability * stays * (value - float(self.means[place])) ** 2
        self._ties[place] *= stays
        ties = self._ties[place]
        self._own[place] = variance + ties @ self._weights @ ties
        self.means[place] += probability * (value - self.means[place])

    def learn(self, place: int, value: float) -> None:
        """Condition on one of the numbers being `value`."""
        if self._own[place]:
            variance = self.variance(place)
            ties = self._weights @ self._ties[place]
            self._own[place] = 0.0
            self._ties[place] = 0.0
            if variance:
                self.means -= (value - self.means[place]) / variance * (self._ties @ ties)
                self._weights += np.outer(ties, ties) / variance
        self.means[place] = value

    def learn_all(self, values: Reals) -> None:
        """Condition on the values of all numbers."""
        self.means[:] = values
        self._own[:] = 0.0
        self._forget_ties()

    def learn_sum(self, total: float) -> None:
        """Condition on the sum of all numbers being `total`."""
        if self.certain:
            self._forget_ties()
            return
        with_sum = self._own - self._ties @ (self._weights @ self._ties.sum(axis=0))
        variance = float(with_sum.sum())
        if variance <= ROUNDING * float(self._own.sum()):
            return
        self.means += (total - float(self.means.sum())) / variance * with_sum
        self._ties = np.column_stack((self._ties, with_sum))
        self._weights = np.pad(self._weights, (0, 1))
        self._weights[-1, -1] = 1 / variance

    def _forget_ties(self) -> None:
        self._ties = self._ties[:, :0]
        self._weights = self._weights[:0, :0]
