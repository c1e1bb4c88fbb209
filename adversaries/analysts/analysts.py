"""Analysts of samples without any effect: every apparent one is an artefact of the sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.analysts.base import Analyst, AnalystView
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import Positive, at_least
from disttrack.mechanisms.statistical.queries import (
    DIGIT,
    FeatureMean,
    Floats,
    Members,
    Residual,
    Selection,
    Spelled,
    SpellOut,
    StatisticalQuery,
    Vote,
)


@dataclass
class FixedQueries(Analyst):
    """Asks for the mean of one feature after the other, independently of the answers.

    Source
    ------
    queries fixed in advance.
    """

    kind: ClassVar[str] = "fixed-queries"

    def move(self, view: AnalystView) -> StatisticalQuery:
        return FeatureMean(len(view.answers) % view.features)


@dataclass
class SignCorrelation(Scripted, Analyst):
    """Asks for the means of all features but one, and then for the vote of the features by the signs of these means.

    The true value is 1/2. On the sample it is Phi(sqrt(2 k / (pi n))) if the answers are exact.

    Source
    ------
    Dwork, Feldman, Hardt, Pitassi, Reingold, Roth 2015; lecture on generalization by stability.
    """

    kind: ClassVar[str] = "sign-correlation"

    def script(self, view: AnalystView) -> Iterator[StatisticalQuery]:
        for asked in range(max(1, view.queries - 1)):
            yield FeatureMean(asked % view.features)
        features = np.arange(min(len(view.answers), view.features))
        signs = np.sign(np.array([float(answer) for answer in view.answers[: len(features)]]) - 0.5)
        yield Vote(features, signs)


@dataclass
class LeaderboardClimber(Scripted, Analyst):
    """Adds features to a vote one by one, keeps each improvement of the answer, and finally asks for that vote.

    It models climbing a leaderboard by repeated submissions: every answer is on the same holdout.

    Source
    ------
    Blum, Hardt 2015, the boosting attack.
    """

    kind: ClassVar[str] = "leaderboard-climber"

    def script(self, view: AnalystView) -> Iterator[StatisticalQuery]:
        kept: list[int] = []
        signs: list[float] = []
        best = 0.5
        while view.left > 1 or not kept:
            tried = len(view.answers) % view.features
            sign = float(2 * view.rng.integers(0, 2) - 1)
            yield Vote((*kept, tried), np.array([*signs, sign]))
            if float(view.answers[-1]) > best:
                best = float(view.answers[-1])
                kept.append(tried)
                signs.append(sign)
        yield Vote(tuple(kept), np.array(signs))


@dataclass
class GradientAnalyst(Scripted, Analyst):
    """Fits a linear model by gradient steps, one query per coordinate, and finally asks for the model's vote.

    The true values of its queries have no closed form.

    Parameters
    ----------
    rate
        Length of a step.

    Source
    ------
    gradient descent by statistical queries (Feldman, Guzmán, Vempala 2017).
    """

    kind: ClassVar[str] = "gradient"

    rate: Positive = 1.0

    def script(self, view: AnalystView) -> Iterator[StatisticalQuery]:
        weights: Floats = np.zeros(view.features)
        for asked in range(view.queries - 1):
            yield Residual(asked % view.features, weights)
            if (asked + 1) % view.features == 0:
                gradient = 4 * np.array([float(answer) for answer in view.answers[-view.features :]]) - 2
                weights = weights + self.rate * gradient
        yield Vote(np.arange(view.features), weights)


@dataclass
class BestOfMany(Scripted, Analyst):
    """Asks which of many random votes has the largest mean: the selection of a best model before any report.

    Parameters
    ----------
    candidates
        Votes among which one is selected.

    Source
    ------
    selection among models; lecture on generalization by stability, Theorem 3.
    """

    kind: ClassVar[str] = "best-of-many"
    selects: ClassVar[bool] = True

    candidates: Annotated[int, at_least(2)] = 100

    def script(self, view: AnalystView) -> Iterator[Selection]:
        features = np.arange(view.features)
        signs = 2.0 * view.rng.integers(0, 2, (self.candidates, view.features)) - 1
        yield Selection([Vote(features, row) for row in signs])


@dataclass
class Speller(Scripted, Analyst):
    """Asks one query whose exact mean encodes the cells of all points, and then the share of points in the cells read.

    Points are uniform among many more cells than there are points, so the true value of the second query is small. On
    the sample it is 1 if the first answer was exact, and far from it if noise has covered all but its first
    digits.

    Source
    ------
    Dwork, Feldman, Hardt, Pitassi, Reingold, Roth 2015 (one exact answer can hold the sample); digits: derived.
    """

    kind: ClassVar[str] = "speller"
    points: ClassVar[Literal["coins", "cells"]] = "cells"

    def script(self, view: AnalystView) -> Iterator[StatisticalQuery]:
        yield SpellOut(view.features)
        yield Members(read(view.answers[0], view.samples, view.features) > 0)


def read(answer: Any, samples: int, cells: int) -> NDArray[np.int64]:
    """Return the number of points in each cell, from the digits of an answer.

    Examples
    --------
    >>> read(SpellOut(5).mean(np.array([4, 1, 1])), 3, 5).tolist()
    [0, 2, 0, 0, 1]
    """
    if isinstance(answer, Spelled):
        numerator = answer.numerator
    else:
        # a float has 53 binary digits; a value outside [0, 1) is no mean
        value = min(max(float(answer), 0.0), 1 - 2.0**-53)
        numerator = int(Fraction(value) * samples * 2**64)
        numerator = (numerator << DIGIT * cells) >> 64
    numerator = min(numerator, (1 << DIGIT * cells) - 1)
    return np.frombuffer(numerator.to_bytes(2 * cells, "big"), dtype=">u2").astype(np.int64)
