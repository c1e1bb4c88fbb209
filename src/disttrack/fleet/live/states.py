"""The state of a site or the server as msgpack: numbers, texts, containers, and objects of the project's own classes.

An object is stored as the name of its class and its attributes. To read one back, its class is looked up in the project
and nothing is called, not even its `__init__`: a state is data, and cannot run code. What is not data, such as a
generator or a function within a function, cannot be stored.
"""

from __future__ import annotations

import importlib
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, Final

import msgpack
import numpy as np

from disttrack.simulator.kinds.installed import is_compared

CONTAINERS: Final = {kind.__name__: kind for kind in (list, tuple, set, frozenset, deque)}
GENERATORS: Final = {kind.__name__: kind for kind in (np.random.PCG64, np.random.PCG64DXSM, np.random.Philox)}


def dump(value: object) -> bytes:
    """Return a value as bytes; objects that occur twice are stored once.

    Raises
    ------
    TypeError
        It contains what cannot be stored.

    Examples
    --------
    >>> load(dump({"a": [1, 2**70], "b": (None, {0.5})})) == {"a": [1, 2**70], "b": (None, {0.5})}
    True
    """
    packed: bytes = msgpack.packb(_Writer().node(value))
    return packed


def load(data: bytes) -> Any:
    """Return the value of these bytes.

    Raises
    ------
    ValueError
        They are not those of a value.
    """
    try:
        return _Reader().value(msgpack.unpackb(data, strict_map_key=False))
    except (TypeError, AttributeError, KeyError, IndexError, ImportError, RecursionError) as error:
        raise ValueError(f"no state of this version ({error})") from error


class _Writer:
    """Turns a value into nodes: itself if msgpack has it, otherwise a list of a tag and what belongs to it."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        self._kept: list[object] = []
        """The objects so far, so that no identity is used twice."""

    def node(self, value: object) -> Any:
        """Return the node of a value."""
        if value is None or type(value) in (bool, float, str, bytes):
            return value
        if type(value) is int:
            return value if -(2**63) <= value < 2**63 else ["int", str(value)]
        if isinstance(value, np.generic):
            return ["number", value.dtype.str, value.tobytes()]
        if id(value) in self._places:
            return ["again", self._places[id(value)]]
        self._places[id(value)] = len(self._kept)
        self._kept.append(value)
        return self._new(value)

    def _new(self, value: Any) -> Any:
        kind = type(value)
        if kind in CONTAINERS.values():
            return [kind.__name__, *map(self.node, value)]
        if kind is dict:
            return ["dict", *self._pairs(value)]
        if kind is range:
            return ["range", value.start, value.stop, value.step]
        if kind is defaultdict and isinstance(value.default_factory, type):
            made: Any = value.default_factory
            return ["defaultdict", _known(made).__module__, made.__qualname__, *self._pairs(value)]
        if kind is np.ndarray and value.dtype.kind in "biuf":
            return ["array", value.dtype.str, list(value.shape), value.tobytes()]
        if kind is np.random.Generator and type(value.bit_generator).__name__ in GENERATORS:
            state = value.bit_generator.state
            return ["generator", state["bit_generator"], self.node(state)]
        inner: list[object] = []
        _known(kind)
        if isinstance(value, tuple | list):
            inner = [self.node(one) for one in value]
        elif isinstance(value, dict):
            inner = self._pairs(value)
        elif isinstance(value, set | frozenset | deque | int | float | str | bytes):
            raise TypeError(f"a state with a {kind.__name__} cannot be stored")
        return ["object", kind.__module__, kind.__qualname__, inner, self._pairs(dict(_attributes(value)))]

    def _pairs(self, mapping: dict[object, object]) -> list[object]:
        return [self.node(one) for pair in mapping.items() for one in pair]


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    """Yield the attributes of an object, those in slots too."""
    for kind in type(value).__mro__:
        names = kind.__dict__.get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            private = f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") else name
            if name not in ("__dict__", "__weakref__") and hasattr(value, private):
                yield private, getattr(value, private)
    yield from getattr(value, "__dict__", {}).items()


def _class_of(module: str, name: str) -> type:
    """Return a class of a compared package by its name."""
    if not is_compared(module):
        raise TypeError(f"{module} is no package that was compared")
    named: Any = importlib.import_module(module)
    for part in name.split("."):
        named = getattr(named, part, None)
    if not isinstance(named, type):
        raise TypeError(f"{module} has no class {name}")
    return named


def _known(kind: type) -> type:
    """Return a class if it can be found by its name; otherwise TypeError."""
    if not is_compared(kind.__module__) or _class_of(kind.__module__, kind.__qualname__) is not kind:
        raise TypeError(f"a state with a {kind.__name__} cannot be stored")
    return kind


class _Reader:
    """Turns nodes back into values, in the order of `_Writer`."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def value(self, node: object) -> Any:
        """Return the value of a node."""
        if not isinstance(node, list):
            return node
        tag, *rest = node
        match tag:
            case "int":
                return int(rest[0])
            case "number":
                return np.frombuffer(rest[1], rest[0])[0]
            case "again":
                return self._kept[rest[0]]
            case "range":
                self._kept.append(range(*rest))
                return self._kept[-1]
        place = len(self._kept)
        self._kept.append(None)
        self._kept[place] = self._empty(tag, rest)
        return self._fill(place, tag, rest)

    def _empty(self, tag: str, rest: list[Any]) -> Any:
        """Return the container or object without its content, which may refer to it."""
        if tag in ("list", "set", "deque", "dict"):
            return {"list": list, "set": set, "deque": deque, "dict": dict}[tag]()
        if tag == "defaultdict":
            return defaultdict(_class_of(rest[0], rest[1]))
        if tag != "object":
            return None
        kind: Any = _class_of(rest[0], rest[1])
        if issubclass(kind, tuple):
            return None
        base: Any = next(one for one in (list, dict, object) if issubclass(kind, one))
        return base.__new__(kind)

    def _fill(self, place: int, tag: str, rest: list[Any]) -> Any:
        made = self._kept[place]
        if tag == "array":
            made = np.frombuffer(rest[2], rest[0]).reshape(rest[1]).copy()
        elif tag == "generator":
            bits = GENERATORS[rest[0]]()
            bits.state = self.value(rest[1])
            made = np.random.Generator(bits)
        elif tag == "object":
            made = self._object(made, _class_of(rest[0], rest[1]), rest[2], rest[3])
        elif tag in ("dict", "defaultdict"):
            made.update(self._pairs(rest if tag == "dict" else rest[2:]))
        elif tag in ("tuple", "frozenset"):
            made = CONTAINERS[tag](map(self.value, rest))
        elif tag == "set":
            made.update(map(self.value, rest))
        elif tag in ("list", "deque"):
            made.extend(map(self.value, rest))
        else:
            raise TypeError(f"a node {tag!r}")
        self._kept[place] = made
        return made

    def _object(self, made: Any, kind: Any, inner: list[object], attributes: list[object]) -> Any:
        if issubclass(kind, tuple):
            made = tuple.__new__(kind, map(self.value, inner))
        elif issubclass(kind, list):
            list.extend(made, map(self.value, inner))
        elif issubclass(kind, dict):
            dict.update(made, self._pairs(inner))
        for name, value in self._pairs(attributes).items():
            object.__setattr__(made, name, value)
        return made

    def _pairs(self, nodes: list[object]) -> dict[Any, Any]:
        values = list(map(self.value, nodes))
        return dict(zip(values[::2], values[1::2], strict=True))
