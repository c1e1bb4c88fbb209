"""Claims and figures about an error that is not the one that is judged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from disttrack.simulator.experiments.claims.expressions import ExpressionError, columns_of
from disttrack.simulator.game.columns import MAX_LAG_ERROR, MAX_REL_ERROR

if TYPE_CHECKING:
    from disttrack.simulator.experiments.scenario.load import Scenario


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
            if any(MAX_REL_ERROR in columns_of(str(text)) for text in texts if text):
                yield f"{name}: {MAX_REL_ERROR} is 1 while the first item travels; take {MAX_LAG_ERROR}"
