"""What happened, in sentences: what the adversary saw and did, and what stood where at the first failure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import isfinite
from typing import Any, Final

import numpy as np

from disttrack.simulator.replay.plans import SKIP, Plan
from disttrack.simulator.replay.record import Asked

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
    moved = [step for step, _ in outputs]
    for turn in asked:
        if not turn.step:
            saw = "The game begins"
        elif turn.changes != changes:
            saw = f"Output moved to {amount(turn.output)}"
        else:
            place = bisect_right(moved, turn.step)
            still = turn.step - (moved[place - 1] if place else 0)
            saw = f"Output has not moved for {still:,} step{'s' * (still != 1)}"
        changes = turn.changes
        sentences.append(f"{saw}; {_did(present, turn)}.")
        present = turn.plan if turn.plan is not None else present
    return sentences


def _did(present: Plan | None, turn: Asked) -> str:
    """Return what the adversary does next, its plan so far being `present`."""
    if turn.plan is None:
        return "goes on as before" if turn.step or present else "has nothing to send"
    match present, turn.plan:
        case {"site": left}, {"site": site} if left == site:
            return f"stays on site {site}"
        case {"site": left}, {"site": site}:
            return f"leaves site {left}, feeds site {site}"
        case {"site": left}, plan:
            return f"leaves site {left}, {_feeds(plan, turn.taken)}"
        case _, plan:
            return _feeds(plan, turn.taken)


def _feeds(plan: Plan | None, taken: int) -> str:
    match plan:
        case {"site": site}:
            return f"feeds site {site}"
        case {"rotation": [of, _]}:
            return f"feeds {of:,} sites in turn" if of > 1 else "feeds site 0"
        case {"runs": [fed, _]}:
            sites = list(dict.fromkeys(site for site in fed if site != SKIP))
            some = ", ".join(f"{site}" for site in sites[:NAMED]) + (", …" if len(sites) > NAMED else "")
            skips = " and skips" if SKIP in fed else ""
            return f"feeds {len(sites):,} sites{skips} for {taken:,} steps (first {some})"
        case _:
            return f"skips {taken:,} step{'s' * (taken != 1)}"


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


def failure(step: int, items: int, output: float, alpha: float, held: Any) -> str:
    """Return what stood where at the first failing step.

    Parameters
    ----------
    step, items, output
        The step, the truth and the output at its end.
    held
        Of each site, the items that it has received since its last message.
    """
    side = "below 1 − α" if output < items else "above 1 + α"
    if not isfinite(output):
        side = "no estimate"
    text = f"First failure, step {step:,}: the server shows {amount(output)}, the truth is {items:,}"
    text += f" ({side}, α = {alpha:g})." if isfinite(output) else f" ({side})."
    total = int(held.sum())
    most = [int(site) for site in np.argsort(-held, kind="stable")[:NAMED] if held[site]]
    named = ", ".join(f"site {site} holds {int(held[site]):,}" for site in most)
    rest = int(np.count_nonzero(held)) - len(most)
    more = f", {rest:,} more hold {total - int(held[most].sum()):,}" if rest else ""
    text += f" Items since the last message of their site, unreported: {total:,}"
    text += f" ({named}{more})." if named else "."
    if isfinite(output):
        text += f" The server allows for {amount(round(output - (items - total), 2))} unreported."
    return text
