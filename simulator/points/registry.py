"""Kinds of protocols, adversaries, mechanisms, tasks and plots, by name or by reference.

A kind is a registered name (``robust``), ``module:Class``, or ``path/to/file.py:Class``. Names come from the
packages of the built-in kinds, and from entry points of installed packages (``disttrack.protocols``,
``disttrack.adversaries``, ``disttrack.mechanisms``, ``disttrack.tasks``, ``disttrack.plots``).
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, Literal, get_args

from disttrack.simulator.errors import ScenarioError, accepted, nearest, printable
from disttrack.simulator.points.source import EXITS, Source, guarded, import_reference, is_reference, load_file, member

Family = Literal["protocol", "adversary", "mechanism", "sketch", "attacker", "curator", "analyst", "task", "plot"]
FAMILIES: tuple[Family, ...] = get_args(Family)


@dataclass(frozen=True)
class Home:
    """Where the kinds of a family come from.

    Parameters
    ----------
    plural
        The family's name for several, and that of its entry points: ``disttrack.`` and this word.
    package
        Where the built-in kinds live.
    extends
        The class that each kind extends, in the package's module `base`; empty if there is none.
    table
        The package's mapping from names to classes, or to ``module:Class`` where these are loaded only when they are
        asked for; empty if the classes that the package exports are its kinds.
    """

    plural: str
    package: str
    extends: str = ""
    table: str = ""

    @property
    def base(self) -> str:
        """The class that each kind extends, as ``module:Class``; empty if there is none."""
        return f"{self.package}.base:{self.extends}" if self.extends else ""


HOMES: Final[dict[Family, Home]] = {
    "protocol": Home("protocols", "disttrack.protocols", "Protocol"),
    "adversary": Home("adversaries", "disttrack.adversaries", "Adversary"),
    "mechanism": Home("mechanisms", "disttrack.mechanisms", table="MECHANISMS"),
    "sketch": Home("sketches", "disttrack.mechanisms.sketches", "Sketch", "SKETCHES"),
    "attacker": Home("attackers", "disttrack.adversaries.sketching", "Attacker"),
    "curator": Home("curators", "disttrack.mechanisms.statistical", "QueryMechanism", "CURATORS"),
    "analyst": Home("analysts", "disttrack.adversaries.analysts", "Analyst"),
    "task": Home("tasks", "disttrack.simulator.tasks", "Task", "TASKS"),
    "plot": Home("plots", "disttrack.simulator.plots", "Plot", "PLOTS"),
}


@dataclass(frozen=True)
class Kind:
    """One registered kind.

    Parameters
    ----------
    name
        Its name in scenario files.
    family
        protocol, adversary, mechanism, task or plot.
    reference
        ``module:Class``, from which any process can load it.
    origin
        ``built in``, or the distribution that registers it.
    """

    name: str
    family: Family
    reference: str
    origin: str = "built in"

    def load(self) -> Any:
        """Return the class."""
        return import_reference(self.reference)


@cache
def kinds(family: Family) -> dict[str, Kind]:
    """Return the registered kinds of a family by name, built-in ones first."""
    home = HOMES[family]
    known = {name: Kind(name, family, reference) for name, reference in _built_in(home)}
    for point in entry_points(group=f"disttrack.{home.plural}"):
        origin = point.dist.name if point.dist is not None else point.group
        if point.name not in known:  # names of built-in kinds are permanent
            known[point.name] = Kind(point.name, family, point.value, origin)
    return known


def _built_in(home: Home) -> Iterator[tuple[str, str]]:
    """Yield the names and references of the kinds in a package."""
    package = importlib.import_module(home.package)
    if home.table:
        for name, entry in getattr(package, home.table).items():
            yield name, entry if isinstance(entry, str) else _reference(entry)
        return
    base = import_reference(home.base)
    for exported in vars(package).values():
        name = vars(exported).get("kind") if inspect.isclass(exported) and issubclass(exported, base) else None
        if not isinstance(name, str) or not name or inspect.isabstract(exported):
            continue
        if exported.__module__ != home.base.partition(":")[0]:  # what kinds are made of is no kind itself
            yield name, _reference(exported)


def _reference(maker: Any) -> str:
    return f"{maker.__module__}:{maker.__qualname__}"


def find(family: Family, kind: str, source: Source | None = None, folder: Path | None = None) -> Any:
    """Return the class (or, for adversaries, the function) that a kind names.

    Raises
    ------
    ScenarioError
        No such kind, module, file or name; the message suggests the nearest one.
    """
    if source is not None:
        return member(load_file(source), kind.rpartition(":")[2], kind)
    if is_reference(kind):
        return import_reference(kind, folder)
    known = kinds(family)
    if kind not in known:
        other = next((one for one in FAMILIES if kind in kinds(one)), None)
        if other and (game := _game_of(other, kind)):
            article = "an" if other[0] in "aeiou" else "a"
            raise ScenarioError(f"{kind} is {article} {other}, no {family}: a scenario with `task: {game}` plays it")
        raise ScenarioError(
            f"unknown kind {kind!r} of {family}{nearest(kind, known)} "
            f"({accepted(known)}, module:Class, path/to/file.py:Class)"
        )
    return known[kind].load()


def _game_of(family: Family, kind: str) -> str:
    """Return the task that a kind is made for: one that names its class if there is, and has no idle side."""
    tasks = {name: task.load() for name, task in kinds("task").items()}
    taken = [name for name, task in tasks.items() if family in getattr(task, "families", {}).values()]
    maker = kinds(family)[kind].load()
    meant = getattr(maker, "plays", ()) or sorted(
        (name for name in taken if tasks[name].meant_for(maker)), key=lambda name: bool(tasks[name].idle)
    )
    return next(iter([*meant, *taken]), "")


def parameters(maker: Any) -> dict[str, Any]:
    """Return the parameters that a class takes, with their defaults; `MISSING` where one must be given.

    Examples
    --------
    >>> from dataclasses import make_dataclass
    >>> parameters(make_dataclass("P", [("alpha", float), ("centred", bool, False)]))["centred"]
    False
    """
    if is_dataclass(maker):
        return {
            field.name: field.default_factory() if field.default_factory is not MISSING else field.default
            for field in fields(maker)
            if field.init
        }
    if not inspect.isclass(maker) or maker.__init__ is object.__init__:
        return {}
    taken = inspect.signature(maker).parameters.values()
    named = [one for one in taken if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    return {one.name: MISSING if one.default is one.empty else one.default for one in named}


def make(family: Family, maker: Any, arguments: dict[str, Any]) -> Any:
    """Return the protocol, adversary or other object of a class with these parameters.

    A function of the view becomes an adversary that is asked at every step; a generator function yields plans.

    Raises
    ------
    ScenarioError
        A parameter is unknown, missing, or has a value that the class refuses. The message begins with
        the parameter's name where it is known.
    """
    if family == "adversary" and inspect.isfunction(maker):
        if arguments:
            raise ScenarioError(f"{next(iter(arguments))}: a function as an adversary takes no parameters")
        from disttrack.adversaries.scripts import from_function

        return from_function(maker)
    check_extends(family, maker)
    known = parameters(maker)
    name = getattr(maker, "kind", "") or maker.__name__
    for key in arguments:
        if key not in known:
            takes = accepted(known) if known else "it has none"
            raise ScenarioError(f"{key}: {name} has no such parameter{nearest(key, known)} ({takes})")
    for key, default in known.items():
        if default is MISSING and key not in arguments:
            raise ScenarioError(f"{key}: {name} needs this parameter ({accepted(known)})")
    try:
        with guarded():
            return maker(**arguments)
    except (ValueError, TypeError) as error:
        where = re.split(r"\W", str(error), maxsplit=1)[0]
        message = str(error).removeprefix(where).lstrip(" :")
        raise ScenarioError(f"{where}: {message}" if where in known else f"{name}: {error}") from error
    except EXITS as error:
        if isinstance(error, ScenarioError):
            raise
        raise ScenarioError(f"{name}: cannot be made: {type(error).__name__}: {printable(str(error))}") from error


def check_extends(family: Family, maker: Any) -> None:
    """Raise ScenarioError unless a class extends what all kinds of a family extend."""
    base = base_of(family)
    if not inspect.isclass(maker) or (base is not None and not issubclass(maker, base)):
        name = getattr(maker, "__name__", repr(maker))
        also = " and is not a function of the view" if family == "adversary" else ""
        why = "is no class" if base is None else f"does not extend {base.__module__}.{base.__name__}{also}"
        raise ScenarioError(f"{name} is no {family}: it {why}")


def family_of(maker: Any) -> Family | None:
    """Return the family whose base a class extends, None if it extends none; a function is an adversary."""
    if not inspect.isclass(maker):
        return "adversary"
    bases = {family: base_of(family) for family in FAMILIES}
    return next((family for family, base in bases.items() if base is not None and issubclass(maker, base)), None)


def base_of(family: Family) -> Any:
    """Return the class that each kind of a family extends, None if there is none."""
    reference = HOMES[family].base
    return import_reference(reference) if reference else None
