"""Make the adversary of a point, for all tasks with an adversary."""

from __future__ import annotations

from typing import Any

from disttrack.adversaries.views import POWERS
from disttrack.simulator.game.power import missing_power
from disttrack.simulator.points.point import Point, PointError


def adversary_of(point: Point) -> Any:
    """Return the adversary of a point.

    Raises
    ------
    PointError
        If it needs more power than `sees` of its entry grants.
    """
    granted = point.adversary.arguments.get("sees", POWERS[0])
    adversary = point.adversary.make(without=("sees",))
    try:
        needed = missing_power(adversary, granted)
    except ValueError as error:
        raise PointError(("adversary", "sees"), str(error).removeprefix("sees ")) from error
    if needed is not None:
        name = point.adversary.label
        raise PointError(("adversary",), f"{name} needs to see the {needed}; grant it with sees: {needed}")
    return adversary
