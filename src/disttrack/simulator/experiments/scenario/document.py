"""A scenario as read, from a file or a mapping: its values, their lines, and what `--set key=value` puts over them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.errors import MEANT, ScenarioError, cannot_be, must_be, nearest, no_such
from disttrack.simulator.kinds.entries import value_of
from disttrack.simulator.kinds.point import differ
from disttrack.simulator.kinds.registry import FAMILIES, ROLES, kinds
from disttrack.simulator.kinds.source import session_advice
from disttrack.simulator.kinds.yaml_values import MOST_LEVELS, Place, YamlError, read_yaml

DEEPEST: Final = 20
"""Deepest nesting of a scenario; above it, a mapping probably contains itself."""


@dataclass
class Document:
    """A scenario file as read: plain data, and the line of each value.

    Tuples, ranges and arrays become lists, numpy's numbers Python's. A protocol or adversary may be an object of
    a shipped kind: it becomes its kind and the parameters that are not at their defaults.

    Parameters
    ----------
    name
        The file as the user wrote it, for messages.
    folder
        The file's folder; relative paths inside the file count from it.
    data
        The mapping that the file holds.
    lines
        The line of each value in the file.
    overridden
        The values that `set` has put over those of the file.
    spread
        The values of entries that stand above them, for all that take them, each with its place there.
    left_out
        The names of the parts that `set` has left out.

    Raises
    ------
    ScenarioError
        A value has no form in a scenario file.

    Examples
    --------
    >>> Document("mine", Path(), {"sites": range(2, 5), "protocol": {"kind": "exact"}}).data["sites"]
    [2, 3, 4]
    """

    name: str
    folder: Path
    data: dict[str, Any]
    lines: Mapping[Place, int] = field(default_factory=dict)
    overridden: list[Place] = field(default_factory=list)
    spread: dict[Place, Place] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.data = _plain(self.data, (), self)

    def error(self, path: Sequence[str | int], message: str) -> ScenarioError:
        """Return the error that something is wrong with the value at `path`."""
        return ScenarioError(": ".join(filter(None, [*self.place(path), message])))

    def place(self, path: Sequence[str | int]) -> tuple[str, str]:
        """Return where the value at `path` is, in the file with the line or in a flag, and the path for readers."""
        given = tuple(path)
        for place, above in self.spread.items():
            if given[: len(place)] == place:
                given = (*above, *given[len(place) :])
        if self._is_set(given):
            return f"--set {spell(given)}", ""
        around = [given[:length] for length in range(len(given), -1, -1)]
        line = next((self.lines[place] for place in around if place in self.lines), "")
        return f"{self.name}:{line}".rstrip(":"), spell(path)

    def _is_set(self, path: Place) -> bool:
        """Return whether the value at a path is set over the file, itself or in all entries of a list."""
        words = tuple(part for part in path if isinstance(part, str))
        return any(place in (path[: len(place)], words[: len(place)]) for place in self.overridden)

    def is_edited(self, path: Sequence[str | int]) -> bool:
        """Return whether something else is set over the file than the value at `path`, on which points depend."""
        return self.edited and not self._is_set(tuple(path))

    @property
    def edited(self) -> bool:
        """Whether anything is set over the file that decides which points there are, or what is asked of them."""
        return any(place[0] not in ("trials", "seed") for place in self.overridden)

    def set(self, assignment: str) -> None:
        """Put ``key=value`` into the data: a dotted path and a YAML value; ``key+=value`` appends it.

        A number in the path is a place in a list. A key asked of a list is set in each of its mappings
        that has it, in all of them if none has. What a value is appended to becomes a list; a list is appended
        entry by entry. A key of the top level is set in each part that has it too, and `parts` itself to the names of
        those that are to be kept.

        Raises
        ------
        ScenarioError
            There is no ``=``, the value is not YAML, or the path leads nowhere.
        """
        key, equals, text = assignment.partition("=")
        if not equals or not key.strip():
            raise ScenarioError(f"--set {assignment}: must be key=value, as sites=64")
        value = value_of(text, f"--set {assignment}")
        appends = key.endswith("+")
        names = key.removesuffix("+").strip().split(".")
        parts = [int(name) if re.fullmatch("[0-9]{1,9}", name) else name for name in names]
        if len(parts) > MOST_LEVELS:
            raise ScenarioError(f"--set {key[:40]}…: {len(parts):,} levels; at most {MOST_LEVELS}")
        if parts == ["parts"] and isinstance(value, str | list):
            value = self._kept(value, assignment)
        if names[0] == "parts" and len(names) > 2:
            self._kept(names[1], assignment)
        for target, place in self._targets(str(parts[0]), also_above=len(parts) == 1 and not appends):
            put = value
            if appends:
                before = _at(target, parts, assignment)
                put = [*before, *(value if isinstance(value, list) else [value])]
                self.overridden += [(*place, *parts, number) for number in range(len(before), len(put))]
            else:
                self.overridden.append((*place, *parts))
            _put(target, parts, put, assignment)

    def _targets(self, key: str, *, also_above: bool) -> list[tuple[dict[str, Any], Place]]:
        """Return where a key is set: at the top level if it is there or in no part, and in the parts that have it."""
        parts = self.data.get("parts")
        named = parts.items() if isinstance(parts, dict) else ()
        inside = [(own, ("parts", name)) for name, own in named if isinstance(own, dict) and key in own]
        above = also_above or not inside or key in self.data
        return [*([(self.data, ())] if above else []), *inside]

    def _kept(self, names: str | list[str], assignment: str) -> dict[str, Any]:
        """Return the parts with these names; the others are left out."""
        parts = own if isinstance(own := self.data.get("parts"), dict) else {}
        for name in (chosen := names if isinstance(names, list) else [names]):
            if not isinstance(name, str) or name not in parts:
                raise ScenarioError(f"--set {assignment}: {no_such('part', str(name), parts)}")
        self.left_out += [name for name in parts if name not in chosen]
        return {name: parts[name] for name in chosen}


def read(path: Path, name: str | None = None) -> Document:
    """Return the document in a scenario file.

    Raises
    ------
    ScenarioError
        The file is missing, is not YAML (with the line), or holds something other than a mapping.
    """
    name = name or str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        beside = {file.stem: file.name for file in path.parent.glob("*.y*ml")}
        near = next((file for stem, file in beside.items() if f"{stem!r}" in nearest(path.stem, beside)), "")
        advice = f"{MEANT}{near!r}?" if near else ""
        raise ScenarioError(f"{name}: no such file{advice}") from error
    except IsADirectoryError as error:
        raise ScenarioError(f"{name}: is a folder; report, plot and compare take folders") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(cannot_be("read", name, error)) from error
    return parse(text, name, path.parent)


def parse(text: str, name: str, folder: Path) -> Document:
    """Return the document in a YAML text; it raises what `read` raises."""
    try:
        data, lines = read_yaml(text)
    except YamlError as error:
        place = f"{name}:{error.line}" if error.line else name
        raise ScenarioError(f"{place}: not valid YAML: {error}") from error
    if not isinstance(data, dict):
        raise ScenarioError(f"{name}: {must_be('a mapping', data)}")
    return Document(name, folder, data, lines)


def _plain(value: object, place: Place, document: Document) -> Any:
    if len(place) > DEEPEST:
        raise document.error(place[:3], f"nested over {DEEPEST} levels, or in itself")
    if hasattr(value, "tolist"):  # numpy's numbers and arrays, pandas' columns
        value = value.tolist()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        given = {one: getattr(value, one.name) for one in fields(value) if one.init}
        taken = {one.name: inner for one, inner in given.items() if differ(inner, one.default)}
        value = {"kind": _kind_of(value, place, document), **taken}
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise document.error(place, must_be("text", key, "key"))
        return {key: _plain(inner, (*place, key), document) for key, inner in value.items()}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_plain(inner, (*place, number), document) for number, inner in enumerate(value)]
    if callable(value):
        raise document.error(place, _by_name(value))
    raise document.error(place, must_be("text, a number, a list or a mapping", value))


def _by_name(maker: object) -> str:
    """Return how a scenario names a class or function."""
    if here := session_advice(maker):
        return here
    if isinstance(maker, type):
        return f"write its name, or 'mine.py:{maker.__name__}'"
    name = getattr(maker, "__name__", "")
    file = f"'mine.py:{name if name.isidentifier() else 'f'}'"
    return f"name a function by its file, {file}, or give it to play(); got {maker!r}"


def _kind_of(value: object, place: Place, document: Document) -> str:
    """Return the kind that an object's class, and none that it extends, is registered as."""
    kind = getattr(value, "kind", "")
    known = [one for family in FAMILIES for one in kinds(family).values() if one.name == kind]
    if type(value) not in [one.load() for one in known]:
        name = type(value).__name__
        raise document.error(place, f"{name} is no shipped kind; name its file: {{'kind': 'mine.py:{name}', …}}")
    return str(kind)


def comment(path: Path) -> str:
    """Return the comment that a scenario file begins with: the question that it asks, and its answer."""
    lines = re.match(r"(?:#.*\n)*", path.read_text(encoding="utf-8"))
    return "\n".join(line.lstrip("# ") for line in lines[0].splitlines()) if lines else ""


def spell(path: Sequence[str | int]) -> str:
    """Return a path as a reader writes it.

    Examples
    --------
    >>> spell(("protocol", 2, "alpha"))
    'protocol[2].alpha'
    """
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _at(target: Any, parts: Sequence[object], assignment: str) -> list[Any]:
    """Return the list at a path to which a value is to be appended; a single value is a list of one."""
    for part in parts:
        try:
            target = target[part]
        except (KeyError, IndexError, TypeError) as error:
            raise ScenarioError(f"--set {assignment}: no {part!r} to append to") from error
    return target if isinstance(target, list) else [target]


def _put(target: Any, parts: Sequence[Any], value: object, assignment: str) -> None:
    """Put a value at a path.

    Examples
    --------
    >>> entries = {"protocol": [{"kind": "exact"}, {"kind": "block", "alpha": 0.1}]}
    >>> _put(entries, ["protocol", "alpha"], 0.2, ""); entries["protocol"]
    [{'kind': 'exact'}, {'kind': 'block', 'alpha': 0.2}]
    >>> entries = {"protocol": ["randomized", {"kind": "block"}]}
    >>> _put(entries, ["protocol", "alpha"], 0.2, ""); entries["protocol"]
    [{'kind': 'randomized', 'alpha': 0.2}, {'kind': 'block', 'alpha': 0.2}]
    """
    head, rest = parts[0], parts[1:]
    if isinstance(target, list) and isinstance(head, str):
        mappings = [entry for entry in target if isinstance(entry, dict)]
        chosen = [entry for entry in mappings if head in entry] or mappings
        if not chosen:
            raise ScenarioError(f"--set {assignment}: a list takes a number, not {head!r}")
        for entry in chosen:
            _put(entry, parts, value, assignment)
        return
    if isinstance(target, list):
        if head >= len(target):
            raise ScenarioError(f"--set {assignment}: place {must_be(f'at most {len(target) - 1}', head)}")
    elif not isinstance(target, dict):
        raise ScenarioError(f"--set {assignment}: {target!r} has nothing inside")
    else:
        head = str(head)
    if not rest:
        target[head] = value
        return
    if isinstance(target, dict):
        # protocol: robust becomes {kind: robust}, so that its parameters can be set; another scalar gives way
        before = target.get(head)
        if head in ROLES and isinstance(before, str | list):
            listed = before if isinstance(before, list) else [before]
            mappings = [{"kind": one} if isinstance(one, str) else one for one in listed]
            target[head] = mappings if isinstance(before, list) else mappings[0]
        elif not isinstance(before, dict | list):
            target[head] = {}
    _put(target[head], rest, value, assignment)
