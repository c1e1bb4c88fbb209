"""A scenario that a program makes: a mapping with the keys of a scenario file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.points.registry import FAMILIES, kinds
from disttrack.simulator.scenario.document import Document, spell

DEEPEST: Final = 20
"""No scenario has so many levels; a mapping that holds itself has more."""


def from_mapping(data: Mapping[str, Any], name: str = "scenario", folder: Path | None = None) -> Document:
    """Return the document that a mapping describes, a copy of it in plain values.

    Tuples, ranges and arrays stand for lists, numpy's numbers for Python's. A protocol or adversary may be an object of
    a shipped kind: it stands for its kind and those parameters that are not the usual ones.

    Parameters
    ----------
    name
        For messages, and the name of the scenario where the mapping has none.
    folder
        From which relative paths count; the current one if left out.

    Raises
    ------
    ScenarioError
        Something in it could not stand in a scenario file.

    Examples
    --------
    >>> from_mapping({"name": "mine", "sites": range(2, 5), "protocol": {"kind": "exact"}}).data["sites"]
    [2, 3, 4]
    """
    plain = _plain(data, ())
    return Document(name, Path() if folder is None else folder, plain)


def _plain(value: Any, place: tuple[str | int, ...]) -> Any:
    if len(place) > DEEPEST:
        raise _error(place[:3], "goes on for ever: it holds itself")
    if hasattr(value, "tolist"):  # numpy's numbers and arrays, pandas' columns
        value = value.tolist()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise _error(place, f"the key {key!r} must be a word")
        return {key: _plain(inner, (*place, key)) for key, inner in value.items()}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_plain(inner, (*place, number)) for number, inner in enumerate(value)]
    if is_dataclass(value) and not isinstance(value, type):
        kind = _kind_of(value, place)
        given = {field: getattr(value, field.name) for field in fields(value) if field.init}
        taken = {field.name: inner for field, inner in given.items() if inner != field.default}
        return {"kind": kind, **{key: _plain(inner, (*place, key)) for key, inner in taken.items()}}
    raise _error(place, f"must be text, a number, a list or a mapping; got {value!r}")


def _kind_of(value: Any, place: tuple[str | int, ...]) -> str:
    """Return the kind that an object's class, and none that it extends, is registered as."""
    kind = getattr(value, "kind", "")
    known = [kinds(family)[kind].load() for family in FAMILIES if kind in kinds(family)]
    if type(value) not in known:
        name = type(value).__name__
        raise _error(place, f"{name} is no shipped kind; name its file: {{'kind': 'path/to/file.py:{name}', …}}")
    return str(kind)


def _error(place: Sequence[str | int], message: str) -> ScenarioError:
    where = spell(place)
    return ScenarioError(f"scenario: {where}: {message}" if where else f"scenario: {message}")
