"""The task `sample-size`: the number of points that a mechanism needs for a number of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import ClassVar, Final

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.privacy.adversaries.analysts import FixedQueries
from disttrack.privacy.mechanisms.statistical import QueryMechanism
from disttrack.privacy.tasks.analysis.task import BASES, QUERIES
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.answers import Answer
from disttrack.simulator.game.tasks.base import Columns, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import MechanismGame, Sizes
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
