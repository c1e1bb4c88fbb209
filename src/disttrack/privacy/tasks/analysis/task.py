"""The task `statistical-queries`: answers to an analyst that reacts, compared with the distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite, sqrt
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.shortcuts import changed_since
from disttrack.privacy.adversaries.analysts import Analyst, AnalystView
from disttrack.privacy.mechanisms.statistical.base import (
    Cells,
    Coins,
    Data,
    Distribution,
    QueryMechanism,
    Selection,
    StatisticalQuery,
    halves,
)
from disttrack.privacy.mechanisms.statistical.corrected import SketchedAnswers
from disttrack.privacy.mechanisms.statistical.noisy import Empirical, GaussianAnswers, Splitting, overfitting_gap
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.tasks.answers import RMS, Answer, held
from disttrack.simulator.game.tasks.base import Demand, Row, Size
from disttrack.simulator.game.tasks.duel import Duel, Rngs, Sizes, known
from disttrack.simulator.game.tasks.loop import Referee, Sides, kept
from disttrack.simulator.kinds.point import Point, PointError

BETA: Final = 0.05
"""Probability that a mechanism exceeds its own bound in a game."""
FRESH: Final = 100_000
"""Points of the fresh sample for queries without a closed form: their true values are then known within 0.005 with
probability 1 - 4e-2 per thousand queries, standard deviation 0.0016 at most."""
QUERIES: Final = Size("queries", "items", "Queries at most.", needed=True)
SAMPLES: Final = Size("samples", "start", "Points of the sample.", needed=True)
FEATURES: Final = Size("features", "sites", "Features of a point, or cells; as many as queries if left out.")

BASES: Final[Mapping[str, str]] = {
    "protocol": "disttrack.privacy.mechanisms.statistical.base:QueryMechanism",
    "adversary": "disttrack.privacy.adversaries.analysts:Analyst",
}
"""The classes of the two sides of these games."""


def distribution_of(analyst: Analyst, features: int) -> Distribution:
    """Return the distribution of the points for an analyst's queries."""
    if analyst.points == "coins":
        return Coins(features)
    return Cells(features, 2 * (features // 4) if analyst.points == "half-cells" else None)


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


class SampleReferee(Referee[Sequence[StatisticalQuery | Selection], Sequence[object]]):
    """Compares answers with the query's means over the sample and over the distribution.

    A query that was only selected counts with its mean over the sample.

    Attributes
    ----------
    gap
        Excess of the last query's mean over the sample above its true value; None without queries.
    """

    block = 1  # a query may refer to numbers that its analyst changes later

    def __init__(self, mechanism: QueryMechanism, view: AnalystView, data: Data, truth: Truth) -> None:
        self._mechanism, self._view, self._data, self._truth = mechanism, view, data, truth
        self._errors: list[float] = []
        self._empirical = 0.0
        self.gap: float | None = None

    def judge(self, moves: Sequence[StatisticalQuery | Selection], answers: Sequence[Any]) -> None:
        """Take queries or selections, and their answers.

        Raises
        ------
        ValueError
            A query has no mean.
        """
        for move, answer in zip(moves, answers, strict=True):
            query = move.queries[answer] if isinstance(move, Selection) else move
            sample, truth = float(query.mean(self._data)), self._truth.of(query)
            if not isfinite(sample - truth):  # it would be within any error, or within none
                raise ValueError(f"a query of {type(query).__name__} has the mean {sample}, and {truth} in truth")
            shown = float(answer) if query is move else sample
            self._errors.append(shown - truth)
            self._empirical = max(self._empirical, abs(shown - sample))
            self.gap = sample - truth

    def row(self) -> Row:
        """Return the columns."""
        if not self._errors:
            raise MoveError("the analyst asked nothing")
        mechanism, samples, queries = self._mechanism, self._view.samples, self._view.queries
        largest = max(map(abs, self._errors))
        bound = mechanism.bound(samples, queries, BETA)
        return {
            "max_abs_error": largest,
            "rms_error": sqrt(sum(error**2 for error in self._errors) / len(self._errors)),
            "empirical_error": self._empirical,
            "gap": self.gap,
            "final_error": self._errors[-1],
            "predicted_gap": _predicted(mechanism, samples, queries),
            "bound": bound,
            "within_bound": None if bound is None else largest <= bound,
            "verdict": kept(largest <= mechanism.alpha),
        }


def _predicted(mechanism: QueryMechanism, samples: int, queries: int) -> float | None:
    """Return the theoretical gap of `sign-correlation`, for any analyst; None if there is no formula."""
    if changed_since(type(mechanism), "start"):
        return None
    if isinstance(mechanism, Empirical):
        return overfitting_gap(queries - 1, samples)
    if isinstance(mechanism, GaussianAnswers):
        return overfitting_gap(queries - 1, samples, mechanism.noise(samples, queries).std)
    return None


def conversation(
    mechanism: QueryMechanism, analyst: Analyst, data: Data, truth: Truth, sizes: Sizes, rngs: Rngs
) -> Sides:
    """Return the parts of a game on a sample."""
    training = halves(data)[0] if analyst.trains else None
    view = AnalystView(rng=rngs["adversary"], training=training, known=known(mechanism), **sizes)
    run = mechanism.start(data, view.queries, rngs["mechanism"])
    return Sides(run, analyst, SampleReferee(mechanism, view, data, truth), view, view.queries)


def check_sides(mechanism: QueryMechanism, analyst: Analyst, sizes: Sizes, features: int) -> None:
    """Raise PointError if the mechanism gives no answers and the analyst wants some, or is not for these points.

    Parameters
    ----------
    features
        Features of a point, or cells.
    """
    if not mechanism.answers and not analyst.selects:
        reason = f"{mechanism.kind} only selects among queries, and {analyst.kind} wants answers"
        raise PointError(("protocol", "kind"), reason)
    samples, queries = sizes["samples"], sizes["queries"]
    if samples < 2 and (analyst.trains or mechanism.trains):
        owner = analyst if analyst.trains else mechanism
        raise PointError(("start",), f"must be at least 2 for {owner.kind}, which trains on half; got {samples:,}")
    if analyst.points == "half-cells" and features < 4:  # fewer have no half of pairs
        raise PointError(("sites",), f"must be at least 4 for {analyst.kind}; got {features:,}")
    if isinstance(mechanism, Splitting) and samples < queries:
        raise PointError(("start",), f"must be at least the queries, {queries:,}, to be split; got {samples:,}")
    if isinstance(mechanism, SketchedAnswers):
        cells = None if analyst.points == "coins" else features
        if mechanism.cells != cells:
            asked = f"must be {cells:,}" if cells else "must be left out: points have no cells"
            raise PointError(("protocol", "cells"), f"{asked} in games of {analyst.kind}; got {mechanism.cells}")


class StatisticalQueries(Duel[QueryMechanism, Analyst]):
    """An analyst asks for means over a distribution, and a mechanism answers from a sample.

    Columns: `max_abs_error` and `rms_error` compare the answers with the distribution, `empirical_error` with the
    sample. `gap` is the excess of the last query's mean over the sample above its true value, and `final_error` that
    of the last answer; `predicted_gap` is the theoretical value of `gap` for the analyst `sign-correlation`.
    `bound` is the mechanism's bound on all errors with probability 0.95, and `within_bound` whether it holds.
    """

    kind: ClassVar[str] = "statistical-queries"
    labels: ClassVar = {"gap": "gap of the last query", "final_error": "error of the last answer"}
    axes: ClassVar = {
        "queries": "number of queries, k",
        "samples": "points in the sample, n",
        "selected": "number of features selected",
    }
    rules: ClassVar[int] = 3
    roles: ClassVar[Sequence[str]] = ("sample", "mechanism", "adversary", "truth")
    takes: ClassVar[tuple[type[object], ...]] = (QueryMechanism,)
    engines: ClassVar[Sequence[str]] = ("step",)
    reason: ClassVar[str] = "a query at a time"
    refusals: ClassVar[tuple[type[Exception], ...]] = (ValueError,)
    sizes: ClassVar[Sequence[Size]] = (FEATURES, SAMPLES, QUERIES)
    columns: ClassVar[Sequence[str]] = (
        "samples", "max_abs_error", "rms_error", "empirical_error", "gap", "final_error", "predicted_gap",
        "bound", "within_bound",
    )  # fmt: skip
    answers: ClassVar[Sequence[Answer]] = (
        held("games in which all answers were within alpha of the distribution"),
        Answer("largest error", "largest error of an answer against the distribution", "max_abs_error", rank=0),
        replace(RMS, says="root mean squared error over all answers", rank=3),
        Answer("bound", "the mechanism's bound on all errors with probability 0.95", "bound"),
        Answer("gap", "mean of the last query over the sample above its true value", "gap", "mean", rank=0),
        Answer("predicted gap", "theoretical value of that gap", "predicted_gap", "mean"),
        Answer("sample error", "largest error of an answer against the sample", "empirical_error", rank=2),
    )
    bases: ClassVar[Mapping[str, str]] = BASES

    def sized(self, sizes: Sizes) -> Sizes:
        return {**sizes, "features": sizes["features"] or sizes["queries"]}

    def fits(self, mechanism: QueryMechanism, adversary: Analyst, sizes: Sizes) -> None:
        check_sides(mechanism, adversary, sizes, sizes["features"])

    def begin(self, mechanism: QueryMechanism, adversary: Analyst, sizes: Sizes, rngs: Rngs) -> Sides:
        distribution = distribution_of(adversary, sizes["features"])
        data = distribution.draw(sizes["samples"], rngs["sample"])
        return conversation(mechanism, adversary, data, Truth(distribution, rngs["truth"]), sizes, rngs)

    def demand(self, point: Point) -> Demand:
        _, analyst = self.sides(point)
        sizes = self.sizes_of(point)
        features, samples = sizes["features"], sizes["samples"]
        entries = features + samples if analyst.points != "coins" else features * samples
        return Demand(seconds=0.003 + sizes["queries"] * (1 + samples / 6000) / 16_000, memory=5e7 + 8.0 * entries)
