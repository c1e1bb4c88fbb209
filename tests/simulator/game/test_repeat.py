"""Classes whose games cannot be played again are named: random numbers of their own, and state of the class."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from disttrack import (
    Adversary,
    Burst,
    Deterministic,
    Message,
    Protocol,
    Randomized,
    RoundRobin,
    Server,
    Site,
    SumOfReports,
)
from disttrack.adversaries import View
from disttrack.adversaries.scripts import from_function
from disttrack.simulator.game.repeat import unrepeatable


class Each(Site):
    """A site that reports each item."""

    count = 0

    def silence(self) -> int:
        return 0

    def take(self, items: int) -> list[Message]:
        self.count += items
        return [Message("report", self.count)]


class Silent(Each):
    """A site whose server reads its memory: it sends nothing."""

    def take(self, items: int) -> list[Message]:
        self.count += items
        return []


class Counted(Each):
    """A site that notes its items in a list that all sites share."""

    seen: ClassVar[list[int]] = []

    def take(self, items: int) -> list[Message]:
        self.seen.append(items)
        return super().take(items)


class Tossed(Each):
    """A site that reports by coins of the interpreter's."""

    def take(self, items: int) -> list[Message]:
        sent = super().take(items)
        return sent if random.random() < 0.5 else []


@dataclass(frozen=True)
class Mine(Protocol):
    """A tracker with sites of a class of the tests."""

    kind = "mine"
    site: type[Site] = Each

    def sites(self, k: int, rng: Any, start: Any = ()) -> list[Site]:
        return [self.site() for _ in range(k)]

    def server(self, k: int, rng: Any, start: Any = ()) -> SumOfReports:
        return SumOfReports(start or [0] * k)


class Memory(Server):
    """A server that reads the memory of its sites."""

    def __init__(self, of: Any) -> None:
        self.of = of

    @property
    def output(self) -> int:
        return sum(site.count for site in self.of.made)

    def hear(self, message: Message) -> list[Message]:
        raise AssertionError


class Peeking(Mine):
    """A tracker with such a server."""

    def sites(self, k: int, rng: Any, start: Any = ()) -> list[Site]:
        object.__setattr__(self, "made", super().sites(k, rng, start))
        return self.made  # type: ignore[attr-defined,no-any-return]

    def server(self, k: int, rng: Any, start: Any = ()) -> Any:
        return Memory(self)


class Dice(Adversary):
    """An adversary that throws dice of its own."""

    oblivious = True

    def plan(self, view: Any) -> Burst:
        return Burst(random.randrange(view.sites), 1)


def yields_dice(view: View) -> Iterator[Burst]:
    while True:
        yield Burst(random.randrange(view.sites), 1)


VISITED: list[int] = []


def remembers(view: View) -> int:
    VISITED.append(view.steps)
    return len(VISITED) // 2 % view.sites


def throws_its_dice(view: View) -> int:
    return int(view.rng.integers(view.sites))


@pytest.mark.false_alarm(1e-6)  # two games of hundreds of coins or dice are alike with a probability far below
@pytest.mark.parametrize(
    ("protocol", "adversary", "said"),
    [
        (Mine(), RoundRobin(), ""),
        (Randomized(alpha=0.1), RoundRobin(), ""),
        (Mine(Counted), RoundRobin(), "Counted.seen belongs to the class: its objects and games share it"),
        (Mine(Tossed), RoundRobin(), "Mine: two games of one seed differ; draw from the rng"),
        (Deterministic(alpha=0.1), Dice(), "Dice: two games of one seed differ"),
        (Deterministic(alpha=0.1), from_function(yields_dice), "yields_dice: two games of one seed differ"),
        (Deterministic(alpha=0.1), from_function(remembers), "test_repeat.VISITED belongs to the module: its"),
        (Deterministic(alpha=0.1), from_function(throws_its_dice), ""),
    ],
)
def test_what_makes_games_differ_is_named(protocol: Protocol, adversary: Adversary, said: str) -> None:
    line = unrepeatable({"protocol": protocol, "adversary": adversary, "sites": 3, "items": 2_000})
    assert line.startswith(said)
    assert bool(line) == bool(said)


def test_a_server_that_reads_the_memory_of_its_sites_is_named() -> None:
    """Only by the engine of the user's choice: others are compared with the reference engine, which differs."""
    given = {"adversary": RoundRobin(), "sites": 3, "items": 2_000, "engine": "step"}
    assert unrepeatable({**given, "protocol": Peeking(Silent)}).startswith(
        "Peeking: its output changed 400 times with 0 messages"
    )
    assert unrepeatable({**given, "protocol": Mine()}) == ""
