"""Views without a game behind them, and what an adversary plans on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from disttrack.adversaries import Adversary, Burst, View


def view(sites: int = 4, known: Any = None, items: int = 10**6, **facts: Any) -> View:
    """Return a view with these facts."""
    made = View(sites=sites, items=items, rng=np.random.default_rng(2), known=known)
    made.record(**facts)
    return made


def burst(adversary: Adversary, seen: View) -> tuple[int, int]:
    """Return the site and the length of the burst that is planned."""
    plan = adversary.plan(seen)
    assert isinstance(plan, Burst)
    return plan.site, plan.length


def after(seen: View, items: int, output: float | None = None) -> View:
    """Record more items; the output, if one is given, has changed with the last of them."""
    seen.record(sent=seen.sent + items)
    seen.record(steps=seen.steps + items)
    if output is not None:
        seen.record(output=output)
        seen.record(changes=seen.changes + 1)
    return seen
