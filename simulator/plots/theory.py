"""What the protocol of a point says of itself: the bound on its messages."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from simulator.errors import ScenarioError
from simulator.points.registry import find, make


def cost_bound(point: Mapping[str, Any], items: int) -> float | None:
    """Return the messages that a game is expected to need at most, None if no bound is known.

    Parameters
    ----------
    point
        The point of a scenario as its manifest has it: protocol, with all parameters, sites and start.
    items
        Number of items really sent.
    """
    arguments = dict(point.get("protocol") or {})
    kind = arguments.pop("kind", None)
    try:
        protocol = make("protocol", find("protocol", str(kind)), arguments)
        bound = protocol.cost_bound(int(point["sites"]), items, int(point.get("start") or 0))
    except (ScenarioError, KeyError, TypeError, ValueError, ArithmeticError):
        return None  # a class of the user's own that is no longer there, or one without a bound: no line
    return float(bound) if isfinite(bound) and bound > 0 else None
