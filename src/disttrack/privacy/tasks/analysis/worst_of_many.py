"""The tasks `sample-size` and `worst-of-many`, which compute in place of playing."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import partial
from math import exp, sqrt
from typing import ClassVar, Final

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.privacy.adversaries.analysts import Analyst, FixedQueries
from disttrack.privacy.mechanisms.statistical.base import QueryMechanism
from disttrack.privacy.mechanisms.statistical.noisy import NoisyArgmax, noisy_argmax
from disttrack.privacy.tasks.analysis.task import (
    BASES,
    QUERIES,
    SAMPLES,
    Truth,
    check_sides,
    conversation,
    distribution_of,
)
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.answers import Answer
from disttrack.simulator.game.tasks.base import Columns, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import MechanismGame, Sizes, played
from disttrack.simulator.kinds.point import Point, PointError

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
    >>> from disttrack.privacy.mechanisms.statistical import Splitting
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
