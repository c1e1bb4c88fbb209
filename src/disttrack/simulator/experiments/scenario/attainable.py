"""Claims that no outcome of their games can meet, and what is measured although it is not what is judged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import ceil, inf
from typing import TYPE_CHECKING, Final

import numpy as np

from disttrack.simulator.experiments.claims.claim import Claim
from disttrack.simulator.experiments.claims.expressions import (
    Columns,
    ExpressionError,
    column_of,
    columns_of,
    outermost,
)
from disttrack.simulator.experiments.claims.findings import groups
from disttrack.simulator.kinds.names import count, titled

if TYPE_CHECKING:
    from disttrack.simulator.experiments.scenario.load import Scenario

PLAIN: Final = "max_rel_error"
LAG_AWARE: Final = "max_lag_error"
MOST: Final = 10**5
"""Numbers of games that are tried."""


def out_of_reach(scenario: Scenario) -> Iterator[str]:
    """Yield a line for each claim that no outcome of its games can meet, with the next number of games that can."""
    rows = [{"point": point.number, **point.known()} for point in scenario.points]
    known = {name: column_of([row[name] for row in rows]) for name in rows[0]}
    known |= {name: column_of(values) for name, values in scenario.extra.items()}
    trials = np.array([trials for _, trials in scenario.played])
    for number, claim in enumerate(scenario.head.claims):
        if number in scenario.without_games or outermost(claim.measure) != "fraction" or "where=" in claim.measure:
            continue
        with suppress(ExpressionError):
            for group, games in _games(claim, known, trials):
                if (least := next_number(*claim.accepts, games)) != games:
                    name = titled(claim.name, group)
                    can = f"{least:,} can" if least < inf else "nor of more"
                    yield f"claim {name!r}: no outcome of {count(games, 'game')} meets {claim.bound}; {can}"


def unjudged(scenario: Scenario) -> Iterator[str]:
    """Yield a line for each claim or figure about the plain error of games on a network, which are judged by another.

    Their plain error is 1 while the first item is on its way, whatever the tracker.
    """
    if not any((point.network or {}).get("latency") for point in scenario.points):
        return
    asked = [(f"claim {one.name!r}", [one.measure, one.margin]) for one in scenario.head.claims]
    asked += [(f"plot {one.get('kind')!r}", [one.get("y")]) for one in scenario.head.plots if isinstance(one, dict)]
    for name, texts in asked:
        with suppress(ExpressionError):
            if any(PLAIN in columns_of(str(text)) for text in texts if text):
                yield f"{name}: {PLAIN} is 1 while the first item travels; take {LAG_AWARE}"


def _games(claim: Claim, known: Columns, trials: np.ndarray) -> Iterator[tuple[str, int]]:
    """Yield the groups of a claim and their numbers of games; nothing where only the games decide who is in them."""
    if columns_of(claim.where or "True") | {*claim.columns} <= {*known}:
        for group, points in groups(claim, {**known, "trials ": trials}):
            yield group, int(points["trials "].sum())


def next_number(low: float, high: float, games: int) -> float:
    """Return the least number of games, at least `games`, of which a share from `low` to `high` is possible.

    Examples
    --------
    >>> next_number(0.95, 1, 7), next_number(0.5, 0.5, 7), next_number(0.94, 0.96, 5), next_number(1.5, 2, 5)
    (7, 8, 17, inf)
    """
    for number in range(games, games + MOST) if games and low <= 1 and high >= 0 else ():
        hits = min(max(0, ceil(low * number - 1e-9)), number) if low > -inf else 0
        if low <= hits / number <= high:
            return number
    return inf
