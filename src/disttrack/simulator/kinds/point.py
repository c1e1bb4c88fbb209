"""A point of a scenario: one combination of its swept values, in a form that crosses processes."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field
from functools import cached_property
from inspect import isclass
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError, must_be, nearest
from disttrack.simulator.kinds.code import CORE_CODE, code_of, digest_of, version_of, versions
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.kinds.faults import broken
from disttrack.simulator.kinds.installed import BUILT_IN, compared
from disttrack.simulator.kinds.own_files import MadeOf, OwnFile, foreign, made_of, reference_of, texts, with_files
from disttrack.simulator.kinds.registry import OF_FILES, Family, find, kinds, make, parameters
from disttrack.simulator.kinds.source import Source, is_reference, session_advice, source_of

RULES: Final = "the rules of the task"
CODE_OF: Final = "the code of "
"""Names in what a point is made of, one of them the beginning of the names of code."""


class PointError(ScenarioError):
    """Something in a point is wrong.

    Attributes
    ----------
    path
        Where in the point: ``("protocol", "alpha")``.
    more
        Other faults of the same point.
    """

    more: tuple[PointError, ...] = ()

    def __init__(self, path: Sequence[str | int], message: str) -> None:
        super().__init__(message)
        self.path = tuple(path)
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.message)


def blamed(error: Exception, key: str, inside: object) -> PointError:
    """Return the error of a part of a point, at the keys that its message begins with: ``crash: down must be …``.

    Parameters
    ----------
    key
        The part's key in the scenario.
    inside
        Its value, or the names of its parameters.
    """
    path, message = [key], str(error)
    while isinstance(inside, Mapping) and (first := re.match(r"(\w+)(: | )", message)) and first[1] in inside:
        path.append(first[1])
        inside, message = inside[first[1]], message.removeprefix(first[0])
    return PointError(path, message)


@contextmanager
def blaming(key: str, inside: object, refusal: type[Exception] = ValueError) -> Iterator[None]:
    """Raise a refusal within the block as `blamed` returns it."""
    try:
        yield
    except refusal as error:
        raise blamed(error, key, inside) from error


def label_of_class(role: Family, maker: Any, reference: str = "") -> str:
    """Return the name of a class or function in tables: its own `kind`, else its name, and never that of another one.

    A class that is called as a registered kind, and is not this kind, has its module or file before its name.
    """
    own = vars(maker).get("kind") if isclass(maker) else ""  # not that of the class that it extends
    label = str(own or getattr(maker, "__name__", reference))
    if label in kinds(role) and maker is not kinds(role)[label].load():
        return reference or f"{maker.__module__}:{maker.__qualname__}"
    return label


@dataclass(frozen=True)
class Part:
    """One part of a point: its kind and parameters. The object itself is made where the game is played.

    Parameters
    ----------
    role
        ``protocol``, ``adversary`` or ``task``: the key in the scenario, and the family of kinds.
    kind
        A registered name, ``module:Class``, or ``file.py:Class``.
    arguments
        Its parameters as the scenario gives them.
    folder
        The scenario's folder.
    source
        The file that defines the kind, if it is one.
    fault
        The named fault that it is made with; empty but in the controls of claims.
    base
        The class that its game wants in this role, as ``module:Class``; empty if any class will do.
    """

    role: Family
    kind: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    folder: str = "."
    source: Source | None = None
    fault: str = ""
    base: str = ""

    def maker(self) -> Any:
        """Return the class (or function); PointError if there is none."""
        try:
            return find(self.role, self.kind, self.source, Path(self.folder), self.base)
        except ScenarioError as error:
            here = session_advice(getattr(sys.modules["__main__"], self.kind, None))
            raise self.wrong(here or error) from error

    def make(self, without: Sequence[str] = ()) -> Any:
        """Return the protocol, adversary or task; PointError if the parameters are refused.

        Parameters
        ----------
        without
            Arguments that are the scenario's and not the class's.
        """
        maker = self.maker()
        given = {key: value for key, value in self.arguments.items() if key not in without}
        arguments = with_files(given, Path(self.folder), str) if given else {}
        try:
            made = make(self.role, maker, arguments, self.base)
            return broken(made, self.fault) if self.fault else made
        except ScenarioError as error:
            raise blamed(error, self.role, {**parameters(maker), **arguments}) from error

    def wrong(self, reason: object, key: str = "kind") -> PointError:
        """Return the error of its kind, or of a parameter."""
        return PointError((self.role, key), str(reason))

    @cached_property
    def own(self) -> frozenset[str]:
        """The code, no part of this project, that may be run for it: files and modules."""
        kind = self.source.path if self.source is not None else foreign(self.kind, [self.role])
        program = str(self.arguments.get("file", "")) if (self.role, self.kind) in OF_FILES else ""
        return frozenset({kind, program, *(foreign(text) for _, text in texts(self.arguments))}) - {""}

    @property
    def label(self) -> str:
        """Return its name in tables and figures: that of the kind, or of the user's class or function."""
        return label_of_class(self.role, self.maker(), self.kind) if is_reference(self.kind) else self.kind

    @property
    def reference(self) -> str:
        """Return its kind as flags name it: that of a file by the place of the file, seen from the current folder."""
        if self.source is None:
            return self.kind
        return f"{os.path.relpath(self.source.path)}:{self.kind.rpartition(':')[2]}"

    @property
    def draws_unseen(self) -> bool:
        """Whether it may draw numbers that are not of the game's streams: one of the user's may, unless it says not."""
        return bool(self.own) and bool(getattr(self.maker(), "draws_coins", True))

    def given(self) -> dict[str, Any]:
        """Return all its parameters: those that the scenario gives, and the others' defaults."""
        defaults = {name: value for name, value in parameters(self.maker()).items() if value is not MISSING}
        return {**defaults, **self.arguments}

    def identity(self) -> dict[str, object]:
        """Return what the scenario says of it: its kind, all its parameters, with files by their content, its fault."""
        parameters = with_files(self.given(), Path(self.folder), digest_of)
        return {"kind": self.kind, "parameters": parameters, "fault": self.fault}

    @cached_property
    def _made_of_code(self) -> MadeOf | None:
        """What it is made of, if that is compared code alone, which cannot change under the process; else None."""
        if self.own or next(texts(self.arguments), None) is not None:
            return None
        return made_of(reference_of(self.kind, [self.role]), None, {}, Path(self.folder))

    def made_of(self) -> MadeOf:
        """Return the user's files that it is made of, code and data, and the compared code."""
        if (known := self._made_of_code) is not None:  # asked for after each game
            return known
        if self.own:
            self.maker()  # so that its module is there
        return made_of(reference_of(self.kind, [self.role]), self.source, self.arguments, Path(self.folder))

    def files(self) -> dict[str, OwnFile]:
        """Return the files of the user's that it is made of, by names that stay when a folder moves."""
        return self.made_of().files


@dataclass(frozen=True)
class Point:
    """One combination of a scenario's swept values.

    Parameters
    ----------
    number
        Its place among the points, from 0.
    task
        The game that is played.
    protocol, adversary
        The two sides.
    sites, items, start
        Its sizes: the number of sites, of items, and of items counted before the game, or what the task's `sizes` say
        that they are. None leaves the first two to the task, or to the adversary's trace.
    network
        The scenario's `network`, None for instantaneous channels.
    engine
        The engine that is asked for.
    part
        The part of the scenario that it belongs to; its games do not depend on it.
    """

    number: int
    task: Part
    protocol: Part
    adversary: Part
    sites: int | None = None
    items: int | None = None
    start: int = 0
    network: Mapping[str, Any] | None = None
    engine: str = "auto"
    part: str = ""

    @property
    def parts(self) -> tuple[Part, Part, Part]:
        """Return the task and the two sides."""
        return self.task, self.protocol, self.adversary

    @cached_property
    def own(self) -> frozenset[str]:
        """Return the code, no part of this project, that may be run for its games."""
        return self.task.own | self.protocol.own | self.adversary.own

    def identity(self) -> dict[str, object]:
        """Return what the scenario says of the point's games, the seed apart."""
        sizes = {"sites": self.sites, "items": self.items, "start": self.start}
        parts: dict[str, object] = {part.role: part.identity() for part in self.parts}
        return {**parts, **sizes, "network": self.network, "engine": self.engine}

    def made_of(self) -> dict[str, str]:
        """Return by name what its games are played with: rules, code, libraries, the user's files."""
        made = {part.role: part.made_of() for part in self.parts}
        declared = {name for one in made.values() for name in one.code} - {CORE_CODE}
        code = {f"{CODE_OF}{name}": code_of(name) for name in (CORE_CODE, *sorted(declared))}
        registered = [kind for part in self.parts if (kind := kinds(part.role).get(part.kind)) is not None]
        others = {*(compared()[name] for name in declared), *(kind.origin for kind in registered)} - {BUILT_IN}
        libraries = {**versions(), **{name: version_of(name) for name in sorted(others)}}
        files = {f"{role}: {name}": file.digest for role, one in made.items() for name, file in one.files.items()}
        return {RULES: str(self.task.maker().rules), **code, **libraries, **files}

    def known(self) -> dict[str, Any]:
        """Return the columns of ``trials.csv`` that are known before a game is played, without swept ones."""
        sizes = {"sites": self.sites, "items": self.items, "alpha": self.protocol.given().get("alpha")}
        return {"protocol": self.protocol.label, "adversary": self.adversary.label, **sizes}

    def check_no_network(self) -> None:
        """Raise PointError if it has a network, for a task that plays none."""
        if self.network is not None:
            raise PointError(("network",), f"must be left out in task {self.task.label}")

    def describe(self) -> str:
        """Return the point in a few words, for messages."""
        sides = " against ".join(
            " ".join([part.label, *(f"{key}={value}" for key, value in part.arguments.items())])
            for part in (self.protocol, self.adversary)
        )
        given = [(getattr(self, size.column), size.key) for size in self.task.maker().sizes]
        sizes = [f"{value:,} {key}" for value, key in given if value is not None and key != "start"]
        return ", ".join([sides, *sizes, *(f"{key} {value}" for key, value in (self.network or {}).items())])


def part(role: Family, entry: object, folder: Path, base: str = "") -> Part:
    """Return the part that an entry ``{kind: …, parameters}`` of a scenario describes; `base` is that of the `Part`.

    Raises
    ------
    PointError
        The entry is no mapping with a kind, or names a file that is not there.
    """
    if not isinstance(entry, Mapping) or "kind" not in entry:
        raise PointError((role,), must_be("a mapping with a kind", entry))
    arguments = {key: value for key, value in entry.items() if key != "kind"}
    kind = str(entry["kind"])
    try:
        source = source_of(kind, folder)
    except ScenarioError as error:
        raise PointError((role, "kind"), str(error)) from error
    return Part(role, kind, arguments, str(folder), source, base=base)


def made_from(role: Family, given: str | Mapping[str, object], base: str = "") -> Any:
    """Return the object that a text or an entry of a scenario describes; files are found from the current folder.

    Parameters
    ----------
    base
        The class that it must extend, as ``module:Class``; empty if any class will do.

    Raises
    ------
    ScenarioError
        There is no such kind, or it refuses its parameters.

    Examples
    --------
    >>> made_from("protocol", "deterministic:alpha=0.1").alpha, made_from("adversary", {"kind": "freeze"}).reach
    (0.1, 1.0)
    """
    try:
        return part(role, entry_of(given) if isinstance(given, str) else given, Path.cwd(), base).make()
    except PointError as error:
        inside = ".".join(str(key) for key in error.path if key not in (role, "kind"))
        raise ScenarioError(": ".join(filter(None, [str(given), inside, error.message]))) from error


def family_named(kind: str, families: Sequence[Family]) -> Family:
    """Return the first of these families that has a kind of a name, else the one with the nearest name, if it is near.

    Examples
    --------
    >>> [family_named(name, ("protocol", "adversary")) for name in ("block", "freze", "nothere")]
    ['protocol', 'adversary', 'protocol']
    """
    near = nearest(kind, [name for family in families for name in kinds(family)], NEAR)
    has = [family for family in families if kind in kinds(family)]
    return next(iter(has or [one for one in families if near and nearest(kind, kinds(one)) == near]), families[0])


NEAR: Final = 0.7
"""The bar of nearness for a name of several families, which are many names."""
LISTED: Final = ("alpha", "epsilon", "delta", "rho")
"""Accuracy and privacy: they are listed with the sizes, and are part of no name."""


def unusual(maker: object, given: Mapping[str, object]) -> dict[str, object]:
    """Return those of the given parameters that differ from the defaults of a class, without `LISTED` ones.

    A parameter without a default differs from none.
    """
    usual = {name: value for name, value in parameters(maker).items() if name not in LISTED and value is not MISSING}
    pairs = [(name, value, given[name]) for name, value in usual.items() if name in given]
    return {name: mine for name, value, mine in pairs if differ(mine, value)}


def differ(one: object, other: object) -> bool:
    """Return whether two values of a parameter differ; arrays, whose comparison has no truth value, by their entries.

    Examples
    --------
    >>> import numpy as np
    >>> differ((1, 2), [1, 2]), differ(1, 1.0), differ(np.arange(3), None), differ(np.arange(3), [0, 1, 2])
    (False, False, True, False)
    """
    try:
        if one == other:
            return False
    except (TypeError, ValueError):
        pass
    return canonical(one) != canonical(other)


def canonical(value: object) -> str:
    """Return a value as JSON with sorted keys: equal values give equal texts, also arrays of any length.

    Examples
    --------
    >>> import numpy as np
    >>> print(canonical({"b": np.arange(2), "a": np.int64}))
    {"a":"<class 'numpy.int64'>","b":[0,1]}
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=_listed)


def _listed(value: Any) -> object:
    return value.tolist() if hasattr(value, "tolist") and not isclass(value) else str(value)
