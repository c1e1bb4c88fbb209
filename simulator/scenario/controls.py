"""The controls of a scenario's claims: for each the broken points, and which points they are played in the place of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disttrack.simulator.claims.claim import Claim
from disttrack.simulator.claims.control import Control
from disttrack.simulator.claims.expressions import Columns, column_of, rows
from disttrack.simulator.claims.grammar import ExpressionError
from disttrack.simulator.errors import accepted, nearest
from disttrack.simulator.points.point import Point, PointError, part
from disttrack.simulator.points.registry import parameters
from disttrack.simulator.scenario.document import Document
from disttrack.simulator.scenario.model import SWEPT
from disttrack.simulator.scenario.point_of import point_of
from disttrack.simulator.tasks.base import Task
from disttrack.simulator.tasks.sizes import called


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
    document: Document,
    claims: Sequence[Claim],
    points: Sequence[Point],
    values: Sequence[Mapping[str, Any]],
    extra: Mapping[str, Sequence[Any]],
    game: Task,
) -> tuple[BrokenPoints, ...]:
    """Return the points of all controls, each made once to see that it can be.

    Parameters
    ----------
    values
        The values that each point is made of.
    extra
        Swept parameters that are columns of the tables, and their values at each point.

    Raises
    ------
    ScenarioError
        A control changes what is not there, or breaks no point.
    """
    if all(claim.control is None for claim in claims):
        return ()
    table = known_before(points, extra, game)
    controls: list[BrokenPoints] = []
    number = len(points)
    for place, claim in enumerate(claims):
        control = claim.control
        if control is None:
            continue
        chosen = _chosen(document, place, claim, control, table)
        if not chosen and document.overridden:
            continue  # what was set has left out the points that the control is about
        if not chosen:
            raise document.error(("claims", place, "control"), "no point meets its condition")
        _check_keys(document, place, control, game)
        made = []
        for old in (points[place_of] for place_of in chosen):
            try:
                broken = _broken(values[old.number], control, game, document)
                made.append(point_of(broken, number, old.task, game, document.folder, fault=control.fault or ""))
            except PointError as error:
                path: tuple[str | int, ...] = ("claims", place, "control", *_in_control(control, error.path))
                raise document.error(path, f"{error.message} ({old.describe()})") from error
            number += 1
        controls.append(BrokenPoints(place, control.trials, tuple(made), tuple(chosen)))
    return tuple(controls)


def known_before(points: Sequence[Point], extra: Mapping[str, Sequence[Any]], game: Task) -> Columns:
    """Return what is known of the points before a game is played, in the columns of the tables."""
    columns: dict[str, list[Any]] = {
        "point": [point.number for point in points],
        "protocol": [point.protocol.label for point in points],
        "adversary": [point.adversary.label for point in points],
        "sites": [point.sites for point in points],
        "items": [point.items for point in points],
        "alpha": [point.protocol.given().get("alpha") for point in points],
        **{name: list(values) for name, values in extra.items()},
    }
    columns |= {key: columns[name] for name, key in called(game.sizes).items() if name in columns}
    return {name: column_of(values) for name, values in columns.items()}


def _chosen(document: Document, place: int, claim: Claim, control: Control, table: Columns) -> list[int]:
    where = control.where or claim.where
    if not where:
        return list(range(len(table["point"])))
    try:
        meets = rows(where, table)
    except ExpressionError as error:
        message = f"where: {error}; it chooses points, before a game is played"
        raise document.error(("claims", place, "control"), message) from error
    if meets.dtype.kind != "b":
        raise document.error(("claims", place, "control"), "where: must be a condition, true or false of each point")
    return [int(number) for number in np.flatnonzero(meets)]


def _check_keys(document: Document, place: int, control: Control, game: Task) -> None:
    keys = (*SWEPT, *(size.key for size in game.sizes))
    for key in control.changes:
        if key not in keys:
            known = ("where", "trials", "fault", *keys)
            raise document.error(
                ("claims", place, "control", key), f"unknown key{nearest(key, known)} ({accepted(known)})"
            )


def _broken(values: Mapping[str, Any], control: Control, game: Task, document: Document) -> dict[str, Any]:
    """Return the values of a point with what the control changes."""
    broken = {**values, **control.changes}
    for role in ("protocol", "adversary"):
        given, old = control.changes.get(role, {}), values[role]
        entry = {"kind": given} if isinstance(given, str) else given
        if not isinstance(entry, dict):
            raise PointError((role,), f"must be a kind, or a mapping of what is changed; got {entry!r}")
        if entry.get("kind", old["kind"]) != old["kind"]:
            both = parameters(part(role, game.families[role], entry, document.folder).maker())
            old = {name: value for name, value in old.items() if name in both}
        broken[role] = {**old, **entry}
    return broken


def _in_control(control: Control, path: Sequence[str | int]) -> Iterator[str | int]:
    """Return where in a control a wrong value of a point stands: what it does not change, its fault has made wrong."""
    if path and path[0] in control.changes:
        yield from path
    elif control.fault is not None:
        yield "fault"
