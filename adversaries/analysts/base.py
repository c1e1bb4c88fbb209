"""Analysts: who chooses statistical queries, one after the other, and sees the answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from disttrack.mechanisms.statistical.queries import Selection, StatisticalQuery


class AnalystView:
    """All that an analyst may know.

    Attributes
    ----------
    queries
        Queries that this game has at most.
    features
        Features of a point, or cells.
    samples
        Points of the sample.
    answers
        The answers so far; to a selection, which of the queries it was.
    known
        The mechanism's kind and parameters.
    rng
        The analyst's own random generator.
    """

    __slots__ = ("answers", "features", "known", "queries", "rng", "samples")

    def __init__(
        self,
        *,
        queries: int,
        features: int,
        samples: int,
        rng: np.random.Generator,
        known: Mapping[str, Any] | None = None,
    ) -> None:
        self.queries, self.features, self.samples = queries, features, samples
        self.answers: list[Any] = []
        self.known: Mapping[str, Any] = known or {}
        self.rng = rng

    @property
    def left(self) -> int:
        """Queries that are still to come."""
        return self.queries - len(self.answers)


class Analyst(ABC):
    """Chooses the next query, again and again. Subclasses define `ask`; parameters are the fields of a dataclass.

    Each game plays a copy, so what a game leaves behind in fields (``field(init=False)``) is gone at the next. The last
    query of a game is the one whose gap is measured: what the analyst has come to believe.
    """

    kind: ClassVar[str] = ""
    source: ClassVar[str] = ""
    points: ClassVar[Literal["coins", "cells"]] = "coins"
    """What the points are: independent fair features, or cells."""
    selects: ClassVar[bool] = False
    """Whether it asks for selections only, which mechanisms that answer nothing can play too."""

    @abstractmethod
    def ask(self, view: AnalystView) -> StatisticalQuery | Selection | None:
        """Return the next query; None if there is nothing more to ask."""
