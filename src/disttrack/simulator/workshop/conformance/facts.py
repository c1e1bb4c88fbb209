"""What every class must do, whatever its kind: state its facts, and refuse parameters that make no sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from inspect import isfunction
from typing import Any, Final

from disttrack.nearest import near
from disttrack.simulator.errors import accepted
from disttrack.simulator.workshop.conformance.failure import Checks, ConformanceError, survives_pickling, unless

STATED: Final = {
    "kind": "my-name",
    "source": "paper, theorem",
    "reveals": "nothing",
    "error": "O(log t)",
    "memory": "O(log t)",
}
"""Facts that a class states as texts, each with an example."""


def states(thing: object, texts: Sequence[str], choices: Mapping[str, Sequence[str]], *, parameters: bool) -> Checks:
    """Check the facts that a class states of itself.

    Parameters
    ----------
    texts
        Attributes that are texts, see `STATED`.
    choices
        Attributes that are one of a few words, and these.
    parameters
        Whether it must be a frozen dataclass, which is the same one after pickling.
    """
    for name in texts:
        yield unless(getattr(thing, name), f"states no {name}", f"state {name} = {STATED[name]!r}")
    for name, words in choices.items():
        value = getattr(thing, name)
        yield unless(value in words, f"unknown {name} {value!r}", accepted(words))
    maker = type(thing)
    for name in vars(maker):
        yield _misspelt(maker, name)
    yield unless(maker.__doc__, "no docstring", "write one")
    if parameters:
        own = vars(maker).get("__dataclass_params__")
        mend = "write @dataclass(frozen=True) above it"
        yield unless(is_dataclass(thing) and own and own.frozen, "is not a frozen dataclass", mend)
    pickled = survives_pickling(thing)
    yield unless(not parameters or pickled == thing, "differs after pickling", "== must compare the parameters")


def _misspelt(maker: type, name: str) -> ConformanceError | None:
    """Return a fault if a method that no base class calls has nearly the name of one that the class leaves as it is."""
    known = {one for base in maker.__mro__[1:] for one in vars(base) if one[0] != "_"}
    if name in known or name[0] == "_" or not isfunction(vars(maker)[name]):
        return None
    meant = near(name, known - vars(maker).keys(), cutoff=0.85)
    calls = isfunction(getattr(maker, meant, None))
    return unless(not calls, f"nothing calls {name}()", f"{meant}() meant?")


def refuses(thing: Any, wrong: Mapping[str, Sequence[object]]) -> Checks:
    """Check that a dataclass refuses these values of its fields, with an error that names the field."""
    yield None
    for field in fields(thing):
        for value in wrong.get(field.name, ()):
            fault = _refusal(thing, field.name, value)
            yield fault
            if fault:
                break


def _refusal(thing: Any, name: str, value: object) -> ConformanceError | None:
    try:
        replace(thing, **{name: value})
    except (ValueError, TypeError) as error:
        return unless(name in str(error), f"{name}={value!r}: the error names no {name}", "begin with it")
    own = "__post_init__" in vars(type(thing))
    mend = "call super().__post_init__()" if own else f"raise ValueError('{name} must …') in __post_init__"
    return unless(False, f"accepts {name}={value!r}", mend)
