"""Measured privacy: the lower bound on epsilon from runs on neighbouring inputs, compared with the claim.

>>> from disttrack.mechanisms import PerItem
>>> from disttrack.privacy.tasks.audit import audit_mechanism
>>> result = audit_mechanism(PerItem(epsilon=1.0, horizon=4), runs=2_000)
>>> result.epsilon_low <= result.claimed
True
"""

from __future__ import annotations

from disttrack.privacy.tasks.audit.case import FALSE_ALARM, Exact, epsilon_bound
from disttrack.privacy.tasks.audit.mechanism import audit_mechanism, exact_loss, loss_with_half_the_noise
from disttrack.privacy.tasks.audit.tracker import audit_tracker

__all__ = [
    "FALSE_ALARM",
    "Exact",
    "audit_mechanism",
    "audit_tracker",
    "epsilon_bound",
    "exact_loss",
    "loss_with_half_the_noise",
]
