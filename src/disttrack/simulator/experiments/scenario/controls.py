"""The controls of a scenario's claims: for each the broken points, and which points they are played in the place of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disttrack.simulator.errors import must_be, nearest
from disttrack.simulator.experiments.claims.claim import Claim, Control
from disttrack.simulator.experiments.claims.expressions import ExpressionError, columns_of, condition
from disttrack.simulator.experiments.scenario.checks import Faults
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.model import point_of
from disttrack.simulator.experiments.scenario.skipped import Beforehand, Skipped, why_elsewhere, why_not_here
from disttrack.simulator.game.columns import POINT
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.point import Point, PointError, part
from disttrack.simulator.kinds.registry import ROLES, parameters


@dataclass(frozen=True)
class BrokenPoints:
    """The points of one control.

    Attributes
    ----------
    claim
        Number of the claim, from 0.
    trials
        Games at each point.
    points
        The broken points, numbered after those of the scenario.
    instead
        For each of them the number of the point that it is played in the place of.
    """

    claim: int
    trials: int
    points: tuple[Point, ...]
    instead: tuple[int, ...]


def broken_points(
    claims: Mapping[int, Claim], values: Sequence[Mapping[str, Any]], games: Beforehand, faults: Faults
) -> tuple[tuple[BrokenPoints, ...], list[Skipped]]:
    """Return the points of all controls, each made once to see that it can be, and claims whose control has none.

    Parameters
    ----------
    claims
        The claims that have games, by their numbers.
    values
        The values that each point is made of.

    Raises
    ------
    ScenarioError
        A control changes what is not there.
    """
    document, points, table = faults.document, games.points, games.known
    controls: list[BrokenPoints] = []
    skipped: list[Skipped] = []
    number = len(points)
    for place, claim in claims.items():
        control = claim.control
        if control is None:
            continue
        try:
            chosen = np.flatnonzero(condition(control.where or claim.where or "point >= 0", table)).tolist()
        except ExpressionError as error:
            unswept: set[str] = set()
            with suppress(ExpressionError):
                unswept = columns_of(control.where or claim.where or POINT) - set(table)
            if unswept and (why := why_not_here(unswept, table, games)):
                why = why_elsewhere(control.where or claim.where or "", table, document.left_out) or why
                skipped.append(faults.skipped("claim", place, claim.name, why))
                continue
            raise document.error(("claims", place, "control"), f"where: {error}") from error
        if not chosen:
            why = f"no control game meets {control.where or claim.where!r}"
            skipped.append(faults.skipped("claim", place, claim.name, why))
            continue
        made = []
        for old in (points[place_of] for place_of in chosen):
            try:
                made.append(_broken_point(old, number, values[old.number], control, games.task, document))
            except PointError as error:
                # what the control does not change, its fault has made wrong
                inside = error.path if {*error.path[:1]} & {*control.changes} else ["fault"] * bool(control.fault)
                path = ("claims", place, "control", *inside)
                raise document.error(path, f"{_meant(error, old, control)} ({old.describe()})") from error
            number += 1
        controls.append(BrokenPoints(place, control.trials, tuple(made), tuple(chosen)))
    return tuple(controls), skipped


def _meant(error: PointError, old: Point, control: Control) -> str:
    """Return what a control cannot change, with where it belongs if a side of the point has a parameter of the name."""
    key = str(error.path[-1]) if error.message.startswith("unknown key") else ""
    elsewhere = "belongs in control: {"
    for role in ROLES:
        if key and key in parameters(getattr(old, role).maker()):
            return f"{elsewhere}{role}: {{{key}: {control.changes.get(key)}}}}}"
    try:
        if key:
            replace(old.protocol, fault=key).make()
            return f"{elsewhere}fault: {key}}}"
    except PointError:
        pass  # no fault of this protocol
    own = ("fault", "where", "trials")
    advised = error.message.replace("unknown key (", f"unknown key{nearest(key, own)} (")
    return advised.replace("(accepted: ", f"(accepted: {', '.join(own)}, ") if key else error.message


def _broken_point(
    old: Point, number: int, values: Mapping[str, Any], control: Control, game: Task, document: Document
) -> Point:
    """Return the point that a control has in the place of another one, which is made of these values."""
    broken: dict[str, Any] = {**values, **control.changes}
    for role in ROLES:
        given, before = control.changes.get(role, {}), values[role]
        entry = {"kind": given} if isinstance(given, str) else given
        if not isinstance(entry, dict):
            raise PointError((role,), must_be("a kind, or a mapping of its parameters", entry))
        if entry.get("kind", before["kind"]) != before["kind"]:
            both = parameters(part(role, entry, document.folder, game.bases[role]).maker())
            before = {name: value for name, value in before.items() if name in both}
        broken[role] = {**before, **entry}
    made = point_of(broken, number, old.task, game, document.folder, fault=control.fault or "")
    return replace(made, part=old.part)
