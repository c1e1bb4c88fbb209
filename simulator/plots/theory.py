"""What the protocol of a point says of itself: the bound on its messages."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.points.registry import make
from disttrack.simulator.results.folder import class_of


def cost_bound(point: Mapping[str, Any], items: int, own: Mapping[str, Any]) -> float | None:
    """Return the messages that a game is expected to need at most, None if no bound is known.

    Parameters
    ----------
    point
        The point of a scenario as its manifest has it: protocol, with all parameters, sites and start.
    items
        Number of items really sent.
    own
        The users' classes that the result was made with.
    """
    arguments = dict(point.get("protocol") or {})
    kind = arguments.pop("kind", None)
    try:
        protocol = make("protocol", class_of("protocol", str(kind), own), arguments)
        bound = protocol.cost_bound(int(point["sites"]), items, int(point.get("start") or 0))
    except (ScenarioError, KeyError, TypeError, ValueError, ArithmeticError):
        return None  # a user's class that was not given, or one without a bound: no line
    return float(bound) if isfinite(bound) and bound > 0 else None
