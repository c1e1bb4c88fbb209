"""The declaration of a package, that its classes were compared with the reference engine, put to the test.

Its classes are treated as if nobody had compared them, and play short games: those of the scenarios that its
distribution ships, and a usual game of each registered class that is in none of these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING
from pathlib import Path
from typing import Any, Final, NamedTuple

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.load import build, load
from disttrack.simulator.game.repeat import unrepeatable
from disttrack.simulator.game.short_games import LONG
from disttrack.simulator.game.tasks.tracking import Count, prepare
from disttrack.simulator.kinds.installed import in_doubt, is_in, packaged_files
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.registry import ROLES, Role, game_of, kinds, parameters
from disttrack.simulator.kinds.source import EXITS, Dropped, guarded

USUAL: Final = {"alpha": 0.15, "epsilon": 1.0, "horizon": 64}
"""Values of parameters that a class needs and no name or scenario gives."""
SIZES: Final = {"sites": 4, "items": 400}
"""Sizes of a usual game, by their columns."""


class Verified(NamedTuple):
    """What the test of a package has found.

    Attributes
    ----------
    compared
        The names of the kinds that played.
    faults
        For each kind with a fault, a line that says what differs.
    untested
        For each kind that could not play, the reason.
    """

    compared: list[str]
    faults: dict[str, str]
    untested: dict[str, str]


def kinds_of(package: str) -> dict[str, Role]:
    """Return the protocols and adversaries that a package registers, by name, each with its role."""
    known = [(name, role, kind.reference.partition(":")[0]) for role in ROLES for name, kind in kinds(role).items()]
    return {name: role for name, role, module in known if is_in(module, package)}


def check_package(package: str) -> Verified:
    """Compare all protocols and adversaries that a package registers with the reference engine, in short games.

    Parameters
    ----------
    package
        Its name, as in an entry point of the group ``disttrack.compared``.

    Raises
    ------
    ScenarioError
        It registers none.
    """
    roles = kinds_of(package)
    if not roles:
        raise ScenarioError(f"{package} registers no protocol or adversary (disttrack list)")
    verified = Verified([], {}, {})
    games = _games_of_scenarios(package, roles)
    with in_doubt(package), guarded(Dropped()):
        for name, role in roles.items():
            try:
                kinds(role)[name].load()
            except ScenarioError as error:
                verified.faults[name] = str(error)
                continue
            try:
                points = games.get(name) or _usual_games(name, role)
            except ScenarioError as error:
                verified.untested[name] = str(error)
                continue
            verified.compared.append(name)
            if fault := next(filter(None, map(_fault, points)), ""):
                verified.faults[name] = fault
    return verified


def _games_of_scenarios(package: str, roles: Mapping[str, Role]) -> dict[str, list[Point]]:
    """Return for each kind the first points that it plays in a scenario of the package, as `_of_each_sort`."""
    games: defaultdict[str, list[Point]] = defaultdict(list)
    for file in packaged_files("disttrack.scenarios", package):
        for point in load(file).points:
            for part in (point.protocol, point.adversary):
                if part.kind in roles:
                    games[part.kind].append(point)
    return {name: _of_each_sort(points) for name, points in games.items()}


def _of_each_sort(points: Iterable[Point]) -> list[Point]:
    """Return the first point with each sort of adversary: reacting or not, with plans of many items or of one."""
    first: dict[tuple[bool, bool], Point] = {}
    for point in points:
        maker = point.adversary.maker()
        first.setdefault((getattr(maker, "oblivious", False), getattr(maker, "each_item", False)), point)
    return list(first.values())


def _usual_games(name: str, role: Role) -> list[Point]:
    """Return games of a kind with usual parameters against others of the task that it plays, as `_of_each_sort`.

    Raises
    ------
    ScenarioError
        It needs other parameters, or nothing plays it.
    """
    maker = kinds(role)[name].load()
    task = kinds("task")[game_of(maker) if role == "protocol" else next(iter(maker.plays), "count")].load()
    sizes = {size.key: SIZES[size.column] for size in task.sizes if size.column in SIZES}
    entry, other = _entry(name, role), ROLES[1 - ROLES.index(role)]
    refused: list[ScenarioError] = []

    def points() -> Iterator[Point]:
        for opponent in task.kinds(other):
            data = {"task": task.kind, **sizes, role: entry, other: _entry(opponent, other)}
            try:
                yield build(Document(name, Path(), data)).points[0]
            except ScenarioError as error:
                refused.append(error)

    if not (games := _of_each_sort(points())):
        raise refused[-1] if refused else ScenarioError(f"no {other} plays {task.kind}")
    return games


def _entry(name: str, role: Role) -> dict[str, Any]:
    """Return a kind as in a scenario, with the usual values of parameters that must be given."""
    maker = kinds(role)[name].load()
    needed = [key for key, value in parameters(maker).items() if value is MISSING and key in USUAL]
    sees = {"sees": maker.sees} if getattr(maker, "sees", "outputs") != "outputs" else {}
    return {"kind": name, **sees, **{key: USUAL[key] for key in needed}}


def _fault(point: Point) -> str:
    """Return what an engine or another game of the same seed shows otherwise, in a line; empty if nothing."""
    try:
        task = point.task.make()
        task.compare(point)
        if not isinstance(task, Count):
            return ""
        given = prepare(point)
        return unrepeatable({**given, "items": min(LONG, given["items"])})
    except EXITS as error:
        return " ".join(f"{type(error).__name__}: {error}".split())
