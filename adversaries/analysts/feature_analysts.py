"""Analysts of points with fair features, where every apparent effect is an artefact of the sample."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from disttrack.adversaries.analysts.base import Analyst, AnalystView
from disttrack.mechanisms.checks import Positive, at_least
from disttrack.mechanisms.statistical.queries import FeatureMean, Floats, Residual, Selection, StatisticalQuery, Vote


@dataclass
class FixedQueries(Analyst):
    """Asks for the mean of one feature after the other, independently of the answers."""

    kind: ClassVar[str] = "fixed-queries"
    source: ClassVar[str] = "queries fixed in advance"

    def move(self, view: AnalystView) -> StatisticalQuery:
        return FeatureMean(len(view.answers) % view.features)


@dataclass
class SignCorrelation(Analyst):
    """Asks for the means of all features but one, and then for the vote of the features by the signs of these means.

    The true value is 1/2. On the sample it is Phi(sqrt(2 k / (pi n))) if the answers are exact.
    """

    kind: ClassVar[str] = "sign-correlation"
    source: ClassVar[str] = (
        "Dwork, Feldman, Hardt, Pitassi, Reingold, Roth 2015; lecture on generalization by stability"
    )

    def move(self, view: AnalystView) -> StatisticalQuery | None:
        asked = len(view.answers)
        if view.left > 1:
            return FeatureMean(asked % view.features)
        if not asked:
            return FeatureMean(0)
        features = np.arange(min(asked, view.features))
        signs = np.sign(np.array([float(answer) for answer in view.answers[: len(features)]]) - 0.5)
        return Vote(features, signs)


@dataclass
class LeaderboardClimber(Analyst):
    """Adds features to a vote one by one, keeps each improvement of the answer, and finally asks for that vote.

    It models climbing a leaderboard by repeated submissions: every answer is on the same holdout.
    """

    kind: ClassVar[str] = "leaderboard-climber"
    source: ClassVar[str] = "Blum, Hardt 2015, the boosting attack"

    _kept: list[int] = field(default_factory=list, init=False, repr=False)
    _signs: list[float] = field(default_factory=list, init=False, repr=False)
    _best: float = field(default=0.5, init=False, repr=False)
    _tried: int | None = field(default=None, init=False, repr=False)
    _sign: float = field(default=1.0, init=False, repr=False)

    def move(self, view: AnalystView) -> StatisticalQuery:
        if self._tried is not None and float(view.answers[-1]) > self._best:
            self._best = float(view.answers[-1])
            self._kept.append(self._tried)
            self._signs.append(self._sign)
        if view.left == 1 and self._kept:
            return Vote(tuple(self._kept), np.array(self._signs))
        self._tried = len(view.answers) % view.features
        self._sign = float(2 * view.rng.integers(0, 2) - 1)
        return Vote((*self._kept, self._tried), np.array([*self._signs, self._sign]))


@dataclass
class GradientAnalyst(Analyst):
    """Fits a linear model by gradient steps, one query per coordinate, and finally asks for the model's vote.

    The true values of its queries have no closed form.

    Parameters
    ----------
    rate
        Length of a step.
    """

    kind: ClassVar[str] = "gradient"
    source: ClassVar[str] = "gradient descent by statistical queries (Feldman, Guzmán, Vempala 2017)"

    rate: Positive = 1.0
    _weights: Floats | None = field(default=None, init=False, repr=False)

    def move(self, view: AnalystView) -> StatisticalQuery:
        asked, features = len(view.answers), view.features
        if self._weights is None:
            self._weights = np.zeros(features)
        if asked and asked % features == 0:
            gradient = 4 * np.array([float(answer) for answer in view.answers[-features:]]) - 2
            self._weights = self._weights + self.rate * gradient
        if view.left == 1:
            return Vote(np.arange(features), self._weights)
        return Residual(asked % features, self._weights)


@dataclass
class BestOfMany(Analyst):
    """Asks which of many random votes has the largest mean: the selection of a best model before any report.

    Parameters
    ----------
    candidates
        Votes among which one is selected.
    """

    kind: ClassVar[str] = "best-of-many"
    source: ClassVar[str] = "selection among models; lecture on generalization by stability, Theorem 3"
    selects: ClassVar[bool] = True

    candidates: Annotated[int, at_least(2)] = 100

    def move(self, view: AnalystView) -> Selection | None:
        if view.answers:
            return None
        features = np.arange(view.features)
        signs = 2.0 * view.rng.integers(0, 2, (self.candidates, view.features)) - 1
        return Selection([Vote(features, row) for row in signs])
