"""A point of a scenario, made of one combination of its values and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from disttrack.simulator.points.point import Part, Point, PointError, part
from disttrack.simulator.scenario.model import first_fault, point_model
from disttrack.simulator.tasks.asked import check_point
from disttrack.simulator.tasks.base import Task


def point_of(
    values: Mapping[str, Any], number: int, played: Part, game: Task, folder: Path, *, fault: str = ""
) -> Point:
    """Return the point with these values, its sides made once to see that they can be.

    Parameters
    ----------
    values
        A value for each key of the scenario that may be swept.
    played
        The task.
    folder
        The scenario's folder.
    fault
        A named fault in the protocol.

    Raises
    ------
    PointError
        Something in it is wrong; it says where.
    """
    try:
        model = point_model(tuple(game.sizes)).model_validate(values)
    except ValidationError as error:
        raise PointError(*first_fault(error)) from error
    protocol, adversary = (part(role, game.families[role], values[role], folder) for role in ("protocol", "adversary"))
    point = Point(
        number,
        played,
        replace(protocol, fault=fault),
        adversary,
        network=None if model.network is None else model.network.model_dump(exclude_unset=True, by_alias=True),
        engine=model.engine,
        **{size.column: getattr(model, size.key) for size in game.sizes if getattr(model, size.key) is not None},
    )
    check_point(game, point)
    return point
