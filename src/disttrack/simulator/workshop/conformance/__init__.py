"""Conformance: the same tests for every protocol, adversary and private counter, built in or a user's own.

>>> from disttrack.protocols import Deterministic
>>> "step and leap agree" in check_protocol(Deterministic(alpha=0.2), items=100)
True
"""

from disttrack.simulator.workshop.conformance.failure import ConformanceError
from disttrack.simulator.workshop.conformance.suites import (
    all_faults,
    check_adversary,
    check_counter,
    check_protocol,
    games_of,
    remarks_on,
    untested,
)

__all__ = [
    "ConformanceError",
    "all_faults",
    "check_adversary",
    "check_counter",
    "check_protocol",
    "games_of",
    "remarks_on",
    "untested",
]
