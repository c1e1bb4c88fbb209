"""Random streams: each role has its own, and its place in the tree of seeds says which numbers it gives."""

from __future__ import annotations

import numpy as np
from core_kinds import core_kinds

from disttrack.simulator.game.streams import ROLES, streams
from disttrack.simulator.game.tasks.duel import MechanismGame

PERMANENT = {
    "count": ("sites", "server", "adversary", "network"),
    "generalisation": ("sites", "server", "adversary", "network"),
    "threshold": ("sites", "server", "adversary", "network"),
    **dict.fromkeys(
        ("item-frequency", "frequent-items", "item-sampling", "item-rank"), ("sites", "server", "adversary")
    ),
}
OTHERS = {
    "count": ROLES,
    "generalisation": ROLES,
    "threshold": ROLES,
}
"""The streams of tasks that do not state them in `roles`."""


def test_the_places_of_the_tasks_of_the_core_stay_as_they_are() -> None:
    """Another order gives other games."""
    classes = {name: kind.load() for name, kind in core_kinds("task").items()}
    roles = {name: each.roles if issubclass(each, MechanismGame) else OTHERS[name] for name, each in classes.items()}
    assert roles == PERMANENT


def test_a_role_gives_the_numbers_of_its_place() -> None:
    for seed in (0, 7, 2**63 - 1):
        rngs = streams(seed, ("one", "", "three"))
        assert list(rngs) == ["one", "three"]
        spawned = np.random.SeedSequence(seed).spawn(3)
        for role, place in (("one", 0), ("three", 2)):
            assert rngs[role].integers(2**60) == np.random.default_rng(spawned[place]).integers(2**60)
