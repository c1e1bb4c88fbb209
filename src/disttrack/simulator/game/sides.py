"""The two sides that a Python call is given, and what to write in place of anything else."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Final

from disttrack.adversaries.base import Adversary, Opponent
from disttrack.adversaries.contents import ItemAdversary
from disttrack.adversaries.scripts import from_function
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import MEANT, nearest
from disttrack.simulator.kinds.registry import Role, kinds, parameters

_ORDER: Final = "play(protocol, adversary, …)"


def check_protocol(protocol: object) -> None:
    """Raise TypeError unless a protocol is one."""
    if isinstance(protocol, type) and issubclass(protocol, Protocol):
        raise TypeError(f"protocol must be an object: {call_of(protocol)}, with its parameters; got the class")
    if isinstance(protocol, Opponent) or (isinstance(protocol, str) and protocol in kinds("adversary")):
        raise TypeError(f"protocol must be a Protocol, and {protocol!r} is an adversary: {_ORDER}")
    if not isinstance(protocol, Protocol):
        example = _of_name("protocol", protocol) or "Deterministic(alpha=0.1)"
        raise TypeError(f"protocol must be a Protocol, such as {example}; got {protocol!r}")


def as_adversary(adversary: object) -> Adversary | ItemAdversary:
    """Return an adversary, also that of a function; TypeError if it is neither."""
    if isinstance(adversary, Adversary | ItemAdversary):
        return adversary
    if isinstance(adversary, type):
        raise TypeError(f"adversary must be an object: {call_of(adversary)}, with its parameters; got the class")
    if isinstance(adversary, Protocol) or (isinstance(adversary, str) and adversary in kinds("protocol")):
        raise TypeError(f"adversary must be an Adversary, and {adversary!r} is a protocol: {_ORDER}")
    if not callable(adversary):
        advice = "a class must extend Adversary, and a function is given without calling it"
        if example := _of_name("adversary", adversary):
            advice = f"such as {example}"
        raise TypeError(f"adversary must be an Adversary or a function of the view ({advice}); got {adversary!r}")
    return from_function(adversary)


def call_of(maker: type) -> str:
    """Return the call that makes an object of a class, with the parameters that it needs.

    Examples
    --------
    >>> from disttrack import Freeze, Robust
    >>> call_of(Freeze), call_of(Robust)
    ('Freeze()', 'Robust(alpha=0.1)')
    """
    needed = [name for name, default in parameters(maker).items() if default is MISSING]
    return f"{maker.__name__}({', '.join(f'{name}=0.1' if name == 'alpha' else f'{name}=…' for name in needed)})"


def _of_name(role: Role, name: object) -> str:
    """Return the call that makes the kind of a name, or of the one nearest to it; empty if there is none."""
    if not isinstance(name, str):
        return ""
    known = kinds(role)
    near = name if name in known else nearest(name, known).removeprefix(MEANT).strip("'?")
    return call_of(known[near].load()) if near else ""
