"""Random streams: each role has its own, and its place in the tree of seeds says which numbers it gives."""

from __future__ import annotations

import numpy as np

from disttrack.simulator.game.streams import ROLES, streams
from disttrack.simulator.points.registry import kinds
from disttrack.simulator.tasks.analysis import game as analysis_game
from disttrack.simulator.tasks.analysis import sample_size, worst_of_many
from disttrack.simulator.tasks.audit import mechanism, protocol
from disttrack.simulator.tasks.continual import count, experts, monitor, queries
from disttrack.simulator.tasks.dynamic import game as data_set_game
from disttrack.simulator.tasks.prediction import game as prediction
from disttrack.simulator.tasks.prediction import mirror
from disttrack.simulator.tasks.sketching import game as sketch_game

OF_TASKS = {
    "continual-count": (count.ROLES, ("", "mechanism", "adversary", "challenge")),
    "threshold-monitor": (monitor.ROLES, ("", "mechanism", "adversary")),
    "threshold-queries": (queries.ROLES, ("data", "mechanism", "adversary", "challenge")),
    "experts": (experts.ROLES, ("challenge", "head starts", "adversary", "noise")),
    "prediction": (prediction.ROLES, ("learner", "adversary", "challenge")),
    "mirror": (mirror.ROLES, ("", "mechanism", "adversary")),
    "joint-privacy": ((), ()),  # nothing is drawn
    "audit": (mechanism.ROLES, ("training", "training neighbour", "testing", "testing neighbour")),
    "audit-tracker": (protocol.ROLES, ("database", "training", "testing", "testing neighbour", "places")),
    "second-moment": (sketch_game.ROLES, ("sketch", "adversary")),
    "distinct-count": (sketch_game.ROLES, ("sketch", "adversary")),
    "frequency": (sketch_game.ROLES, ("sketch", "adversary")),
    "statistical-queries": (analysis_game.ROLES, ("sample", "mechanism", "adversary", "truth")),
    "sample-size": (sample_size.ROLES, ("answers",)),
    "worst-of-many": (worst_of_many.ROLES, ("samples", "mechanism", "adversary", "truth", "choice")),
    "static-queries": (data_set_game.ROLES, ("", "mechanism", "adversary")),
    "dynamic-queries": (data_set_game.ROLES, ("", "mechanism", "adversary")),
    "count": (ROLES, ("sites", "server", "adversary", "network")),
    "generalisation": (ROLES, ("sites", "server", "adversary", "network")),
}


def test_the_places_of_all_tasks_stay_as_they_are() -> None:
    """Another order gives other games; a task without an entry here has borrowed its streams."""
    assert set(OF_TASKS) == set(kinds("task"))
    for found, permanent in OF_TASKS.values():
        assert found == permanent


def test_a_role_gives_the_numbers_of_its_place() -> None:
    for seed in (0, 7, 2**63 - 1):
        rngs = streams(seed, ("one", "", "three"))
        assert list(rngs) == ["one", "three"]
        spawned = np.random.SeedSequence(seed).spawn(3)
        for role, place in (("one", 0), ("three", 2)):
            assert rngs[role].integers(2**60) == np.random.default_rng(spawned[place]).integers(2**60)


def test_roles_and_seeds_have_streams_of_their_own() -> None:
    first = [rng.integers(2**60) for seed in range(20) for rng in streams(seed).values()]
    assert len(set(first)) == 20 * len(ROLES)
