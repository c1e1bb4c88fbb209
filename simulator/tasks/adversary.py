"""Make the adversary of a point, for all tasks with an adversary."""

from __future__ import annotations

from typing import Any

from disttrack.adversaries.views import POWERS
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.power import check_task, missing_power
from disttrack.simulator.points.point import Point, PointError
from disttrack.simulator.points.registry import kinds


def made_for_task(point: Point) -> Any:
    """Return the adversary of a point, whatever it may see; PointError if it is made for other tasks."""
    adversary = point.adversary.make(without=("sees",))
    if getattr(kinds("task").get(point.task.kind), "origin", "") == "built in":
        try:
            check_task(adversary, point.task.label, point.adversary.label)
        except ScenarioError as error:
            raise PointError(("adversary", "kind"), str(error)) from error
    return adversary


def adversary_of(point: Point) -> Any:
    """Return the adversary of a point.

    Raises
    ------
    PointError
        If it is made for other tasks, or needs more power than `sees` of its entry grants.
    """
    granted = point.adversary.arguments.get("sees", POWERS[0])
    adversary = made_for_task(point)
    try:
        needed = missing_power(adversary, granted)
    except ValueError as error:
        raise PointError(("adversary", "sees"), str(error).removeprefix("sees ")) from error
    if needed is not None:
        name = point.adversary.label
        raise PointError(("adversary",), f"{name} needs to see the {needed}; grant it with sees: {needed}")
    return adversary
