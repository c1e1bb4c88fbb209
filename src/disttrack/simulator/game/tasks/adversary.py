"""Make the adversary of a point, for all tasks with an adversary."""

from __future__ import annotations

from typing import Any

from disttrack.adversaries.recorded import Recorded
from disttrack.adversaries.views import POWERS
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.engine_choice import ObjectRuleError
from disttrack.simulator.game.sides import check_power, check_task, missing_power
from disttrack.simulator.kinds.point import Point, PointError, blaming
from disttrack.simulator.kinds.registry import in_file, registered


def made_for_task(point: Point) -> Any:
    """Return the adversary of a point, whatever it may see; PointError if it is made for other tasks."""
    adversary = point.adversary.make(without=("sees",))
    if task := registered("task", point.task.maker()):
        try:
            check_task(adversary, task, point.adversary.label)
        except ScenarioError as error:
            raise point.adversary.wrong(error) from error
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
    with blaming("adversary", point.adversary.arguments):
        check_power(granted)
    needed = missing_power(adversary, granted)
    if needed is not None:
        entry = {"sees": needed}
        raise PointError(("adversary",), f"{point.adversary.label} needs {in_file(point.adversary.kind, entry)}")
    return adversary


def of_side(point: Point, error: ObjectRuleError, adversary: object) -> PointError:
    """Return the error of a rule that is set on the object of a side."""
    return (point.adversary if error.side is adversary else point.protocol).wrong(error)


def recorded(point: Point) -> Recorded | None:
    """Return the recorded stream that a point plays; None if it plays none."""
    maker = point.adversary.maker()
    if not (isinstance(maker, type) and issubclass(maker, Recorded)):
        return None
    made: Recorded = point.adversary.make(without=("sees",))
    return made


def sizes_with(adversary: object, sites: int | None, items: int | None) -> tuple[int, int]:
    """Return the numbers of sites and items, from a recorded stream if there is one.

    Raises
    ------
    PointError
        One of them is missing, the recording cannot be played, or the adversary names more sites.
    """
    least = getattr(adversary, "least_sites", 1)
    if isinstance(adversary, Recorded):
        with blaming("adversary", adversary.as_mapping()):
            adversary.check()
            recorded_sites, recorded_items = adversary.sites, adversary.items
        if sites is None and recorded_sites is None:
            raise PointError(("sites",), "is missing: a trace is dealt to sites")
        sites = recorded_sites if sites is None else sites
        items = recorded_items if items is None else min(items, recorded_items)
        least = recorded_sites or 1
    for name, value in (("sites", sites), ("items", items)):
        if value is None:
            raise PointError((name,), "is missing; only a trace has its own")
    assert sites is not None
    assert items is not None
    if sites < least:
        raise PointError(("sites",), f"must be at least {least:,}, for the adversary; got {sites:,}")
    return sites, items
