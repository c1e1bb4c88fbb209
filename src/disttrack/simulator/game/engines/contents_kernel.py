"""The game of items as `ContentCompiled` plays it: plain functions on arrays, written to be compiled.

The arrays of the tracker are those of `protocols.contents.kernel`. Every item is played by itself, and judged at once.
"""

from __future__ import annotations

from typing import Any

from disttrack.protocols.contents.kernel import ESTIMATE, HAS, TRUTH, turn
from disttrack.protocols.kernel import (
    ASK,
    BEGUN,
    COIN,
    COINS,
    END,
    LAST,
    MESSAGES,
    OPEN,
    OVER,
    PLAN,
    REACTS,
    REFILL,
    ROW,
    SERVE,
    SITE,
    STEP,
    TOSSES,
)
from disttrack.simulator.game.contents.problem import lack_of, worsens

STEPS, TURNS = range(2)
"""What makes a plan go on."""
TAKE_ROW = OVER + 1
"""A turn ends with the step of a checkpoint."""
SHOWN = HAS + 1
"""Of an item: the estimate that was judged last."""
CHANGED, ALL_CHANGES, STEPS_CHANGED, CHANGED_AT, WORST_STEP, WORST_ITEM = range(6)
"""Of the problem: whether an answer has changed in the present step, the changes, the steps with one, the last of them,
and where the error was largest."""
HIGHEST, LOWEST = range(2)
"""The extreme errors."""


def play_items(
    whole: Any, real: Any, sites: Any, items: Any, cells: Any, seen: Any, extremes: Any, fed: Any, named: Any
) -> int:
    """Play until something is to be done that is not compiled; return what.

    Parameters
    ----------
    seen, extremes
        What the problem knows.
    fed, named
        The site and the item of each step of a lap, or after each change.
    """
    while True:
        step = whole[STEP]
        if whole[OPEN]:
            whole[OPEN] = 0
            judge(items, seen, extremes, step, whole[SITE])
            if seen[CHANGED]:
                seen[STEPS_CHANGED] += 1
                seen[CHANGED_AT] = step
        if step == whole[ROW]:
            return TAKE_ROW
        if step >= whole[LAST]:
            return OVER
        if step >= whole[END] or (seen[CHANGED] and whole[REACTS]):
            return ASK
        if whole[COIN] + whole[TOSSES] > whole[COINS]:
            return REFILL
        place = (seen[STEPS_CHANGED] if whole[PLAN] == TURNS else step - whole[BEGUN]) % len(fed)
        item = named[place]
        whole[STEP], whole[SITE], whole[OPEN], seen[CHANGED] = step + 1, item, 1, 0
        items[item, TRUTH] += 1
        sent, due = turn(whole, real, sites, items, cells, fed[place], item)
        whole[MESSAGES] += sent
        if due:
            return SERVE


def judge(items: Any, seen: Any, extremes: Any, step: Any, item: Any) -> Any:
    """Judge the present step, as `Frequency` does, in which this item came."""
    estimate, truth = items[item, ESTIMATE], items[item, TRUTH]
    error = -lack_of(estimate, truth, step)
    if estimate != items[item, SHOWN]:
        items[item, SHOWN] = estimate
        seen[CHANGED] = 1
        seen[ALL_CHANGES] += 1
    if worsens(error, step, max(extremes[HIGHEST], -extremes[LOWEST]), seen[WORST_STEP]):
        seen[WORST_STEP], seen[WORST_ITEM] = step, item
    extremes[HIGHEST], extremes[LOWEST] = max(extremes[HIGHEST], error), min(extremes[LOWEST], error)
