"""One game of adaptive data analysis: a sample, a mechanism that answers from it, and an analyst that asks queries."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np

from disttrack.adversaries.analysts import Analyst, AnalystView
from disttrack.mechanisms.statistical import QueryMechanism, QueryRun
from disttrack.mechanisms.statistical.queries import Cells, Coins, Data, Distribution, Selection, StatisticalQuery
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.streams import streams
from disttrack.simulator.tasks.continual.clocked_points import known

ROLES = ("sample", "mechanism", "adversary", "truth")
"""Random streams: the points, the mechanism's noise, the analyst's moves, and the fresh sample for the truth."""
FRESH: Final = 100_000
"""Points of the fresh sample for queries without a closed form: their true values are then known within 0.005 with
probability 1 - 4e-2 per thousand queries, standard deviation 0.0016 at most."""


@dataclass(frozen=True)
class Asked:
    """A query with its answer.

    Attributes
    ----------
    answer
        The mechanism's answer; None if it only selected the query.
    sample, truth
        The query's mean over the sample and over the distribution.
    """

    answer: float | None
    sample: float
    truth: float


@dataclass(frozen=True)
class AnalysisGame:
    """One game of adaptive data analysis."""

    asked: tuple[Asked, ...]
    last: StatisticalQuery
    seconds: float = 0.0

    @property
    def max_abs_error(self) -> float:
        """Largest distance of an answer from the distribution; for a selected query, of its mean over the sample."""
        return max(abs((one.sample if one.answer is None else one.answer) - one.truth) for one in self.asked)

    @property
    def rms_error(self) -> float:
        """Root of the mean squared distance of the answers from the distribution."""
        errors = [(one.sample if one.answer is None else one.answer) - one.truth for one in self.asked]
        return sqrt(sum(error**2 for error in errors) / len(errors))

    @property
    def empirical_error(self) -> float:
        """Largest distance of an answer from the mean over the sample; 0 if queries were only selected."""
        return max((abs(one.answer - one.sample) for one in self.asked if one.answer is not None), default=0.0)

    @property
    def gap(self) -> float:
        """Excess of the last query's mean over the sample above its true value."""
        return self.asked[-1].sample - self.asked[-1].truth

    @property
    def final_error(self) -> float:
        """Excess of the last answer above the true value."""
        last = self.asked[-1]
        return (last.sample if last.answer is None else last.answer) - last.truth


def distribution_of(analyst: Analyst, features: int) -> Distribution:
    """Return the distribution of the points for an analyst's queries."""
    return Cells(features) if analyst.points == "cells" else Coins(features)


def play_analysis(
    mechanism: QueryMechanism, analyst: Analyst, *, samples: int, queries: int, features: int, seed: int = 0
) -> AnalysisGame:
    """Play one game and return its outcome.

    Parameters
    ----------
    mechanism
        Answers the queries.
    analyst
        Asks the queries. It is copied.
    samples
        Points of the sample.
    queries
        Maximum number of queries.
    features
        Features of a point, or cells.
    seed
        Root of all random streams of the game.

    Examples
    --------
    >>> from disttrack.adversaries.analysts import SignCorrelation
    >>> from disttrack.mechanisms.statistical import Empirical
    >>> game = play_analysis(Empirical(), SignCorrelation(), samples=500, queries=501, features=500)
    >>> len(game.asked), game.gap > 0.2
    (501, True)
    """
    begun = time.perf_counter()
    rngs = streams(seed, ROLES)
    distribution = distribution_of(analyst, features)
    data = distribution.draw(samples, rngs["sample"])
    view = AnalystView(
        queries=queries, features=features, samples=samples, rng=rngs["adversary"], known=known(mechanism)
    )
    truth = Truth(distribution, rngs["truth"])
    try:
        run = mechanism.start(data, queries, rngs["mechanism"])
        asked, last = converse(run, copy.deepcopy(analyst), view, data, truth)
    except ValueError as error:
        raise MoveError(f"{mechanism.kind} against {analyst.kind}: {error}") from error
    return AnalysisGame(tuple(asked), last, time.perf_counter() - begun)


class Truth:
    """True values of queries: in closed form, or from a fresh sample used for nothing else."""

    def __init__(self, distribution: Distribution, rng: np.random.Generator) -> None:
        self._distribution, self._rng = distribution, rng
        self._fresh: Data | None = None

    def of(self, query: StatisticalQuery) -> float:
        """Return the mean of a query over the distribution."""
        if query.true is not None:
            return float(query.true)
        if self._fresh is None:
            self._fresh = self._distribution.draw(FRESH, self._rng)
        return float(query.mean(self._fresh))


def converse(
    run: QueryRun, analyst: Analyst, view: AnalystView, data: Data, truth: Truth
) -> tuple[list[Asked], StatisticalQuery]:
    """Let an analyst ask all its queries; return them with their answers, and the last query."""
    asked: list[Asked] = []
    last: StatisticalQuery | None = None
    while view.left > 0:
        query = analyst.ask(view)
        if query is None:
            break
        answer: Any = None
        if isinstance(query, Selection):
            number = run.select(query.queries)
            view.answers.append(number)
            last = query.queries[number]
        else:
            answer = run.answer(query)
            view.answers.append(answer)
            last = query
        shown = None if answer is None else float(answer)
        asked.append(Asked(shown, float(last.mean(data)), truth.of(last)))
    if last is None:
        raise ValueError("the analyst asked nothing")
    return asked, last
