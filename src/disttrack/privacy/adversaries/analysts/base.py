"""Base class of analysts, which choose statistical queries one after the other and see the answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np

from disttrack.adversaries.base import Facts, Known, Opponent
from disttrack.privacy.mechanisms.statistical.queries import Data, Selection, StatisticalQuery


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
