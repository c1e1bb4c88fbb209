"""The random streams of the games of this wing have permanent places."""

from __future__ import annotations

from core_kinds import kinds_of

from disttrack.privacy.tasks.audit import mechanism, protocol
from disttrack.simulator.game.tasks.duel import MechanismGame

PERMANENT = {
    "continual-count": ("", "mechanism", "adversary", "challenge"),
    "threshold-monitor": ("", "mechanism", "adversary"),
    "threshold-queries": ("data", "mechanism", "adversary", "challenge"),
    "density": ("estimator", "mechanism", "adversary", "challenge"),
    "experts": ("challenge", "head starts", "adversary", "noise"),
    "prediction": ("learner", "adversary", "challenge"),
    "mirror": ("", "mechanism", "adversary"),
    "joint-privacy": (),  # nothing is drawn
    "audit": ("training", "training neighbour", "testing", "testing neighbour"),
    "audit-tracker": ("database", "training", "testing", "testing neighbour", "places"),
    "second-moment": ("sketch", "adversary"),
    "distinct-count": ("sketch", "adversary"),
    "frequency": ("sketch", "adversary"),
    "resettable-sum": ("sketch", "adversary"),
    "statistical-queries": ("sample", "mechanism", "adversary", "truth"),
    "sample-size": ("answers",),
    "worst-of-many": ("samples", "mechanism", "adversary", "truth", "choice"),
    "static-queries": ("", "mechanism", "adversary"),
    "dynamic-queries": ("", "mechanism", "adversary"),
}
OTHERS = {"audit": mechanism.ROLES, "audit-tracker": protocol.ROLES}
"""The streams of tasks that do not state them in `roles`."""


def test_the_places_of_the_tasks_of_data_stay_as_they_are() -> None:
    """Another order gives other games."""
    classes = {name: kind.load() for name, kind in kinds_of("task", "privacy").items()}
    roles = {name: each.roles if issubclass(each, MechanismGame) else OTHERS[name] for name, each in classes.items()}
    assert roles == PERMANENT
