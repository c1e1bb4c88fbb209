"""A point of a scenario: one combination of its swept values, in a form that crosses processes."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from pathlib import Path
from typing import Any

from simulator.errors import ScenarioError
from simulator.points.code import digest_of, helpers, is_ours, own_code
from simulator.points.registry import Family, find, kinds, label, make, parameters, registered
from simulator.points.source import Source, is_reference, source_of


class PointError(ScenarioError):
    """Something in a point is wrong.

    Attributes
    ----------
    path
        Where in the point: ``("protocol", "alpha")``.
    """

    def __init__(self, path: Sequence[str], message: str) -> None:
        super().__init__(message)
        self.path = tuple(path)
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.message)


@dataclass(frozen=True)
class Part:
    """One part of a point: its kind and parameters. The object itself is made where the game is played.

    Parameters
    ----------
    role
        ``protocol``, ``adversary`` or ``task``: the key in the scenario.
    family
        The family of kinds that it is looked up in.
    kind
        A registered name, ``module:Class``, or ``file.py:Class``.
    arguments
        Its parameters as the scenario gives them.
    folder
        The scenario's folder.
    source
        The text of the file that the kind stands in, if it is one.
    fault
        The named fault that it is made with; empty but in the controls of claims.
    """

    role: str
    family: Family
    kind: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    folder: str = "."
    source: Source | None = None
    fault: str = ""

    def maker(self) -> Any:
        """Return the class (or function); PointError if there is none."""
        try:
            return find(self.family, self.kind, self.source, Path(self.folder))
        except ScenarioError as error:
            raise PointError((self.role, "kind"), str(error)) from error

    def make(self, without: Sequence[str] = ()) -> Any:
        """Return the protocol, adversary or task; PointError if the parameters are refused.

        Parameters
        ----------
        without
            Arguments that are the scenario's and not the class's.
        """
        maker = self.maker()
        arguments = {key: value for key, value in self.arguments.items() if key not in without}
        path = self._file()
        if path is not None:
            arguments["file"] = str(path)
        try:
            made = make(self.family, maker, arguments)
            return self._broken(made) if self.fault else made
        except ScenarioError as error:
            name, colon, rest = str(error).partition(": ")
            if colon and name.isidentifier():
                raise PointError((self.role, name), rest) from error
            raise PointError((self.role,), str(error)) from error

    @property
    def own(self) -> bool:
        """Tell whether code that is no part of this project may be run for it: the user's, or another package's."""
        if self.source is not None or is_reference(self.kind) or _names_code(self.arguments):
            return True
        known = kinds(self.family).get(self.kind)
        return known is not None and known.origin != "built in"

    @property
    def draws_from_streams(self) -> bool:
        """Tell whether all its coins are known to come from the game's streams: it is the project's, or says so.

        A class in its parameters says so of itself only.
        """
        return not self.own or (not _names_code(self.arguments) and not getattr(self.maker(), "draws_coins", True))

    @property
    def label(self) -> str:
        """Return its name in tables and figures."""
        return label(self.family, self.kind, self.maker())

    def given(self) -> dict[str, Any]:
        """Return all its parameters: those that the scenario gives, and the others' defaults."""
        defaults = {name: value for name, value in parameters(self.maker()).items() if value is not MISSING}
        return {**defaults, **self.arguments}

    def identity(self) -> dict[str, Any]:
        """Return what determines it: its kind, all parameters, the contents of files that it is made of."""
        given = self.given()
        identity: dict[str, Any] = {"kind": self.kind, "parameters": given}
        if self.source is not None:
            identity["kind"] = self.kind.rpartition(":")[2]
            identity["source"] = self.source.digest
        code = {name: digest_of(file) for name, file in self._modules().items()}
        if code:
            identity["code"] = code
        path = self._file()
        if path is not None:
            del given["file"]
            identity["data"] = digest_of(path)
        if self.fault:
            identity["fault"] = self.fault
        return identity

    def files(self) -> dict[str, str]:
        """Return the files of the user's that it is made of, code and data, each with its SHA-256."""
        found = {str(file): digest_of(file) for file in self._modules().values()}
        if self.source is not None:
            found[self.source.path] = self.source.digest
        path = self._file()
        return found if path is None else {**found, str(path.resolve()): digest_of(path)}

    def _modules(self) -> dict[str, Path]:
        """Return the modules of the user's that play it, but for the file whose text it carries."""
        if self.source is not None:
            return helpers(Path(self.source.path), self.source.text, Path(self.folder))
        reference = self.kind if is_reference(self.kind) else registered(self.family, self.kind)
        name = reference.partition(":")[0]
        if not name or is_ours(name):
            return {}
        self.maker()  # so that the module is there
        file = _module_file(name)
        if file is None:
            return {}
        text = file.read_text(encoding="utf-8", errors="replace")
        return {name: file, **helpers(file, text, Path(self.folder))}

    def _broken(self, made: Any) -> Any:
        from simulator.faults import broken  # with all protocols: few parts have a fault

        return broken(made, self.fault)

    def _file(self) -> Path | None:
        """Return the file that a parameter called `file` names, from the scenario's folder or the current."""
        name = self.arguments.get("file")
        if not isinstance(name, str):
            return None
        try:
            return next((place for place in (Path(self.folder) / name, Path(name)) if place.is_file()), None)
        except (OSError, ValueError):  # no name that a file could have
            return None


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

    @property
    def own(self) -> bool:
        """Tell whether code that is no part of this project may be run for its games."""
        return any(part.own for part in (self.task, self.protocol, self.adversary))

    @property
    def draws_from_streams(self) -> bool:
        """Tell whether a game that has drawn nothing from its streams is known to have no coins at all."""
        return all(part.draws_from_streams for part in (self.task, self.protocol, self.adversary))

    def identity(self) -> dict[str, Any]:
        """Return what determines the point's games, but for the seed."""
        return {
            "code": own_code(),
            "task": self.task.identity(),
            "protocol": self.protocol.identity(),
            "adversary": self.adversary.identity(),
            "sites": self.sites,
            "items": self.items,
            "start": self.start,
            "network": self.network,
            "engine": self.engine,
        }

    def describe(self) -> str:
        """Return the point in a few words, for messages."""
        sides = " against ".join(
            " ".join([part.label, *(f"{key}={value}" for key, value in part.arguments.items())])
            for part in (self.protocol, self.adversary)
        )
        given = [(getattr(self, size.column), size.key) for size in self.task.maker().sizes]
        return ", ".join([sides, *(f"{value:,} {key}" for value, key in given if value is not None and key != "start")])


def part(role: str, family: Family, entry: Mapping[str, Any], folder: Path) -> Part:
    """Return the part that an entry ``{kind: …, parameters}`` of a scenario describes."""
    arguments = {key: value for key, value in entry.items() if key != "kind"}
    kind = str(entry["kind"])
    try:
        source = source_of(kind, folder)
    except ScenarioError as error:
        raise PointError((role, "kind"), str(error)) from error
    return Part(role, family, kind, arguments, str(folder), source)


def _names_code(value: Any) -> bool:
    """Tell whether a parameter may name a class: ``file.py:Class`` in it, or in what it holds."""
    if isinstance(value, str):
        return is_reference(value)
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return any(map(_names_code, inner))


def canonical(value: Any) -> str:
    """Return a value as JSON with sorted keys: equal values give equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)


def _module_file(name: str) -> Path | None:
    path = getattr(sys.modules.get(name), "__file__", None)
    return Path(path) if path else None
