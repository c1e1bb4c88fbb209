"""The reusable holdout: answers from the training half, and from the other half only if the two disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disttrack.mechanisms.checks import Positive, Whole
from disttrack.mechanisms.noise import Laplace
from disttrack.mechanisms.statistical.base import QueryMechanism, QueryRun
from disttrack.mechanisms.statistical.queries import Data, StatisticalQuery


@dataclass(frozen=True)
class ThresholdOut(QueryMechanism):
    """Thresholdout: the holdout is used only if a sparse-vector test finds that both halves of the sample differ.

    A query whose mean over the training half is within threshold + Lap(2 noise) + Lap(4 noise) of that over the holdout
    is answered with the former. Otherwise the answer is the holdout's mean with Lap(noise), and the threshold's
    noise is drawn anew. After `budget` such answers the holdout is used up, and the training half answers all queries.

    Parameters
    ----------
    threshold
        Difference from which the holdout answers.
    noise
        Scale of the noise.
    budget
        Number of answers from the holdout.
    alpha
        Error that counts as a failure.

    Source
    ------
    Dwork, Feldman, Hardt, Pitassi, Reingold, Roth 2015, Thresholdout.
    The reusable holdout, figure 1; recalled.
    """

    kind = "threshold-out"
    error = "threshold and some noise, for as many overfitted queries as the budget bears"

    threshold: Positive = 0.04
    noise: Positive = 0.005
    budget: Whole = 1000
    alpha: Positive = 0.1

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> ThresholdOutRun:
        return ThresholdOutRun(self, data, rng)


class ThresholdOutRun(QueryRun):
    """Running Thresholdout.

    Attributes
    ----------
    paid
        Answers from the holdout so far.
    """

    def __init__(self, rules: ThresholdOut, data: Data, rng: np.random.Generator) -> None:
        half = data.shape[-1] // 2
        if not half:
            raise ValueError(f"samples must be at least 2, to be halved; got {data.shape[-1]}")
        self._rules, self._rng = rules, rng
        self._train, self._holdout = data[..., :half], data[..., half:]
        self.paid = 0
        self._threshold = self._fresh()

    def _draw(self, scale: float) -> float:
        return float(Laplace(scale).draw(self._rng, 1)[0])

    def _fresh(self) -> float:
        return self._rules.threshold + self._draw(2 * self._rules.noise)

    def answer(self, query: StatisticalQuery) -> Any:
        train = float(query.mean(self._train))
        if self.paid == self._rules.budget:
            return train
        holdout = float(query.mean(self._holdout))
        if abs(holdout - train) <= self._threshold + self._draw(4 * self._rules.noise):
            return train
        self.paid += 1
        self._threshold = self._fresh()
        return holdout + self._draw(self._rules.noise)
