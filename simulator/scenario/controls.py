"""The controls of a scenario's claims: for each the broken points, and which points they are played in the place of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic import ValidationError

from simulator.claims.claim import Claim
from simulator.claims.control import Control
from simulator.claims.expressions import Columns, column_of, rows
from simulator.claims.grammar import ExpressionError
from simulator.errors import accepted, nearest
from simulator.points.point import Part, Point, PointError, part
from simulator.points.registry import parameters
from simulator.scenario.document import Document
from simulator.scenario.model import SWEPT, first_fault, point_model
from simulator.tasks.asked import check_point
from simulator.tasks.base import Task
from simulator.tasks.sizes import called


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
    document: Document, claims: Sequence[Claim], points: Sequence[Point], extra: Mapping[str, Sequence[Any]], game: Task
) -> tuple[BrokenPoints, ...]:
    """Return the points of all controls, each made once to see that it can be.

    Parameters
    ----------
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
    found: list[BrokenPoints] = []
    number = len(points)
    for place, claim in enumerate(claims):
        if claim.control is None:
            continue
        chosen = _chosen(document, place, claim, claim.control, table)
        if not chosen and document.overridden:
            continue  # what was set has left out the points that the control is about
        if not chosen:
            raise document.error(("claims", place, "control"), "no point meets its condition")
        _check_keys(document, place, claim.control, game)
        made = tuple(
            _broken(document, place, claim.control, points[old], number + new, game) for new, old in enumerate(chosen)
        )
        found.append(BrokenPoints(place, claim.control.trials, made, tuple(chosen)))
        number += len(made)
    return tuple(found)


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
        found = rows(where, table)
    except ExpressionError as error:
        said = f"where: {error}; it chooses points, before a game is played"
        raise document.error(("claims", place, "control"), said) from error
    if found.dtype.kind != "b":
        raise document.error(("claims", place, "control"), "where: must be a condition, true or false of each point")
    return [int(number) for number in np.flatnonzero(found)]


def _check_keys(document: Document, place: int, control: Control, game: Task) -> None:
    keys = (*SWEPT, *(size.key for size in game.sizes))
    for key in control.changes:
        if key not in keys:
            known = ("where", "trials", "fault", *keys)
            raise document.error(
                ("claims", place, "control", key), f"unknown key{nearest(key, known)} ({accepted(known)})"
            )


def _broken(document: Document, place: int, control: Control, point: Point, number: int, game: Task) -> Point:
    """Return a point with what the control changes."""
    try:
        protocol, adversary = (_changed(side, control, document) for side in (point.protocol, point.adversary))
        made = replace(point, number=number, protocol=protocol, adversary=adversary, **_others(control, game))
        check_point(game, made)
    except PointError as error:
        path = tuple(_in_control(control, error.path))
        raise document.error(("claims", place, "control", *path), f"{error.message} ({point.describe()})") from error
    return made


def _others(control: Control, game: Task) -> dict[str, Any]:
    """Return what a control changes beside the two sides: fields of a point."""
    others = {key: value for key, value in control.changes.items() if key not in ("protocol", "adversary")}
    if not others:
        return {}
    model = point_model(tuple(replace(size, needed=False) for size in game.sizes))
    anyone = {"protocol": {"kind": "any"}, "adversary": {"kind": "any"}}
    try:
        checked = model.model_validate({**anyone, **others}).model_dump()
    except ValidationError as error:
        path, message = first_fault(error)
        raise PointError([str(key) for key in path], message) from error
    columns = {size.key: size.column for size in game.sizes}
    if empty := [key for key in others if key in columns and checked[key] is None]:
        raise PointError([empty[0]], "must have a value")
    return {columns.get(key, key): checked[key] for key in others}


def _changed(old: Part, control: Control, document: Document) -> Part:
    given = control.changes.get(old.role, {})
    entry = {"kind": given} if isinstance(given, str) else given
    if not isinstance(entry, dict):
        raise PointError((old.role,), f"must be a kind, or a mapping of what is changed; got {entry!r}")
    fault = control.fault if control.fault is not None and old.role == "protocol" else ""
    if entry.get("kind", old.kind) == old.kind:
        return replace(old, arguments={**old.arguments, **_without_kind(entry)}, fault=fault)
    new = part(old.role, old.family, entry, document.folder)
    both = parameters(new.maker())
    kept = {name: value for name, value in old.arguments.items() if name in both}
    return replace(new, arguments={**kept, **new.arguments}, fault=fault)


def _without_kind(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "kind"}


def _in_control(control: Control, path: Sequence[str]) -> Iterator[str]:
    """Return where in a control a wrong value of a point stands: what it does not change, its fault has made wrong."""
    if path and path[0] in control.changes:
        yield from path
    elif control.fault is not None:
        yield "fault"
