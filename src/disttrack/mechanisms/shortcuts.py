"""Shortcuts of a class: what it states about its rules, or plays in their place.

A fast form, a bound, a promise or a flag is a claim about the methods beside it, the *rules*. A subclass that changes
a rule must not be played, nor judged, by the claims of its parent. So each base class lists its shortcuts once, and a
class that changes a rule below the class that states a shortcut gets the value that claims nothing in its place. It
may state the shortcut again. All gates read the attributes as usual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from inspect import getattr_static
from types import MemberDescriptorType
from typing import ClassVar, Final, NamedTuple

from disttrack.loaded import note_module

LABELS: Final = frozenset(
    {"kind", "source", "plays", "reveals", "mark", "faults", "shortcuts", "descriptions", "hooks", "as_mapping"}
)
"""Attributes that name or describe a class, and are no rules."""
VOID: Final = "_void_shortcuts"
"""The shortcuts that a class has lost, each with the rule that it changes."""


class Shortcut(NamedTuple):
    """A claim of a class about its rules.

    Attributes
    ----------
    void
        The value that claims nothing; `KEPT` where the gate asks `void_by` instead.
    of
        Shortcuts and descriptions that it also stands for; it always stands for all rules.
    """

    void: object
    of: tuple[str, ...] = ()


KEPT: Final = object()
"""Marks a shortcut that the rules call themselves, and that therefore stays in place."""


class Shortcuts:
    """Base of classes with shortcuts: they hold only for subclasses that change no rule.

    All methods and class attributes are rules, except those of `shortcuts`, `descriptions`, parameters (the fields of a
    dataclass) and names with two underscores. To define what was abstract, or one of its `hooks`, changes no rule.
    """

    __slots__ = ()

    shortcuts: ClassVar[Mapping[str, Shortcut]] = {}
    """The shortcuts that this class introduces; those of its bases are added."""
    descriptions: ClassVar[frozenset[str]] = frozenset()
    """Further attributes that describe a class, or serve its shortcuts only."""
    hooks: ClassVar[frozenset[str]] = frozenset()
    """Methods of this class that its direct subclasses may replace, as if they were abstract."""

    def __init_subclass__(cls, **more: object) -> None:
        super().__init_subclass__(**more)
        settle(cls)
        note_module(cls.__module__)


def settle(cls: type) -> None:
    """Take from a class the shortcuts of its bases whose rules it changes."""
    lost = dict(vars(cls).get(VOID, {}))  # a dataclass with slots makes its class twice
    for name, shortcut in _shortcuts(cls).items():
        if (owner := _stated_by(cls, name)) not in (None, cls) and (rule := changed(cls, owner, shortcut.of)):
            lost[name] = rule
            if shortcut.void is not KEPT:
                setattr(cls, name, shortcut.void)
    setattr(cls, VOID, lost)


def settle_anew(cls: type) -> None:
    """Settle the classes of a user's once more: a decorator puts methods into a class that is already made."""
    for one in reversed(cls.__mro__):
        if not one.__module__.startswith("disttrack.") and issubclass(one, Shortcuts):
            settle(one)


def changed(cls: type, base: type, of: tuple[str, ...] = ()) -> str:
    """Return a rule of `base` that `cls`, or a class between them, changes; empty if there is none.

    Parameters
    ----------
    of
        Shortcuts and descriptions that count as rules here.
    """
    return next(changes(cls, base, of), "")


def changes(cls: type, base: type, of: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield all rules that `changed` may return."""
    mro = cls.__mro__
    no_rules = _no_rules(cls).difference(of)
    for place, one in enumerate(mro[: mro.index(base)]):
        for name in {**vars(one), **vars(one).get("__annotations__", {})}:
            above = [other for other in mro[place + 1 :] if name in vars(other)]
            if above and name not in no_rules and _changes(one, name, above):
                yield name


def changed_since(cls: type, name: str) -> str:
    """Return a rule that is changed below the first base that defines a method; empty if there is none."""
    bases = (one for one in reversed(cls.__mro__) if name in vars(one))
    return changed(cls, next(one for one in bases if not getattr(vars(one)[name], "__isabstractmethod__", False)))


def void_by(cls: type, name: str) -> str:
    """Return the rule whose change makes a shortcut of a class void; empty if it is not void."""
    owner = next((one for one in cls.__mro__ if name in vars(one).get(VOID, ())), None)
    if owner is None or any(name in vars(one) for one in cls.__mro__[: cls.__mro__.index(owner)]):
        return ""
    return str(vars(owner)[VOID][name])


def lost(cls: type) -> dict[tuple[str, str], list[str]]:
    """Return the shortcuts that a class has lost, by the class below which they are void, and the rule that it changes.

    Examples
    --------
    >>> from disttrack.protocols import Exact
    >>> lost(type("Late", (Exact,), {"server": lambda self, k, rng, start=(): None, "cost_bound": Exact.cost_bound}))
    {('Late', 'server'): ['kernel_form', 'guarantee', 'one_sided', 'readmission', 'returned_site']}
    """
    names: dict[tuple[str, str], list[str]] = {}
    for name in _shortcuts(cls):
        if rule := void_by(cls, name):
            owner = next(one for one in cls.__mro__ if name in vars(one).get(VOID, ()))
            names.setdefault((owner.__name__, rule), []).append(name)
    return names


def held(cls: type) -> dict[str, object]:
    """Return the shortcuts of a class as they stand, for a subclass that changes a rule on purpose and keeps them."""
    return {name: getattr_static(cls, name) for name in _shortcuts(cls) if _stated_by(cls, name)}


_changed_before: Final = lru_cache(maxsize=256)(changed)


def state(thing: object, owner: object, name: str, value: object) -> None:
    """State a shortcut of one object of a frozen class, unless its class changes a rule of the one that states it."""
    cls: object = type(thing)
    if not _changed_before(cls, owner):
        object.__setattr__(thing, name, value)


def stated(bound: Callable[..., float], *given: object) -> float | None:
    """Return what a bound states; None if it states none."""
    try:
        return bound(*given)
    except NotImplementedError:
        return None


def shadowed(thing: object) -> str:
    """Return a rule that is set on the object itself and that a shortcut of its class claims something about.

    A shortcut claims nothing about what a class below the one that states it defines.
    """
    cls = type(thing)
    more = getattr(thing, "__dict__", {}).keys() - getattr(cls, "__dataclass_fields__", {}).keys()
    if not more:
        return ""
    claims = [owner for name in _shortcuts(cls) if (owner := _stated_by(cls, name)) is not None]
    for name in (one for one in vars(thing) if one in more - _no_rules(cls) and callable(getattr(cls, one, None))):
        definer = next(one for one in cls.__mro__ if name in vars(one))
        if any(issubclass(owner, definer) for owner in claims):
            return name
    return ""


def _shortcuts(cls: type) -> dict[str, Shortcut]:
    tables: Iterator[Mapping[str, Shortcut]] = (vars(one).get("shortcuts", {}) for one in reversed(cls.__mro__))
    return {name: shortcut for table in tables for name, shortcut in table.items()}


def _no_rules(cls: type) -> frozenset[str]:
    return LABELS.union(_shortcuts(cls), *(vars(one).get("descriptions", ()) for one in cls.__mro__))


def _stated_by(cls: type, name: str) -> type | None:
    """Return the class that states a shortcut of a class; None if nothing is claimed."""
    owners = [one for one in cls.__mro__ if name in vars(one)]
    if not owners or name in vars(owners[0]).get(VOID, ()):
        return None
    void = _shortcuts(cls)[name].void
    claims_nothing = owners[1:] == [] if void is KEPT else vars(owners[0])[name] == void
    return None if claims_nothing else owners[0]


def _is_open(one: type, above: type, name: str) -> bool:
    """Return whether a class leaves a method to a subclass."""
    hook = above in one.__bases__ and name in vars(above).get("hooks", ())
    return hook or getattr(vars(above)[name], "__isabstractmethod__", False)


def _changes(one: type, name: str, above: Sequence[type]) -> bool:
    """Return whether a class changes a rule by a name that the classes above define too, however it defines it.

    A default of a parameter of theirs is no rule, unless a property takes its place.
    """
    if name.startswith(("__", "_abc_")) or name == VOID:
        return name == "__getattribute__"
    replaced = hasattr(type(vars(one).get(name)), "__set__") and not isinstance(vars(one)[name], MemberDescriptorType)
    return (replaced or any(_is_rule(other, name) for other in above)) and not _is_open(one, above[0], name)


def _is_rule(cls: type, name: str) -> bool:
    """Return whether what a class defines under a name is a rule: no slot, and no field of a dataclass."""
    is_field = is_dataclass(cls) and name in {field.name for field in fields(cls)}
    return not is_field and not isinstance(vars(cls)[name], MemberDescriptorType)
