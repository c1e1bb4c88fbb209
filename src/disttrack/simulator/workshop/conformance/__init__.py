"""Conformance: the same tests for every protocol, adversary and private counter, built in or a user's own.

>>> from disttrack.protocols import Deterministic
>>> "step and leap agree" in check_protocol(Deterministic(alpha=0.2), items=100)
True
"""

from disttrack.simulator.workshop.conformance.failure import ConformanceError as ConformanceError
from disttrack.simulator.workshop.conformance.suites import all_faults as all_faults
from disttrack.simulator.workshop.conformance.suites import check_adversary as check_adversary
from disttrack.simulator.workshop.conformance.suites import check_counter as check_counter
from disttrack.simulator.workshop.conformance.suites import check_protocol as check_protocol
from disttrack.simulator.workshop.conformance.suites import games_of as games_of
from disttrack.simulator.workshop.conformance.suites import remarks_on as remarks_on
from disttrack.simulator.workshop.conformance.suites import untested as untested
