"""Named faults: a protocol or mechanism with one part broken, for controls of claims and for tests, not for results.

A claim that also holds for a broken system is worthless. A control plays the same points with a fault in the protocol,
and the claim must fail there. Each class states the `faults` that it can have: a mapping from their names to mixin
classes (`FaultyPart`) that precede it, or to ``module:Class``, which is imported when the fault is made. The broken
protocol is derived from the real one: its sites, its server and its constants are the package's, and only the named
part differs.

>>> from disttrack.protocols import Robust
>>> protocol = broken(Robust(alpha=0.1), "no-noise")
>>> protocol.fault, protocol.kind, protocol == Robust(alpha=0.1)
('no-noise', 'robust', False)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from disttrack.mechanisms.shortcuts import changes, held
from disttrack.simulator.errors import ScenarioError, accepted
from disttrack.simulator.kinds.installed import is_compared
from disttrack.simulator.kinds.source import import_reference

FORMS: Final = ("kernel_form", "item_form")
"""Compiled forms, which a broken protocol has only where its fault states one."""


def faults_of(maker: Any) -> dict[str, Any]:
    """Return the faults that objects of a class can have, each with its mixin, whose docstring says what it breaks.

    They are those that the class and its bases state; of one name the most specific one is taken. A class of the
    user's that changes a rule of the class that states a fault does not inherit it: the changed part would stay intact.
    """
    found: dict[str, Any] = {}
    for owner in maker.__mro__:
        for name, part in vars(owner).get("faults", {}).items():
            if name not in found and not _is_changed(maker, owner):
                found[name] = import_reference(part) if isinstance(part, str) else part
    return found


def _is_changed(maker: Any, owner: type) -> bool:
    """Return whether a class of the user's, below the one that states a fault, changes a rule of that one."""
    base = next(one for one in maker.__mro__ if one is owner or is_compared(one.__module__))
    return any(_defines(owner, rule) for rule in changes(maker, base))


def _defines(cls: type, name: str) -> bool:
    rule = getattr(cls, name, None)
    return rule is not None and not getattr(rule, "__isabstractmethod__", False)


def broken(thing: Any, name: str) -> Any:
    """Return the protocol or mechanism with a fault, of its class and with its parameters; `fault` is its name.

    Raises
    ------
    ScenarioError
        If its class can have no such fault.
    """
    intact: Any = type(thing)
    known = faults_of(getattr(thing, "intact", intact))
    if name not in known:
        called = getattr(intact, "kind", "") or intact.__name__
        raise ScenarioError(
            f"fault {name}: {called} has no such fault ({accepted(known)}; or another protocol or adversary as control)"
        )
    copy: Any = object.__new__(_with(name, known[name], intact))
    copy.__dict__.update(thing.__dict__)
    return copy


@cache
def _with(name: str, part: Any, intact: Any) -> Any:
    """Return the class of protocols with this fault, cached, so that two instances can be compared."""
    # a broken protocol is judged by the promise of the intact one; its compiled form would play the intact parts
    claims = {claim: value for claim, value in held(intact).items() if claim not in FORMS or hasattr(part, claim)}
    facts = {claim: getattr(part, claim, value) for claim, value in claims.items()}
    facts |= {"fault": name, "broken": staticmethod(broken), "intact": intact}
    facts |= {"__doc__": part.__doc__, "__module__": __name__}
    cls = type(intact)(f"{intact.__name__}[{name}]", (part, intact), facts)
    return dataclass(frozen=True)(cls)
