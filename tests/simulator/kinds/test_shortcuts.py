"""A class is played as written: what its parent states, or plays in its place, is void once it changes a rule."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
import pytest

from disttrack.adversaries.base import Adversary, Opponent
from disttrack.mechanisms.counters.base import Run
from disttrack.mechanisms.shortcuts import VOID, Shortcuts, lost, settle_anew, void_by
from disttrack.protocols import Deterministic
from disttrack.protocols.base import Message, Protocol, Site
from disttrack.protocols.contents.base import ItemSite, ItemTracker
from disttrack.protocols.deterministic import _Site
from disttrack.simulator.kinds.registry import FAMILIES, kinds
from disttrack.simulator.workshop.conformance import remarks_on

NO_CLAIM: dict[type[Any], dict[str, Any]] = {
    Protocol: {"guarantee": "none", "one_sided": False, "draws_coins": True}
    | {"readmission": "none", "cost_bound": Protocol.cost_bound}
    | {"kernel_form": Protocol.kernel_form}
    | {"quick_bound": Protocol.quick_bound, "returned_site": Protocol.returned_site},
    Opponent: {"oblivious": False, "draws_coins": True},
    Adversary: {"machine": Adversary.machine},
    ItemTracker: {"guarantee": "none", "per_item": True},
    Run: {"release": Run.release},
}
"""What the gates read of a class that claims nothing."""
RULES: dict[type[Any], tuple[str, ...]] = {
    Protocol: ("sites", "server", "rule_of", "server_by", "rule", "tuned", "constants", "site"),
    Opponent: ("plan", "move", "script", "stretch", "updates", "weights"),
    Adversary: ("plan", "script"),
    ItemTracker: ("scale", "growth", "site", "server_by", "sites", "server"),
    Run: ("step",),
}
"""Rules that these shortcuts stand for, where a class has them."""


@cache
def classes() -> tuple[type[Any], ...]:
    """Return all registered classes, and those that their modules define beside them: their sites, servers and runs."""
    for family in FAMILIES:
        for kind in kinds(family).values():
            kind.load()

    def below(cls: type[Any]) -> Iterator[type[Any]]:
        for one in cls.__subclasses__():
            yield from (one, *below(one))

    shipped = [one for one in below(Shortcuts) if one.__module__.startswith("disttrack.")]
    return tuple(dict.fromkeys(one for one in shipped if ".faults" not in one.__module__))


def with_a_changed_rule(
    base: type[Any],
    rules: Sequence[str],
    way: Callable[[type[Any], str, Any], type[Any]] | None = None,
    of: random.Random | None = None,
) -> Iterator[tuple[str, type[Any]]]:
    """Yield subclasses of a shipped class that change one of these rules each, by a function that does the same.

    They are those of all shipped classes, or of six that are drawn.
    """
    way = way or as_a_method
    known = [cls for cls in classes() if issubclass(cls, base) and not inspect.isabstract(cls)]
    for cls in of.sample(known, min(6, len(known))) if of else known:
        for name in rules:
            rule = inspect.getattr_static(cls, name, None)
            if callable(rule):
                yield f"{cls.__name__}.{name}", way(cls, name, again(rule))


def own(cls: type[Any], *mixins: type[Any], **members: Any) -> type[Any]:
    return type(cls)("Own", (*mixins, cls), members)


def as_a_method(cls: type[Any], name: str, rule: Any) -> type[Any]:
    return own(cls, **{name: rule})


def annotated(cls: type[Any], name: str, rule: Any = None, says: str = "Callable[..., Any]") -> type[Any]:
    return own(cls, **({} if rule is None else {name: rule}), __annotations__={name: says})


def decorated(made: type[Any]) -> type[Any]:
    """Return a class as a dataclass, if the one that it extends is one."""
    given = getattr(made, "__dataclass_params__", None)
    return dataclass(frozen=given.frozen, kw_only=True)(made) if given is not None else made


def by_a_decorator(cls: type[Any], name: str, rule: Any) -> type[Any]:
    made = own(cls)
    setattr(made, name, rule)
    settle_anew(made)  # as before each game
    return made


WAYS: dict[str, Callable[[type[Any], str, Any], type[Any]]] = {
    "a method": as_a_method,
    "an annotated value": annotated,
    "a class variable": lambda cls, name, rule: annotated(cls, name, rule, "t.ClassVar"),
    "a field": lambda cls, name, rule: decorated(annotated(cls, name, field(default=rule))),
    "a field of a factory": lambda cls, name, rule: decorated(
        annotated(cls, name, field(default_factory=lambda: rule))
    ),
    "a field without default": lambda cls, name, rule: decorated(annotated(cls, name)),
    "a slot": lambda cls, name, rule: own(cls, __slots__=(name,)),
    "a property": lambda cls, name, rule: own(cls, **{name: property(lambda side: partial(rule, side))}),
    "a static method": lambda cls, name, rule: own(cls, **{name: staticmethod(rule)}),
    "a mixin": lambda cls, name, rule: own(cls, type("Mixin", (), {name: rule})),
    "a class between": lambda cls, name, rule: own(annotated(cls, name, rule)),
    "a decorator": by_a_decorator,
    "another access": lambda cls, name, rule: own(
        cls, __getattribute__=lambda side, name: object.__getattribute__(side, name)
    ),
}
"""Ways to put another rule in the place of one."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("base", NO_CLAIM, ids=lambda cls: cls.__name__)
def test_a_rule_is_changed_however_it_is_written(base: type[Any], way: str, draw: int) -> None:
    """Of classes that are drawn; the next test takes all of them, in the usual way."""
    hold_void(base, NO_CLAIM[base], RULES[base], WAYS[way], of=random.Random(f"{draw} {base} {way}"))


def again(rule: Any) -> Any:
    """Return another function that does the same."""

    def own(*given: Any, **more: Any) -> Any:
        return rule(*given, **more)

    return own


@pytest.mark.parametrize("base", NO_CLAIM, ids=lambda cls: cls.__name__)
def test_nothing_is_inherited_by_a_class_with_a_changed_rule(base: type[Any]) -> None:
    hold_void(base, NO_CLAIM[base], RULES[base])


def hold_void(
    base: type[Any],
    claims: Mapping[str, Any],
    rules: Sequence[str],
    way: Callable[[type[Any], str, Any], type[Any]] | None = None,
    of: random.Random | None = None,
) -> None:
    """Assert that a class with a changed rule claims what a class claims that claims nothing."""
    changed = list(with_a_changed_rule(base, rules, way, of))
    assert len({name.partition(".")[0] for name, _ in changed}) >= (4 if of is None else 1)
    held = {
        (name, claim): getattr(own, claim)
        for name, own in changed
        for claim, void in claims.items()
        if getattr(own, claim) != void
    }
    assert held == {}


def test_a_static_method_of_a_users_class_is_a_rule() -> None:
    base = type(Deterministic)("Base", (Deterministic,), {"sort": staticmethod(sorted), "guarantee": "always"})
    assert base.guarantee == "always"
    assert type(base)("Own", (base,), {"sort": staticmethod(reversed)}).guarantee == "none"


def test_what_no_default_can_void_is_stated_by_no_class_with_a_changed_rule() -> None:
    for name, own in with_a_changed_rule(ItemTracker, RULES[ItemTracker]):
        assert own.cost_bound(object.__new__(own), 4, 1000) == np.inf, name
    for cls in classes():
        if issubclass(cls, Site | ItemSite) and not inspect.isabstract(cls):
            own = type(cls)("Own", (cls,), {"__slots__": (), "take": again(cls.take)})
            assert own.silence(object.__new__(own)) == 0, cls


def test_every_site_that_is_shipped_states_its_silence() -> None:
    """Seen: sites of quotas that refund in another way woke at each request, four times as slow."""
    parts = [cls for cls in classes() if issubclass(cls, Site | ItemSite)]
    used = [cls for cls in parts if not inspect.isabstract(cls) and not any(one.__mro__[1] is cls for one in parts)]
    assert len(used) > 10
    assert {cls: rule for cls in used if (rule := void_by(cls, "silence"))} == {}


def test_a_class_that_changes_no_rule_keeps_what_its_parent_states() -> None:
    hold_kept(NO_CLAIM)


def hold_kept(no_claim: Mapping[type[Any], Mapping[str, Any]]) -> None:
    """Assert that a class that changes no rule keeps what its parent states."""
    for cls in classes():
        made = own(cls, __doc__="Another name.", kind="own", __module__=cls.__module__)
        for base, claims in no_claim.items():
            if issubclass(cls, base):
                assert {name: getattr(made, name) for name in claims} == {name: getattr(cls, name) for name in claims}


def test_every_shortcut_that_a_class_loses_is_named(draw: int) -> None:
    """Of a third of all classes, subclasses that change a rule each: what `settle` voids is listed, with the rule."""
    told = 0
    for base in random.Random(draw).sample(classes(), len(classes()) // 3):
        for name in [name for one in base.__mro__ for name in vars(one) if callable(vars(one)[name])]:
            if name.startswith("__"):
                continue
            made = type("Changed", (base,), {name: lambda *given: None, "__module__": __name__})
            gone = vars(made)[VOID]
            named = {one: rule for (_, rule), names in lost(made).items() for one in names}
            assert gone.items() <= named.items(), (base, name)
            told += len(gone)
    assert told > 200


class OtherForm:
    """What only the compiled form below reads."""


@dataclass(frozen=True)
class Reads(Deterministic):
    """Its compiled form reads a class attribute."""

    kind = "reads"
    form: ClassVar[type] = Deterministic

    def kernel_form(self, *parts: Any) -> Any:
        return super().kernel_form(*parts) if self.form is Deterministic else None


@dataclass(frozen=True)
class ReadsAnother(Reads):
    """Changes the attribute, so that nobody knows whether the form still holds."""

    kind = "reads-another"
    form: ClassVar[type] = OtherForm


class Late(_Site):
    """Changes what a shipped site takes."""

    def take(self, items: int) -> Sequence[Message]:
        return super().take(items)


def test_conformance_names_what_a_class_and_its_sites_do_not_inherit() -> None:
    assert not [line for line in remarks_on(Reads(alpha=0.1)) if "state again" in line]
    gone = "kernel_form, cost_bound, guarantee, readmission, returned_site"
    said = f"ReadsAnother changes form: state again, if it holds: {gone}"
    assert said in [*remarks_on(ReadsAnother(alpha=0.1))]
    assert not [line for line in remarks_on(Deterministic(alpha=0.1)) if "state again" in line]
    made = Deterministic(alpha=0.1).sites(1, np.random.default_rng(0))
    assert lost(type(made[0])) == {}
    assert lost(Late) == {("Late", "take"): ["silence"]}
