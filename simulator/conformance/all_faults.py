"""All faults of a class, whatever its kind."""

from __future__ import annotations

from typing import Any

from adversaries import Adversary, Choice
from mechanisms import Counter
from protocols.base import Protocol
from simulator.conformance.adversaries import adversary_checks
from simulator.conformance.counters import counter_checks
from simulator.conformance.failure import ConformanceError, faults
from simulator.conformance.protocols import protocol_checks


def all_faults(thing: Any) -> tuple[list[str], list[ConformanceError]]:
    """Put a protocol, an adversary or a private counter through all tests of its kind, also after one has failed.

    Returns
    -------
    checks, faults
        The names of the tests, and the faults: each with its `check` and the way to `mend` it. A fault that stops
        several checks is listed once.

    Raises
    ------
    TypeError
        There are no conformance tests for such a thing.

    Examples
    --------
    >>> from protocols import Deterministic
    >>> all_faults(Deterministic(alpha=0.2))[1]
    []
    """
    if isinstance(thing, Protocol):
        checks = protocol_checks(thing)
    elif isinstance(thing, Adversary) or callable(thing):
        checks = adversary_checks(thing if isinstance(thing, Adversary) else Choice(thing))
    elif isinstance(thing, Counter):
        checks = counter_checks(thing)
    else:
        raise TypeError(f"a {type(thing).__name__} is neither protocol, nor adversary, nor private counter")
    by_text: dict[str, ConformanceError] = {}
    for fault in faults(checks):
        by_text.setdefault(str(fault), fault)
    return list(checks), list(by_text.values())
