"""Analysts, of samples without any effect: every apparent one is an artefact of the sample."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Annotated, Any, ClassVar, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import Facts, Known, Opponent
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import Positive, Whole, at_least
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.statistical.base import (
    DIGIT,
    Data,
    FeatureMean,
    Members,
    Residual,
    Selection,
    Spelled,
    SpellOut,
    StatisticalQuery,
    Vote,
)


class Answers(list[Any]):
    """The answers so far: a list that only the game lengthens."""

    def add(self, answer: object) -> None:
        """Add an answer; for the game only."""
        super().append(answer)

    def __reduce__(self) -> tuple[Any, ...]:
        return Answers, (list(self),)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("view.answers is read only; list(view.answers) is a copy that can be changed")

    append = extend = insert = pop = remove = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse


class AnalystView(Facts):
    """The information that an analyst has.

    Attributes
    ----------
    queries
        Maximum number of queries of this game.
    features
        Features of a point, or cells.
    samples
        Points of the sample.
    answers
        The answers so far; for a selection, the index of the query selected.
    training
        The first half of the sample, for analysts with a training set; None for others.
    known
        The mechanism's kind and parameters.
    rng
        The analyst's own random generator.
    """

    _shown = ("answers", "features", "known", "queries", "rng", "samples", "training")
    __slots__ = tuple(f"_{name}" for name in _shown)

    answers: Answers
    features: int
    known: Mapping[str, Any]
    queries: int
    rng: np.random.Generator
    samples: int
    training: Data | None

    def __init__(
        self,
        *,
        queries: int,
        features: int,
        samples: int,
        rng: np.random.Generator,
        training: Data | None = None,
        known: Mapping[str, object] | None = None,
    ) -> None:
        self.record(queries=queries, features=features, samples=samples, training=training)
        self.record(answers=Answers(), known=Known(known or {}), rng=rng)

    @property
    def left(self) -> int:
        """Queries left."""
        return self.queries - len(self.answers)

    @property
    def steps(self) -> int:
        """Queries so far."""
        return len(self.answers)

    def observe(self, answer: object) -> None:
        """Record an answer; for the game only."""
        self.answers.add(answer)


class Analyst(Opponent, ABC):
    """Chooses the queries. Subclasses define `move`.

    The gap is measured for the last query of a game, which expresses the analyst's conclusion.
    """

    plays: ClassVar[tuple[str, ...]] = ("statistical-queries", "sample-size", "worst-of-many")
    points: ClassVar[Literal["coins", "cells", "half-cells"]] = "coins"
    """Kind of points: independent fair features, cells, or cells of which only the first half have points."""
    selects: ClassVar[bool] = False
    """Whether it asks for selections only, so that mechanisms that answer nothing can play too."""

    trains: ClassVar[bool] = False
    """Whether it sees the first half of the sample, its training set."""

    @abstractmethod
    def move(self, view: AnalystView) -> StatisticalQuery | Selection | None:
        """Return the next query; None to end the game."""


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
    points: ClassVar[Literal["coins", "cells", "half-cells"]] = "cells"

    def script(self, view: AnalystView) -> Iterator[StatisticalQuery]:
        yield SpellOut(view.features)
        yield Members(read(view.answers[0], view.samples, view.features) > 0)


@dataclass
class RandomSets(Scripted, Analyst):
    """Asks for the shares of random sets of cells, coarse and fine in turn, and finally for one made of the answers.

    Only the first half of the cells have points, so the density is 2 with respect to all cells. A coarse set is a
    random half of 2, 4, 8 ... blocks of cells: its share is far from that of all cells, and has to be learned. A fine
    set has one cell of each pair at random. Its true share is 1/2 and every excess an artefact of the sample; the last
    set has the cell of each pair that such excesses favour.

    Source
    ------
    sign-correlation, on cells; coarse sets: derived.
    """

    kind: ClassVar[str] = "random-sets"
    points: ClassVar[Literal["coins", "cells", "half-cells"]] = "half-cells"

    def script(self, view: AnalystView) -> Iterator[StatisticalQuery]:
        pairs = view.features // 2
        filled, scales = 2 * (pairs // 2), max(1, pairs.bit_length() - 2)
        favour: Floats = np.zeros(pairs)
        for asked in range(view.queries - 1):
            fine = asked % 2 == 1
            first = view.rng.integers(0, 2, pairs) == 1
            if not fine:
                first = first[np.arange(pairs) >> int(view.rng.integers(0, scales))]
            yield Members(_cells(first, first != fine, view.features), filled)
            if fine:
                favour += (float(view.answers[-1]) - 0.5) * (2.0 * first - 1)
        yield Members(_cells(favour > 0, favour <= 0, view.features), filled)


def _cells(first: NDArray[np.bool_], second: NDArray[np.bool_], cells: int) -> NDArray[np.bool_]:
    """Return the set with these first and second cells of the pairs, and without a cell that is in no pair."""
    inside = np.zeros(cells, dtype=bool)
    inside[: 2 * len(first)] = np.column_stack([first, second]).ravel()
    return inside


@dataclass
class VariableSelection(Scripted, Analyst):
    """Selects features by their means on a training set and on the answers, and asks for the vote of their signs.

    The mean of a feature of -1 and +1 is its correlation with the label, which is folded into the features. A feature
    is eligible if both means have the same sign and exceed 1 / sqrt(n), n points of the training set. Of these, the
    `selected` with the largest means on the training set vote; all of them if they are fewer. The true value of the
    vote is 1/2. From a plain holdout it is about Phi(1.53 sqrt(s / n)) for s features that are all eligible.

    Parameters
    ----------
    selected
        Features that vote, k.

    Source
    ------
    Dwork, Feldman, Hardt, Pitassi, Reingold, Roth 2015, the reusable holdout, figure 1 and its supplementary code.
    """

    kind: ClassVar[str] = "variable-selection"
    trains: ClassVar[bool] = True

    selected: Whole = 500

    def script(self, view: AnalystView) -> Iterator[StatisticalQuery]:
        assert view.training is not None
        features = min(view.features, max(1, view.queries - 1))
        for feature in range(features):
            yield FeatureMean(feature)
        train = view.training[:features].mean(axis=1)
        held = 2 * np.array([float(answer) for answer in view.answers[:features]]) - 1
        agreement = np.minimum(np.abs(train), np.abs(held)) * np.sign(train * held)
        eligible = np.flatnonzero(agreement > 1 / sqrt(view.training.shape[1]))
        strongest = eligible[np.argsort(-np.abs(train[eligible]), kind="stable")[: self.selected]]
        yield Vote(strongest, np.sign(train[strongest]))


def read(answer: Spelled | float, samples: int, cells: int) -> NDArray[np.int64]:
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
