"""Measured privacy: the lower bound on epsilon from runs on neighbouring inputs, compared with the claim.

>>> from disttrack.mechanisms import PerItem
>>> from disttrack.simulator.tasks.audit import audit
>>> result = audit(PerItem(epsilon=1.0, horizon=4), runs=2_000)
>>> result.epsilon_low <= result.epsilon
True
"""

from __future__ import annotations

from typing import Any

from disttrack.protocols import Robust
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.tasks.audit.bound import FALSE_ALARM, epsilon_bound
from disttrack.simulator.tasks.audit.exact.known import Exact, exact_loss
from disttrack.simulator.tasks.audit.mechanism import MechanismAudit, audit_mechanism, loss_with_half_the_noise
from disttrack.simulator.tasks.audit.protocol import TrackerAudit, audit_tracker


def audit(thing: Any, **options: Any) -> MechanismAudit | TrackerAudit:
    """Audit a mechanism or the robust tracker; the options are those of `audit_mechanism` or `audit_tracker`.

    Raises
    ------
    ScenarioError
        If it claims no privacy, or no audit exists for it.
    """
    if isinstance(thing, Robust):
        return audit_tracker(thing, **options)
    if isinstance(thing, Protocol):
        raise ScenarioError(f"{thing.kind} claims no privacy, so there is nothing to audit (accepted: robust)")
    return audit_mechanism(thing, **options)


__all__ = [
    "FALSE_ALARM",
    "Exact",
    "MechanismAudit",
    "TrackerAudit",
    "audit",
    "audit_mechanism",
    "audit_tracker",
    "epsilon_bound",
    "exact_loss",
    "loss_with_half_the_noise",
]
