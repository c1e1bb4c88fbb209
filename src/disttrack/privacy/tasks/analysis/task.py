"""The tasks `statistical-queries`, answers to an analyst that reacts; `sample-size`; and `worst-of-many`.

The first compares the answers with the distribution; the other two compute in place of playing.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import exp, isfinite, sqrt
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.mechanisms.shortcuts import changed_since
from disttrack.privacy.adversaries.analysts import Analyst, AnalystView, FixedQueries
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
from disttrack.privacy.mechanisms.statistical.noisy import (
    Empirical,
    GaussianAnswers,
    NoisyArgmax,
    Splitting,
    noisy_argmax,
    overfitting_gap,
)
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.answers import RMS, Answer, held
from disttrack.simulator.game.tasks.base import Columns, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import Duel, MechanismGame, Rngs, Sizes, known, played
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


ROLES = ("answers",)
"""Random streams: the answers, with points and noise together."""
ANSWERS: Final = 4096
"""Number of simulated answers; all answers have the same distribution, so these represent all of them."""
SHARE: Final = 0.95
"""Share of the answers that must be within alpha."""
_STEPS: Final = 24
"""Halvings of the search, which make it exact to one part in a million."""
_MOST: Final = 1 << 52


def needed(mechanism: QueryMechanism, queries: int, seed: int) -> int | None:
    """Return the least sample for which 95 % of the answers to queries fixed in advance are within alpha.

    The same random numbers are used for all sizes tried. None if no size suffices.

    Examples
    --------
    >>> from disttrack.privacy.mechanisms.statistical.noisy import Splitting
    >>> 0.9 < needed(Splitting(alpha=0.1), 10_000, 1) / (10_000 * (1.96 / 0.2) ** 2) < 1.1
    True
    """

    def enough(samples: int) -> bool:
        errors = mechanism.coin_errors(samples, queries, ANSWERS, streams(seed, ROLES)["answers"])
        return bool(np.mean(np.abs(errors) <= mechanism.alpha) >= SHARE)

    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    for _ in range(_STEPS):
        middle = max(low + 1, round(sqrt(low * high))) if low else high
        if middle >= high:
            break
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


class SampleSize(MechanismGame[QueryMechanism, Adversary]):
    """The size of a sample for which 95 % of a mechanism's answers are within alpha of the distribution.

    `samples_needed` is computed by bisection over games with queries fixed in advance, whose answers are drawn from
    their exact distribution. The cost of adaptivity is part of the mechanism: the noise of private mechanisms is
    calibrated to all queries together, and splitting takes fresh points for each. `per_root` is the size over
    sqrt(k) / alpha^2, `per_query` over k / alpha^2.
    """

    kind: ClassVar[str] = "sample-size"
    labels: ClassVar = {"samples_needed": "points needed"}
    axes: ClassVar = {"queries": "number of queries, k"}
    rules: ClassVar[int] = 2
    roles: ClassVar[Sequence[str]] = ROLES
    takes: ClassVar[tuple[type[object], ...]] = (QueryMechanism,)
    reason: ClassVar[str] = "a search over sizes"
    sizes: ClassVar[Sequence[Size]] = (QUERIES,)
    columns: ClassVar[Sequence[str]] = ("samples_needed", "per_root", "per_query")
    answers: ClassVar[Sequence[Answer]] = (
        Answer("samples needed", "points with which 95 % of the answers are within alpha", "samples_needed", rank=0),
        Answer("per root", "samples needed over sqrt(queries) / alpha^2", "per_root"),
        Answer("per query", "samples needed over queries / alpha^2", "per_query"),
    )
    idle: ClassVar[Sequence[str]] = ("adversary",)
    bases: ClassVar[Mapping[str, str]] = BASES

    def fits(self, mechanism: QueryMechanism, adversary: Adversary, sizes: Sizes) -> None:
        if type(mechanism).coin_errors is QueryMechanism.coin_errors:
            reason = f"{mechanism.kind} has no answers that can be drawn without a sample"
            raise PointError(("protocol", "kind"), reason)
        if not isinstance(adversary, FixedQueries):
            raise PointError(("adversary", "kind"), f"must be fixed-queries; got {adversary.kind}")

    def result(
        self, mechanism: QueryMechanism, adversary: Adversary, sizes: Sizes, *, seed: int, arrays: bool
    ) -> tuple[Row, Columns]:
        queries = sizes["queries"]
        size = needed(mechanism, queries, seed)
        row: Row = {"samples_needed": size, "verdict": "undecided" if size is None else "ok"}
        if size is not None:
            share = mechanism.alpha**2 * size
            row |= {"per_root": share / sqrt(queries), "per_query": share / queries}
        return row, {}

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=0.045)


EPSILON: Final = 0.05
"""Stability of the noisy argmax that makes the choice."""


class WorstOfMany(MechanismGame[QueryMechanism, Analyst]):
    """Algorithm B: of many repetitions of mechanism and analyst, choose one whose last query errs most on its sample.

    `chosen_gap` is that of the query chosen by the noisy argmax, `worst_gap` the largest of all. `stability_bound` is
    the bound of Claim B on the mean of the former: e^epsilon - 1 + T delta, with epsilon and delta of the mechanism and
    of the choice together; empty for a mechanism that is not stable.

    Step (1) takes the last query of each game as q_t; step (2) chooses among q_t and 1 - q_t by q(S_t) - q(D), a
    query of sensitivity 1 / n, with NoisyArgmax at epsilon 0.05. Points have as many features as there are queries,
    or lie in ten times as many cells as there are samples.
    """

    kind: ClassVar[str] = "worst-of-many"
    empty: ClassVar = (*MechanismGame.empty, "verdict")
    labels: ClassVar = {"worst_gap": "gap of the worst query", "chosen_gap": "gap of the chosen query"}
    rules: ClassVar[int] = 2
    roles: ClassVar[Sequence[str]] = ("samples", "mechanism", "adversary", "truth", "choice")
    takes: ClassVar[tuple[type[object], ...]] = (QueryMechanism,)
    reason: ClassVar[str] = "a repetition at a time"
    sizes: ClassVar[Sequence[Size]] = (
        Size("repetitions", "sites", "Samples on which the mechanism is run, T.", needed=True),
        SAMPLES,
        QUERIES,
    )
    columns: ClassVar[Sequence[str]] = ("samples", "chosen_gap", "worst_gap", "stability_bound")
    answers: ClassVar[Sequence[Answer]] = (
        Answer("chosen gap", "gap of the query that the noisy argmax chose, on average", "chosen_gap", "mean", rank=0),
        Answer("allowed", "bound of stability on the mean of that gap", "stability_bound", "mean", rank=0),
        Answer("worst gap", "largest gap of all queries", "worst_gap", "mean"),
    )
    bases: ClassVar[Mapping[str, str]] = BASES

    def fits(self, mechanism: QueryMechanism, adversary: Analyst, sizes: Sizes) -> None:
        check_sides(mechanism, adversary, sizes, _features(adversary, sizes))

    def result(
        self, mechanism: QueryMechanism, adversary: Analyst, sizes: Sizes, *, seed: int, arrays: bool
    ) -> tuple[Row, Columns]:
        repetitions, samples, queries = (sizes[key] for key in ("repetitions", "samples", "queries"))
        rngs = streams(seed, self.roles)
        features = _features(adversary, sizes)
        distribution = distribution_of(adversary, features)
        truth = Truth(distribution, rngs["truth"])
        given = {"samples": samples, "queries": queries, "features": features}
        gaps = []
        for _ in range(repetitions):
            data = distribution.draw(samples, rngs["samples"])
            begin = partial(conversation, mechanism, copy.deepcopy(adversary), data, truth, given, rngs)
            gap = played(begin, mechanism, adversary, (ValueError,)).referee.row()["gap"]
            gaps += [gap, -gap]
        chosen = noisy_argmax(np.array(gaps), NoisyArgmax(EPSILON).noise(samples), rngs["choice"])
        stable = mechanism.stability(samples, queries)
        bound = None if stable is None else exp(stable[0] + EPSILON) - 1 + repetitions * stable[1]
        # the bound is on the mean: a single game neither keeps nor breaks it
        row = {"chosen_gap": gaps[chosen], "worst_gap": max(gaps), "stability_bound": bound}
        return {**row, "verdict": "undecided"}, {}

    def demand(self, point: Point) -> Demand:
        sizes = self.sizes_of(point)
        queries, samples = sizes["queries"], sizes["samples"]
        seconds = sizes["repetitions"] * (1 + queries * (1 + samples / 2000)) / 9_400
        return Demand(seconds, memory=5e7 + 8.0 * (20 + queries) * samples)


def _features(analyst: Analyst, sizes: Sizes) -> int:
    """Return the features of a point, or the cells."""
    return int(sizes["queries"] if analyst.points == "coins" else 10 * sizes["samples"])
