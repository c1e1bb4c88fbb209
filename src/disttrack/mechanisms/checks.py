"""Checks of parameters: each error names the argument, its value and the accepted values.

A class of parameters declares its ranges as types of its fields, and `Checked` refuses other values:

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Coin(Checked):
...     bias: Share
...     tosses: Whole | None = None
>>> Coin(bias=1.5)
Traceback (most recent call last):
    ...
ValueError: bias must be a number between 0 and 1, both excluded; got 1.5
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

from disttrack.mechanisms.docstrings import inherit_parameters
from disttrack.mechanisms.shortcuts import Shortcuts
from disttrack.nearest import nearest

Check = Callable[[str, Any], None]
"""Function of a name and a value that raises ValueError unless the value is accepted."""


def plain(value: object) -> Any:
    """Return a number of numpy's as Python's, which tables and files write alike; anything else as it is.

    Examples
    --------
    >>> import numpy as np
    >>> plain(np.int64(8)), plain(np.float64(0.1)), plain("x")
    (8, 0.1, 'x')
    """
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value


def with_plain_numbers(thing: Any) -> None:
    """Put Python's numbers in place of numpy's in the fields of a frozen dataclass."""
    for field in fields(thing):
        value = getattr(thing, field.name, None)
        if (same := plain(value)) is not value:
            object.__setattr__(thing, field.name, same)


def number(name: str, value: object, accepted: str, fits: Callable[[float], bool]) -> None:
    """Raise ValueError unless `value` is a number that fits; `accepted` describes the accepted numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not fits(value):
        raise ValueError(f"{name} must be a number {accepted}; got {value!r}")


def array_of(name: str, values: object) -> Any:
    """Return values as an array; ValueError for a masked one, whose mask an array drops.

    Examples
    --------
    >>> import numpy as np
    >>> array_of("sites", [0, 1]), array_of("sites", np.ma.array([0, 1])).tolist()
    (array([0, 1]), [0, 1])
    """
    import numpy as np

    if np.ma.is_masked(values):
        raise ValueError(f"{name} must have no masked entry: fill them, or leave them out")
    return np.asarray(values)


def positive(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a finite number above 0."""
    number(name, value, "above 0", lambda value: 0 < value < math.inf)


def probability(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a number strictly between 0 and 1."""
    number(name, value, "between 0 and 1, both excluded", lambda value: 0 < value < 1)


def finite(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number; got {value!r}")


def whole(name: str, value: object, least: int = 1) -> None:
    """Raise ValueError unless `value` is a whole number of at least `least`."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}")


def odd(name: str, value: int) -> None:
    """Raise ValueError unless the whole number `value` is odd."""
    if value % 2 == 0:
        raise ValueError(f"{name} must be an odd number; got {value!r}")


def flag(name: str, value: object) -> None:
    """Raise ValueError unless `value` is true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false; got {value!r}")


def one_of(name: str, value: object, accepted: Collection[str]) -> None:
    """Raise ValueError unless `value` is accepted; a similar name is suggested."""
    if value not in accepted:
        raise ValueError(f"{name} must be one of {', '.join(accepted)}; got {value!r}{nearest(value, accepted)}")


def at_most(most: float) -> Check:
    """Return the check of numbers up to `most`."""

    def check(name: str, value: float) -> None:
        if value > most:
            raise ValueError(f"{name} must be at most {most}; got {value!r}")

    return check


def at_least(least: int) -> Check:
    """Return the check of whole numbers from `least`."""
    return partial(whole, least=least)


def numbers(accepted: str, fits: Callable[[float], bool]) -> Check:
    """Return the check of the numbers that fit; `accepted` describes them."""
    return partial(number, accepted=accepted, fits=fits)


Positive = Annotated[float, positive]
Share = Annotated[float, probability]
Finite = Annotated[float, finite]
FromZero = Annotated[float, numbers("from 0, and below 1", lambda value: 0 <= value < 1)]
NotNegative = Annotated[float, numbers("of at least 0", lambda value: 0 <= value < math.inf)]
FromOne = Annotated[float, numbers("of at least 1", lambda value: 1 <= value < math.inf)]
UpToOne = Annotated[float, numbers("above 0 and at most 1", lambda value: 0 < value <= 1)]
ZeroToOne = Annotated[float, numbers("from 0 to 1", lambda value: 0 <= value <= 1)]
Flag = Annotated[bool, flag]
Whole = Annotated[int, whole]
Natural = Annotated[int, at_least(0)]
Odd = Annotated[int, whole, odd]


class Checked(Shortcuts):
    """Base of parameters: refuses values out of the ranges that the types of its fields declare.

    The docstring of a subclass gets the descriptions of the parameters that it inherits.

    Raises
    ------
    ValueError
        If a value is out of its range.
    TypeError
        If a type cannot be resolved, such as one that is imported for type checkers only: it may declare a range.
    """

    source: ClassVar[str] = ""
    """Paper and section, or the origin of the idea: by default the first sentence of the docstring's section Source."""

    lacks: ClassVar[Mapping[str, str]] = {}
    """Parameters that kinds like this one have, by why it has none."""
    decides: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Parameters that take the place of others where they are given, and these others."""

    def __init_subclass__(cls, **more: object) -> None:
        super().__init_subclass__(**more)
        inherit_parameters(cls)
        stated = re.search(r"\nSource\n-+\n(.+?)(?:\.?\n\n|\.\n|\.?$)", inspect.cleandoc(cls.__doc__ or ""), re.DOTALL)
        if stated and "source" not in vars(cls):
            cls.source = " ".join(stated[1].split())

    def __new__(cls, *values: object, **named: object) -> Self:
        """Refuse parameters that there are not, with those that there are."""
        maker: Any = cls
        taken = _taken(maker)
        if taken is not None and (wrong := next((name for name in named if name not in taken), "")):
            why = f": {cls.lacks[wrong]}" if wrong in cls.lacks else nearest(wrong, taken)
            raise TypeError(f"{cls.__name__} has no parameter {wrong!r}{why} ({_accepted(taken)})")
        if values and cls.__init__ is object.__init__:
            raise TypeError(f"{cls.__name__} takes no value ({_accepted(())})")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        maker: Any = type(self)
        with_plain_numbers(self)
        for name, check, optional in _declared(maker):
            value = getattr(self, name)
            if value is not None or not optional:
                check(name, value)
        for decider, others in maker.decides.items():
            for name in others if getattr(self, decider) is not None else ():
                if getattr(self, name) != getattr(maker, name):
                    raise ValueError(f"{name} must be left out where {decider} is given, which decides it")

    def as_mapping(self) -> dict[str, Any]:
        """Return the parameters by name, as in a scenario file; nothing for a class that is no dataclass."""
        maker = type(self)
        return {one.name: getattr(self, one.name) for one in fields(maker) if one.init} if is_dataclass(maker) else {}


@lru_cache(maxsize=256)
def _taken(maker: Any) -> tuple[str, ...] | None:
    """Return the parameters of a class; None if it takes any name."""
    if maker.__init__ is object.__init__:
        return ()
    _, *known = inspect.signature(maker.__init__).parameters.values()
    return None if any(one.kind is one.VAR_KEYWORD for one in known) else tuple(one.name for one in known)


def _accepted(names: Collection[str]) -> str:
    return f"accepted: {', '.join(names)}" if names else "it has none; the fields of a @dataclass are parameters"


@lru_cache(maxsize=256)
def _declared(maker: Any) -> tuple[tuple[str, Check, bool], ...]:
    """Return the fields that declare a range, its check, and whether None is accepted too."""
    try:
        hints = get_type_hints(maker, include_extras=True)
    except NameError as error:
        advice = "import it at run time too, since a type may declare a range"
        raise TypeError(f"{maker.__name__}: a type of its fields cannot be resolved, {error}; {advice}") from error
    return tuple(
        (field.name, check, type(None) in get_args(hints[field.name]))
        for field in fields(maker)
        for check in _checks(hints[field.name])
    )


def _checks(hint: Any) -> Iterator[Check]:
    """Return the checks in a type: those of its annotation, that of its literals, or those of a type or None."""
    if get_origin(hint) is Annotated:
        yield from filter(callable, hint.__metadata__)  # a user's annotation may have other entries
    elif get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _checks(part)
    elif get_origin(hint) is Literal:
        yield partial(one_of, accepted=get_args(hint))
