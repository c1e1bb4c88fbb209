"""What to write: the entry of a kind with parameters in place of other forms, the method that a class lacks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping

from disttrack.simulator.errors import accepted


def joined(text: str, parameters_of: Callable[[str], Collection[str] | None]) -> tuple[str, dict[str, str]] | None:
    """Return the name of a kind and its parameters in a text that has both; None if it does not.

    A number without a name is the value of the first parameter that is not named.

    Parameters
    ----------
    parameters_of
        The parameters of a kind by its name, None where there is no such kind.

    Examples
    --------
    >>> parameters_of = {"randomized": ["alpha", "delta"]}.__getitem__
    >>> joined("randomized:0.1", parameters_of), joined("randomized(delta=0.1)", parameters_of)
    (('randomized', {'alpha': '0.1'}), ('randomized', {'delta': '0.1'}))
    """
    name, *rest = re.split(r"[:\s(]+", text, maxsplit=1)
    value = r"\[[^]]*\]|\{[^}]*\}|'[^']*'|\"[^\"]*\"|[^\s,=:()]+"
    words = re.findall(rf"(?:([A-Za-z_]\w*)\s*[=:\s]\s*)?({value})", rest[0] if rest else "")
    nameless = [value for key, value in words if not key]
    if not words or not all(re.match(r"[-.\d\[]", one) for one in nameless):
        return None
    known = parameters_of(name)
    free = [one for one in known or () if one not in dict(words)]
    if known is None or len(nameless) > len(free) or not {key for key, _ in words if key} <= {*known}:
        return None
    return name, {key or free.pop(0): value for key, value in words}


def unnamed(text: str, parameters_of: Callable[[str], Collection[str] | None]) -> str:
    """Return what to write for a kind and a word that names no parameter, ``cost:sites``; empty for other texts."""
    name, _, value = text.partition(":")
    known = parameters_of(name)
    return f"{text}: a parameter has a name; write {name}:NAME={value} ({accepted(known)})" if known else ""


def in_file(name: str, given: Mapping[str, object]) -> str:
    """Return a kind with its parameters as an entry of a file.

    >>> in_file("randomized", {"alpha": 0.1})
    '{kind: randomized, alpha: 0.1}'
    """
    return f"{{kind: {', '.join([name, *(f'{key}: {value}' for key, value in given.items())])}}}"


def as_entry(given: object, kinds: Collection[str]) -> str:
    """Return advice for an entry whose key is a kind: ``; write {kind: randomized, alpha: 0.1}``, or nothing."""
    for name, inner in given.items() if isinstance(given, Mapping) and "kind" not in given else ():
        if name in kinds:
            return f"; write {in_file(name, inner if isinstance(inner, Mapping) else {})}"
    return ""


def untyped(method: Callable[..., object]) -> inspect.Signature:
    """Return the signature of a method without types."""
    given = inspect.signature(method)
    names = [one.replace(annotation=one.empty) for one in given.parameters.values()]
    return given.replace(parameters=names, return_annotation=given.empty)
