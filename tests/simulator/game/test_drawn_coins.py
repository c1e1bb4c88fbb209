"""A game stands for every seed only if both sides are known to draw nothing that the engine does not see."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from disttrack.adversaries import Adversary, Burst, Freeze, Replay, RoundRobin, Uniform, View
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import Deterministic, DeterministicRounds, Exact, Protocol, Randomized
from disttrack.simulator import play


class Own(Adversary):
    """Moves by the clock alone."""

    def plan(self, view: View) -> Schedule:
        return Burst(view.steps % view.sites, 3)


class SaysSo(Own):
    """The same, and says so."""

    draws_coins: ClassVar[bool] = False


class DrawsFromTheView(SaysSo):
    """Says that it has no coins of its own, and uses those that it is given."""

    def plan(self, view: View) -> Schedule:
        return Burst(int(view.rng.integers(view.sites)), 3)


class Named(Freeze):
    """A shipped kind by another name."""

    kind = "named"


class Nosy(Freeze):
    """A shipped kind, to which something was added."""

    looks = 2


@dataclass(frozen=True)
class OwnProtocol(Exact):
    """A protocol of a user's."""


@dataclass(frozen=True)
class SaysSoToo(OwnProtocol):
    """One that says that it draws nothing but from what it is handed."""

    draws_coins: ClassVar[bool] = False


@pytest.mark.parametrize(
    ("protocol", "adversary", "coins"),
    [
        (Deterministic(alpha=0.1), Freeze(), False),
        (DeterministicRounds(alpha=0.1), RoundRobin(), False),
        (Randomized(alpha=0.1), RoundRobin(), True),
        (Deterministic(alpha=0.1), Uniform(), True),
        (Deterministic(alpha=0.1), Replay("freeze"), True),
        (Deterministic(alpha=0.1), Own(), True),
        (Deterministic(alpha=0.1), SaysSo(), False),
        (Deterministic(alpha=0.1), DrawsFromTheView(), True),
        (Deterministic(alpha=0.1), Named(), False),
        (Deterministic(alpha=0.1), Nosy(), True),
        (Deterministic(alpha=0.1), lambda view: random.randrange(view.sites), True),
        (OwnProtocol(), RoundRobin(), True),
        (SaysSoToo(), RoundRobin(), False),
        (SaysSoToo(), SaysSo(), False),
        (SaysSoToo(), Own(), True),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize("engine", ["step", "leap"])
def test_who_is_known_to_draw_nothing(protocol: Protocol, adversary: Any, coins: bool, engine: str) -> None:
    assert play(protocol, adversary, sites=3, items=400, seed=5, engine=engine).coins is coins
