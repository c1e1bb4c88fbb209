"""The reusable holdout: answers from the training half, and from the other half only if the two disagree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import Flag, Positive, Whole
from disttrack.mechanisms.noise import Gaussian, Laplace
from disttrack.privacy.mechanisms.statistical.base import QueryMechanism, halves
from disttrack.privacy.mechanisms.statistical.corrected import THRESHOLD, CorrectedRun, Hide
from disttrack.privacy.mechanisms.statistical.queries import Data, StatisticalQuery


@dataclass(frozen=True)
class ThresholdOut(QueryMechanism):
    """Thresholdout: the holdout is used only if a sparse-vector test finds that both halves of the sample differ.

    A query whose mean over the training half is within threshold + Lap(2 noise) + Lap(4 noise) of that over the holdout
    is answered with the former. Otherwise the answer is the holdout's mean with Lap(noise), and the threshold's
    noise is drawn anew. After `budget` such answers the holdout is used up, and the training half answers all queries.

    The code of the published experiment has normal noise of standard deviation tau on the threshold, drawn anew for
    each query, and on the holdout's answers: `normal`.

    Parameters
    ----------
    threshold
        Difference from which the holdout answers.
    noise
        Scale of the noise; its standard deviation if it is normal.
    budget
        Number of answers from the holdout.
    normal
        Whether the noise is normal, as in the published experiment.
    alpha
        Error that counts as a failure.

    Source
    ------
    Dwork, Feldman, Hardt, Pitassi, Reingold, Roth 2015, Thresholdout.
    The reusable holdout: algorithm, and the supplementary code of its figures.
    """

    kind = "threshold-out"
    trains = True
    error = "threshold and some noise, for as many overfitted queries as the budget bears"
    arithmetic = "rounded"

    threshold: Positive = 0.04
    noise: Positive = 0.005
    budget: Whole = 1000
    normal: Flag = False
    alpha: Positive = 0.1

    def start(self, data: Data, queries: int, rng: np.random.Generator) -> ThresholdOutRun:
        def hide(value: float, factor: float) -> float:
            if not self.normal:
                return Laplace(factor * self.noise).hide(value, rng)
            return value if factor == THRESHOLD else Gaussian(self.noise).hide(value, rng)

        train, holdout = halves(data)
        return ThresholdOutRun(train, holdout, self.threshold, self.budget, hide)


class ThresholdOutRun(CorrectedRun):
    """Running Thresholdout: the training half guesses, the holdout corrects."""

    def __init__(self, train: Data, holdout: Data, threshold: float, budget: int, hide: Hide) -> None:
        super().__init__(holdout, threshold, budget, hide)
        self._train = train

    def guess(self, query: StatisticalQuery) -> float:
        return float(query.mean(self._train))
