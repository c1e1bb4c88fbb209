"""Sentences on a game: what the adversary saw and did, and who held which items at the first failure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import isfinite
from typing import Final

import numpy as np
import numpy.typing as npt

from disttrack.simulator.kinds.names import count
from disttrack.simulator.shown.replay.record import SKIP, Asked, Plan

NAMED: Final = 3
"""Sites that are named one by one."""


def moves_of(asked: Sequence[Asked], outputs: Sequence[tuple[int, float]] = ()) -> list[str]:
    """Return a sentence for each time that an adversary was asked; `outputs` as a record has them.

    >>> moves_of([Asked(0, 0, 0, 0, {"site": 7}, 4096), Asked(4096, 4096, 4096, 1, {"site": 8}, 10)])
    ['The game begins; feeds site 7.', 'Output moved to 4,096; leaves site 7, feeds site 8.']
    """
    sentences = []
    present: Plan | None = None
    changes = 0
    moved = [0, *(step for step, _ in outputs)]
    for turn in asked:
        if not turn.step:
            saw = "The game begins"
        elif turn.changes != changes:
            saw = f"Output moved to {amount(turn.output)}"
        else:
            still = turn.step - moved[bisect_right(moved, turn.step) - 1]
            saw = f"Output unmoved for {count(still, 'step')}"
        changes = turn.changes
        sentences.append(f"{saw}; {_did(present, turn)}.")
        present = turn.plan if turn.plan is not None else present
    return sentences


def _did(present: Plan | None, turn: Asked) -> str:
    """Return what the adversary does next, its plan so far being `present`."""
    if turn.plan is None:
        return "sends nothing new"
    left, site = (present or {}).get("site"), turn.plan.get("site")
    if left is not None and left == site:
        return f"stays on site {site}"
    return (f"leaves site {left}, " if left is not None else "") + _feeds(turn.plan, turn.taken)


def _feeds(plan: Plan, taken: int) -> str:
    match plan:
        case {"site": site}:
            return f"feeds site {site}"
        case {"rotation": [of, _]}:
            return f"feeds {count(of, 'site')} in turn"
        case {"runs": [fed, _]}:
            sites = list(dict.fromkeys(site for site in fed if site != SKIP))
            some = ", ".join(f"{site}" for site in sites[:NAMED]) + (", …" if len(sites) > NAMED else "")
            skips = " and skips" if SKIP in fed else ""
            return f"feeds {count(len(sites), 'site')}{skips} for {count(taken, 'step')} (first {some})"
    return f"skips {count(taken, 'step')}"


def amount(value: float) -> str:
    """Return a number of items for readers.

    >>> amount(4096), amount(1234.5678), amount(float("nan"))
    ('4,096', '1,234.57', 'no number')
    """
    if value != value:
        return "no number"
    if not isfinite(value):
        return "infinity" if value > 0 else "minus infinity"
    return f"{int(value):,}" if value == int(value) else f"{value:,.2f}"


def failure(step: int, items: int, output: float, alpha: float, held: npt.NDArray[np.int64]) -> str:
    """Return a sentence on the first failing step.

    Parameters
    ----------
    step, items, output
        The step, the truth and the output at its end.
    held
        Of each site, the items that it has received since its last message.
    """
    side = "below 1 − α" if output < items else "above 1 + α"
    total, holding = int(held.sum()), np.argsort(-held, kind="stable")[: np.count_nonzero(held)]
    named = [f"site {site}: {held[site]:,}" for site in holding[:NAMED]]
    if rest := len(holding) - len(named):
        named.append(f"{rest:,} more: {held[holding[NAMED:]].sum():,}")
    text = f"First failure, step {step:,}: output {amount(output)}, truth {items:,} ({side}, α = {alpha:g})."
    text += f" Unreported: {total:,}" + f" ({', '.join(named)})" * bool(named) + "."
    if isfinite(output):
        text += f" Output − reported: {amount(round(output - (items - total), 2))}."
    return text


def named(item: int | str) -> str:
    """Return an item for readers: a text in quotes, so that 7 and '7' differ."""
    return repr(item) if isinstance(item, str) else f"{item:,}"


def failure_of_item(step: int, item: int | str, copies: int, items: int, estimate: int, alpha: float) -> str:
    """Return a sentence on the first failing step of an item, with its copies among all items.

    >>> failure_of_item(40, 7, 3, 40, 9, 0.1)
    'First failure, step 40, item 7: estimate 9, copies 3; off by 6, above 0.1 of 40 items.'
    """
    return (
        f"First failure, step {step:,}, item {named(item)}: estimate {estimate:,}, copies {copies:,}; "
        f"off by {abs(estimate - copies):,}, above {alpha:g} of {count(items, 'item')}."
    )
