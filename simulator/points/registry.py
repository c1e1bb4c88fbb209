"""What there is: kinds of protocols, adversaries and mechanisms, by name or by reference.

A kind is a registered name (``robust``), ``module:Class``, or ``path/to/file.py:Class``. Names come from the
classes that the packages export with a `kind`, and from entry points of installed packages
(``disttrack.protocols``, ``disttrack.adversaries``, ``disttrack.mechanisms``).
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal, get_args

from simulator.errors import ScenarioError
from simulator.points.source import Source, load_file

Family = Literal["protocol", "adversary", "mechanism"]
FAMILIES: tuple[Family, ...] = get_args(Family)
PACKAGES: dict[Family, str] = {
    "protocol": "protocols",
    "adversary": "adversaries",
    "mechanism": "mechanisms",
}
"""Where the built-in kinds of a family live; its entry points are ``disttrack.`` and the same word."""


@dataclass(frozen=True)
class Kind:
    """One registered kind.

    Parameters
    ----------
    name
        Its name in scenario files.
    family
        protocol, adversary or mechanism.
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
        return _import(self.reference)


@cache
def kinds(family: Family) -> dict[str, Kind]:
    """Return the registered kinds of a family by name, built-in ones first."""
    found: dict[str, Kind] = {}
    package = importlib.import_module(PACKAGES[family])
    for exported in vars(package).values():
        name = vars(exported).get("kind") if inspect.isclass(exported) else None
        if not isinstance(name, str) or not name or inspect.isabstract(exported):
            continue
        if exported.__module__ != f"{PACKAGES[family]}.base":  # what kinds are made of is no kind itself
            found[name] = Kind(name, family, f"{exported.__module__}:{exported.__qualname__}")
    for point in entry_points(group=f"disttrack.{PACKAGES[family]}"):
        origin = point.dist.name if point.dist is not None else point.group
        if point.name not in found:  # a name is permanent: nobody takes over a built-in one
            found[point.name] = Kind(point.name, family, point.value, origin)
    return found


def nearest(name: str, names: Iterable[str]) -> str:
    """Return advice for a misspelt name: ``; did you mean 'robust'?``, or nothing if none is near.

    Examples
    --------
    >>> nearest("robst", ["robust", "block"])
    "; did you mean 'robust'?"
    >>> nearest("quicksort", ["robust", "block"])
    ''
    """
    close = difflib.get_close_matches(str(name).lower(), list(names), n=4, cutoff=0.5)
    # of equally near ones, letters that changed places are the likeliest slip: itmes is items, not sites
    close.sort(key=lambda other: sorted(other) != sorted(str(name).lower()))
    return f"; did you mean {close[0]!r}?" if close else ""


def accepted(names: Iterable[str]) -> str:
    """Return names as the end of an error message: ``accepted: a, b, c``."""
    return "accepted: " + ", ".join(names)


def is_reference(kind: str) -> bool:
    """Tell whether a kind is ``module:Class`` or ``file.py:Class`` rather than a registered name."""
    return ":" in kind


def source_of(family: Family, kind: str, folder: Path) -> Source | None:
    """Return the file that a kind stands in, None for a registered name or a module.

    Parameters
    ----------
    folder
        Where relative paths are looked for first (the scenario's folder), then the current one.

    Raises
    ------
    ScenarioError
        The file is missing or cannot be read.
    """
    path, _, name = kind.rpartition(":")
    if not path.endswith(".py"):
        return None
    if not name.isidentifier():
        raise ScenarioError(f"{kind!r} must end in the name of a class: path/to/file.py:Class")
    for place in (folder / path, Path(path)):
        if place.is_file():
            try:
                return Source(str(place.resolve()), place.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError) as error:
                raise ScenarioError(f"cannot read {path}: {error}") from error
    raise ScenarioError(f"there is no file {path} (looked in {folder} and in the current folder)")


def find(family: Family, kind: str, source: Source | None = None, folder: Path | None = None) -> Any:
    """Return the class (or, for adversaries, the function) that a kind names.

    Raises
    ------
    ScenarioError
        No such kind, module, file or name; the message suggests the nearest one.
    """
    if source is not None:
        module: Any = load_file(source)
        return _member(module, kind.rpartition(":")[2], kind)
    if is_reference(kind):
        return _import(kind, folder)
    known = kinds(family)
    if kind not in known:
        raise ScenarioError(
            f"unknown kind {kind!r} of {family}{nearest(kind, known)} "
            f"({accepted(known)}, module:Class, path/to/file.py:Class)"
        )
    return known[kind].load()


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
    found = {}
    for parameter in list(inspect.signature(maker).parameters.values()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        empty = parameter.default is inspect.Parameter.empty
        found[parameter.name] = MISSING if empty else parameter.default
    return found


def make(family: Family, maker: Any, arguments: dict[str, Any]) -> Any:
    """Return a protocol, adversary or mechanism made of a class and its parameters.

    A plain function of the view becomes an adversary that is asked at every step.

    Raises
    ------
    ScenarioError
        A parameter is unknown, missing, or has a value that the class refuses. The message begins with
        the parameter's name where it is known.
    """
    base = _base(family)
    if family == "adversary" and callable(maker) and not inspect.isclass(maker):
        if arguments:
            raise ScenarioError(f"{next(iter(arguments))}: a function as an adversary takes no parameters")
        return _choice(maker)
    if not inspect.isclass(maker) or (base is not None and not issubclass(maker, base)):
        name = getattr(maker, "__name__", repr(maker))
        also = " and is not a function of the view" if family == "adversary" else ""
        raise ScenarioError(f"{name} is no {family}: it does not extend {base.__module__}.{base.__name__}{also}")
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
        return maker(**arguments)
    except (ValueError, TypeError) as error:
        said = str(error)
        first = re.match(r"\w+", said)
        where = first[0] if first and first[0] in known else ""
        raise ScenarioError(
            f"{where}: {said.removeprefix(where).lstrip(' :')}" if where else f"{name}: {said}"
        ) from error


def label(family: Family, kind: str, maker: Any) -> str:
    """Return the name that tables and figures give to a kind: its own, or that of the class or function."""
    if not is_reference(kind):
        return kind
    return str(getattr(maker, "kind", "") or getattr(maker, "__name__", kind))


def _choice(function: Callable[..., Any]) -> Any:
    from adversaries.base import Choice

    return Choice(function)


def _base(family: Family) -> Any:
    from adversaries.base import Adversary
    from protocols.base import Protocol

    return {"protocol": Protocol, "adversary": Adversary, "mechanism": None}[family]


def _import(reference: str, folder: Path | None = None) -> Any:
    """Return what ``module:Class`` names; modules of the scenario's and the current folder count too."""
    module_name, _, name = reference.partition(":")
    before = list(sys.path)
    sys.path[:0] = [str(place) for place in (folder, Path.cwd()) if place is not None]
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise ScenarioError(
            f"cannot import {module_name!r} of kind {reference!r}: {type(error).__name__}: {error}"
        ) from error
    finally:
        sys.path[:] = before
    return _member(module, name, reference)


def _member(module: Any, name: str, kind: str) -> Any:
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        public = [
            key
            for key, value in vars(module).items()
            if not key.startswith("_")
            and (inspect.isclass(value) or inspect.isfunction(value))
            and value.__module__ == getattr(module, "__name__", None)
        ]
        raise ScenarioError(f"{kind!r} has no {name!r}{nearest(name, public)} ({accepted(public[:12])})")
    return found
