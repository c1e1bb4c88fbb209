"""Kinds of protocols, adversaries, tasks and plots, by name or by reference.

A kind is a registered name (``robust``), ``module:Class``, or ``path/to/file.py:Class``. Names come from the
packages of the built-in kinds, and from entry points of installed packages: a class each (``disttrack.protocols``,
``disttrack.adversaries``, ``disttrack.tasks``, ``disttrack.plots``), or a table of `Kinds` (``disttrack.kinds``, with
the name ``anything.protocols`` for a table of protocols). A name has one meaning, whatever the family; a
class that once had another name states it as `formerly`, and is found by it too. A game has two roles, who answers
(`protocol`) and who asks (`adversary`); which kinds it takes follows from the classes that it names for them.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final, Literal, get_args

from disttrack.lazy import Kinds
from disttrack.simulator.errors import ScenarioError, accepted, as_decimal, must_be, nearest, printable, refusing
from disttrack.simulator.kinds.installed import BUILT_IN, distribution_of, entry_points, is_compared
from disttrack.simulator.kinds.lines import as_field, as_fields, defined_at
from disttrack.simulator.kinds.source import (
    EXITS,
    Source,
    guarded,
    import_reference,
    is_reference,
    load_file,
    member,
    public,
    source_of,
)

Role = Literal["protocol", "adversary"]
"""Who answers, and who asks, as they are called in scenario files."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)
Family = Literal["protocol", "adversary", "task", "plot"]
FAMILIES: tuple[Family, ...] = get_args(Family)
"""The two roles, games, and figures."""


@dataclass(frozen=True)
class Home:
    """Where the kinds of a family come from.

    Parameters
    ----------
    plural
        The family's name for several, and that of its entry points: ``disttrack.`` and this word.
    packages
        The packages with the built-in kinds, whose `Kinds` have the package's name in capitals.
    base
        The class that each kind extends, as ``module:Class``; empty if a game says it.
    """

    plural: str
    packages: tuple[str, ...]
    base: str = ""


HOMES: Final[dict[Family, Home]] = {
    "protocol": Home("protocols", ("disttrack.protocols", "disttrack.mechanisms")),
    "adversary": Home("adversaries", ("disttrack.adversaries",), "disttrack.adversaries.base:Opponent"),
    "task": Home("tasks", ("disttrack.simulator.game.tasks",), "disttrack.simulator.game.tasks.base:Task"),
    "plot": Home("plots", ("disttrack.simulator.shown.plots",), "disttrack.simulator.shown.plots.base:Plot"),
}


@dataclass(frozen=True)
class Kind:
    """One registered kind.

    Parameters
    ----------
    name
        Its name in scenario files.
    family
        protocol, adversary, task or plot.
    reference
        ``module:Class``, from which any process can load it.
    origin
        ``built in``, or the distribution that registers it.
    group
        The heading that `disttrack list` shows it under: of `Kinds`; empty for kinds with an entry point of their own.
    """

    name: str
    family: Family
    reference: str
    origin: str = BUILT_IN
    group: str = ""

    def load(self) -> Any:
        """Return the class; the message of a ScenarioError names the kind and the distribution that registers it."""
        with refusing(f"{self.family} {self.name} ({self.origin})", ScenarioError):
            return import_reference(self.reference)


@cache
def kinds(family: Family) -> dict[str, Kind]:
    """Return the registered kinds of a family by their names, built-in ones first."""
    home = HOMES[family]
    known: dict[str, Kind] = {}
    for package in home.packages:
        table = getattr(importlib.import_module(package), package.rpartition(".")[2].upper())
        for kind in _stated(family, table):
            if kind.name in known:
                raise ValueError(f"{kind.reference} and {known[kind.name].reference} are both called {kind.name}")
            known[kind.name] = kind
    others = [
        kind
        for point in entry_points(group="disttrack.kinds")
        if point.name.rpartition(".")[2] == home.plural
        for kind in _stated(family, point.load(), distribution_of(point))
    ]
    others += [
        Kind(point.name, family, point.value, distribution_of(point))
        for point in entry_points(group=f"disttrack.{home.plural}")
    ]
    for kind in others:
        known.setdefault(kind.name, kind)  # names of built-in kinds are permanent
    return known


def _stated(family: Family, table: Kinds[Any], origin: str = BUILT_IN) -> Iterator[Kind]:
    """Yield the kinds of a table."""
    for name, reference in table.references.items():
        yield Kind(name, family, reference, origin, table.groups[name])


def kinds_for(family: Family, base: str, heading: str = "") -> dict[str, Kind]:
    """Return the kinds that extend a class, ``module:Class``, by their names; all of a family if it is empty.

    If a heading is given, built-in kinds below another one are left out without a look at their classes.
    """
    return {
        name: kind
        for name, kind in kinds(family).items()
        if (heading in ("", kind.group) or kind.origin != BUILT_IN) and _is_for(kind, base)
    }


@cache
def _is_for(kind: Kind, base: str) -> bool:
    return _extends(kind.load(), base)


def _extends(maker: object, base: str) -> bool:
    """Return whether a class extends another one; a function in the place of an adversary is for its game to refuse."""
    return not base or not inspect.isclass(maker) or issubclass(maker, import_reference(base))


OF_FILES: Final[Mapping[tuple[Family, str], str]] = {("protocol", "exec"): "disttrack.protocols.programs:Exec"}
"""Kinds that are made of a program of the user's: nothing that goes through all registered kinds could play them."""


def find(family: Family, kind: str, source: Source | None = None, folder: Path | None = None, base: str = "") -> Any:
    """Return the class (or, for adversaries, the function) that a kind names.

    Parameters
    ----------
    base
        The class that it must extend if it is a registered one, as ``module:Class``: that of a side of a game.

    Raises
    ------
    ScenarioError
        No such kind, module, file or name; the message suggests the nearest one.
    """
    if source is not None:
        return member(load_file(source), kind.rpartition(":")[2], kind)
    if (registered := kinds(family).get(kind)) and _is_for(registered, base):  # each point of a scenario asks for it
        return registered.load()
    if entry := joined(kind, family):
        raise ScenarioError(f"{kind!r} must here be {in_file(*entry)}")
    if folder is not None and kind.endswith(".py") and (nameless := source_of(f"{kind}:_", folder)):
        module = load_file(nameless)
        makers = [name for name in public(module) if _may_be(family, getattr(module, name), base)]
        example = f"{kind}:{(makers or ['Class'])[0]}"
        raise ScenarioError(f"{kind} holds {', '.join(makers) or f'no {family}'}: name one, {example}")
    kind = OF_FILES.get((family, kind), kind)
    if is_reference(kind):
        try:
            return import_reference(kind, folder)
        except ScenarioError as error:
            raise ScenarioError(unnamed(kind, family) or str(error)) from error
    if len(several := [one.strip() for one in kind.split(",")]) > 1 and all(one in kinds(family) for one in several):
        raise ScenarioError(f"{kind!r} is one text; a list: [{', '.join(several)}]")
    kind = current_name(family, kind, base)
    if kind not in kinds(family):
        known = kinds_for(family, base)
        what = of_other_family(family, kind) or f"unknown kind {kind!r} of {family}{nearest(kind, known)}"
        names = accepted(known) if len(known) <= MOST_NAMES else "accepted: those of `disttrack list`"
        raise ScenarioError(f"{what} ({names}, module:Class, path/to/file.py:Class)")
    maker = kinds(family)[kind].load()
    if not _is_for(kinds(family)[kind], base):
        raise ScenarioError(f"{kind} does not play here: {advice_on(maker)}")
    return maker


def of_other_family(family: Family, kind: object) -> str:
    """Return that a kind is one of another family; empty if it is none."""
    other = next((one for one in FAMILIES if kind in kinds(one)), "")
    return f"{kind} is {'an' if other[0] in 'aeiou' else 'a'} {other}, no {family}" if other else ""


def _may_be(family: Family, maker: object, base: str) -> bool:
    """Return whether a class or function of the user's can be one of a family."""
    try:
        check_extends(family, maker, base)
    except ScenarioError:
        return family == "adversary" and inspect.isfunction(maker)
    return not inspect.isclass(maker) or HOMES[family].base != "" or hasattr(maker, "kind")


MOST_NAMES: Final = 40
"""More are not listed in a message."""
_FORMER_NAMES: Final[set[str]] = set()
"""Former names that were used in this process."""


def current_name(family: Family, kind: str, base: str = "") -> str:
    """Return the name of a kind, which may be given by its former one or with a package: ``quotas.lease``.

    The first use of such a name prints the present one.

    Parameters
    ----------
    base
        The class that the kind must extend, as ``module:Class``: a former name may be that of another game's kind now.
    """
    if is_reference(kind) or (kind in kinds(family) and _is_for(kinds(family)[kind], base)):
        return kind
    package, _, given = kind.rpartition(".")  # once some had the name of their package before it
    for name, one in kinds_for(family, base).items():
        inside = not package or package in one.reference.partition(":")[0].split(".")
        if inside and given in (name, vars(one.load()).get("formerly")):
            if kind not in _FORMER_NAMES:
                _FORMER_NAMES.add(kind)
                print(f"{family} {kind} is called {name} now", file=sys.stderr)
            return name
    return kind


COUNTING: Final = "disttrack.protocols.base:Protocol"
"""The class of trackers, which count unless they say otherwise."""


def advice_on(maker: object) -> str:
    """Return which task a registered class is made for, in words, or that there is none."""
    task = game_of(maker)
    return f"`task: {task}` plays it" if task else "no installed task plays it"


def game_of(maker: object) -> str:
    """Return the task that a registered class is made for: one that names it if there is, and has no idle side."""
    if named := getattr(maker, "plays", ()):
        return str(named[0])
    if inspect.isclass(maker) and _extends(maker, COUNTING):
        return "count"
    tasks = {name: kind.load() for name, kind in kinds("task").items()}
    meant = [name for name, task in tasks.items() if maker in _classes(task)]
    if not meant:  # which one it plays depends on its parameters
        meant = [name for name, task in tasks.items() if maker in _wanted(task.bases["protocol"])]
    return min(meant, key=lambda name: bool(tasks[name].idle), default="")


def _wanted(base: str) -> list[Any]:
    """Return the registered classes that extend a class under `protocol`; none without one."""
    return [kind.load() for kind in kinds_for("protocol", base).values()] if base else []


@cache
def _classes(task: Any) -> set[object]:
    """Return the registered classes of both sides of a task."""
    return {kind.load() for role in ROLES for kind in task.kinds(role).values()}


def parameters_of(family: Family, name: str) -> dict[str, object] | None:
    """Return the parameters of a registered kind, as `parameters` does; None if there is none of this name."""
    return parameters(kinds(family)[name].load()) if name in kinds(family) else None


def parameters(maker: object) -> dict[str, object]:
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


PLAIN_TYPES: Final[Mapping[str, tuple[type, str]]] = {
    "float": (Real, "a number"),
    "int": (Integral, "a whole number"),
    "bool": (bool, "true or false"),
    "str": (str, "a text"),
}
"""Plain types of fields, and what they are called in messages."""


def _refuse_other_types(maker: Any, arguments: Mapping[str, object]) -> None:
    """Raise ScenarioError for a value of another type than the plain one of a field, unless its class checks it."""
    for field in fields(maker) if inspect.isclass(maker) and is_dataclass(maker) else ():
        owner = next(one for one in inspect.getmro(maker) if field.name in vars(one).get("__annotations__", {}))
        if is_compared(owner.__module__) and hasattr(owner, "as_mapping"):
            continue
        stated = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", "")
        value = arguments.get(field.name)
        if value is None or stated not in PLAIN_TYPES:
            continue
        wanted, what = PLAIN_TYPES[stated]
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            what = vars(owner).get("of_form", {}).get(field.name, what)  # a text of a form, which a plot states
            raise ScenarioError(must_be(what, value, f"{field.name}:") + as_decimal(value))


def make(family: Family, maker: Any, arguments: dict[str, Any], base: str = "") -> Any:
    """Return the protocol, adversary or other object of a class with these parameters.

    A function of the view becomes an adversary that is asked at every step; a generator function yields plans.

    Parameters
    ----------
    base
        The class that it must extend, as ``module:Class``; that of all kinds of the family if it is empty.

    Raises
    ------
    ScenarioError
        A parameter is unknown, missing, or has a value that the class refuses. The message begins with
        the parameter's name where it is known.
    """
    if family == "adversary" and inspect.isfunction(maker):
        if arguments:
            key = next(iter(arguments))
            raise ScenarioError(f"{key}: a function has no parameters; write a class")
        from disttrack.adversaries.scripts import from_function

        try:
            return from_function(maker)
        except TypeError as error:
            raise ScenarioError(f"{error}{defined_at(maker)}") from error
    check_extends(family, maker, base)
    known = parameters(maker)
    name = getattr(maker, "kind", "") or maker.__name__
    for key in arguments:
        if key not in known:
            takes = accepted(known) if known else "none; parameters are fields of a @dataclass"
            reason = getattr(maker, "lacks", {}).get(key)
            beside = _with_it(base, str(key)) if family == "protocol" else ""
            why = f": {reason}" if reason else as_field(maker, str(key)) or beside or nearest(str(key), known)
            raise ScenarioError(f"{key}: {name} has no such parameter{why} ({takes})")
    for key, default in known.items():
        if default is MISSING and key not in arguments:
            raise ScenarioError(f"{key}: {name} needs this parameter ({accepted(known)})")
    _refuse_other_types(maker, arguments)
    if missing := sorted(getattr(maker, "__abstractmethods__", ())):
        wanted = ", ".join(f"def {method}{untyped(getattr(maker, method))}" for method in missing)
        raise ScenarioError(f"{maker.__name__} lacks {', '.join(missing)}: write {wanted}{defined_at(maker)}")
    try:
        with guarded():
            return maker(**arguments)
    except (ValueError, TypeError) as error:
        where = re.split(r"\W", str(error), maxsplit=1)[0]
        message = str(error).removeprefix(where).lstrip(" :")
        takes_text = isinstance(known.get(where), str)  # in which a quotient is none
        advice = "" if takes_text else as_decimal(arguments.get(where))
        message = f"{where}: {message}{advice}" if where in known else f"{name}: {error}{as_fields(error)}"
        raise ScenarioError(message) from error
    except EXITS as error:
        if isinstance(error, ScenarioError):
            raise
        raise ScenarioError(f"{name}: {type(error).__name__}: {printable(str(error))}") from error


def _with_it(base: str, key: str) -> str:
    """Return which registered protocols have a parameter, for the end of a message; empty if none has it."""
    names = [name for name, kind in kinds_for("protocol", base).items() if base and key in parameters(kind.load())]
    return f"; those with it: {', '.join(names[:4])}{', …' * (len(names) > 4)}" if names else ""


def registered(family: Family, maker: object) -> str:
    """Return the name of the registered kind that a class is, or else extends; empty if there is none."""
    own = (str(vars(one).get("kind", "")) for one in inspect.getmro(maker)) if inspect.isclass(maker) else ()
    return next((name for name in own if name in kinds(family)), "")


def role_of(maker: object) -> Role:
    """Return the role of a class: one that asks extends `Opponent`, and a function is an adversary."""
    asks = not inspect.isclass(maker) or issubclass(maker, import_reference(HOMES["adversary"].base))
    return "adversary" if asks else "protocol"


def family_of(maker: object) -> Family:
    """Return the family of a class: a game, a figure, or a side of a game."""
    others: tuple[Family, ...] = ("task", "plot")
    made = maker if inspect.isclass(maker) else object
    extended = (family for family in others if issubclass(made, import_reference(HOMES[family].base)))
    return next(extended, role_of(maker))


def check_extends(family: Family, maker: object, base: str = "") -> None:
    """Raise ScenarioError unless a class extends another one, or that of all kinds of its family."""
    wanted = base or HOMES[family].base
    extended = import_reference(wanted) if wanted else None
    if not inspect.isclass(maker) or (extended is not None and not issubclass(maker, extended)):
        name = getattr(maker, "__name__", f"an object of class {type(maker).__name__}")
        also = "; write def name(view)" if family == "adversary" else ""
        made = extended is None or isinstance(maker, extended)
        why = "is no class; name the class" if made else f"does not extend {wanted.replace(':', '.')}{also}"
        raise ScenarioError(f"{name} is no {family}: it {why}{defined_at(maker)}")


def joined(text: str, family: Family) -> tuple[str, dict[str, str]] | None:
    """Return the name of a kind and its parameters in a text that has both; None if it does not.

    A number without a name is the value of the first parameter that is not named.

    Examples
    --------
    >>> joined("randomized:0.1", "protocol"), joined("randomized(delta=0.1)", "protocol")
    (('randomized', {'alpha': '0.1'}), ('randomized', {'delta': '0.1'}))
    """
    name, *rest = re.split(r"[:\s(]+", text, maxsplit=1)
    value = r"\[[^]]*\]|\{[^}]*\}|'[^']*'|\"[^\"]*\"|[^\s,=:()]+"
    words = re.findall(rf"(?:([A-Za-z_]\w*)\s*[=:\s]\s*)?({value})", rest[0] if rest else "")
    nameless = [value for key, value in words if not key]
    if not words or not all(re.match(r"[-.\d\[]", one) for one in nameless):
        return None
    known = parameters_of(family, name)
    free = [one for one in known or () if one not in dict(words)]
    if known is None or len(nameless) > len(free) or not {key for key, _ in words if key} <= {*known}:
        return None
    return name, {key or free.pop(0): value for key, value in words}


def unnamed(text: str, family: Family) -> str:
    """Return what to write for a kind and a word that names no parameter, ``cost:sites``; empty for other texts."""
    name, _, value = text.partition(":")
    known = parameters_of(family, name)
    return f"{text}: a parameter has a name; write {name}:NAME={value} ({accepted(known)})" if known else ""


def in_file(name: str, given: Mapping[str, object]) -> str:
    """Return a kind with its parameters as an entry of a file.

    >>> in_file("randomized", {"alpha": 0.1})
    '{kind: randomized, alpha: 0.1}'
    """
    return f"{{kind: {', '.join([name, *(f'{key}: {value}' for key, value in given.items())])}}}"


def as_entry(given: object, known: Collection[str]) -> str:
    """Return advice for an entry whose key is a kind: ``; write {kind: randomized, alpha: 0.1}``, or nothing."""
    for name, inner in given.items() if isinstance(given, Mapping) and "kind" not in given else ():
        if name in known:
            return f"; write {in_file(name, inner if isinstance(inner, Mapping) else {})}"
    return ""


def untyped(method: Callable[..., object]) -> inspect.Signature:
    """Return the signature of a method without types."""
    given = inspect.signature(method)
    names = [one.replace(annotation=one.empty) for one in given.parameters.values()]
    return given.replace(parameters=names, return_annotation=given.empty)
