"""Coins that no seed of the game decides are found in each kind of class, and named by their place."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.random import PCG64, Generator, default_rng

from disttrack import Adversary, Burst, Deterministic, RoundRobin, Site, play
from disttrack.simulator import check_adversary, check_protocol
from disttrack.simulator.workshop.conformance import ConformanceError
from disttrack.simulator.workshop.conformance.own_generators import same_for_all_seeds, watched

MADE: dict[str, Callable[[int], object]] = {
    "by its module": lambda seed: np.random.default_rng(1).random(),
    "by its name": lambda seed: default_rng(1).random(),
    "of bits": lambda seed: Generator(PCG64(1)).random(),
    "of old": lambda seed: np.random.RandomState(1).rand(),
    "of Python": lambda seed: random.Random(1).random(),
    "for each item": lambda seed: [default_rng(number).random() for number in range(5 + seed)],
}
DERIVED: dict[str, Callable[[int], object]] = {
    "from the rng": lambda seed: default_rng(default_rng(seed).integers(2**40)).random(),
    "from a text": lambda seed: random.Random(f"{seed}").random(),
    "not drawn from": lambda seed: default_rng(1),
    "handed on": lambda seed: default_rng(np.random.default_rng(seed)).random(),
}


@pytest.mark.parametrize("name", MADE)
def test_a_generator_that_is_the_same_for_every_seed_is_named(name: str) -> None:
    before = np.random.default_rng, PCG64, random.Random.seed
    assert "(test_own_generators.py:" in same_for_all_seeds(MADE[name])
    assert before == (np.random.default_rng, np.random.PCG64, random.Random.seed)


@pytest.mark.parametrize("name", DERIVED)
def test_a_generator_that_the_seed_decides_is_none(name: str) -> None:
    assert same_for_all_seeds(DERIVED[name]) == ""


def test_generators_without_a_seed_are_noted_also_in_a_block_within_another() -> None:
    with watched() as made:
        same_for_all_seeds(lambda seed: (default_rng(), random.Random(), np.random.PCG64(None)))
        assert isinstance(default_rng(1).bit_generator, np.random.PCG64)
    assert [one.partition(" ")[0] for one in made.unseeded[:3]] == ["default_rng", "Random", "PCG64"]
    assert len(made.unseeded) == 6


class Coins(Site):
    """Sites of the deterministic tracker that say as often as a coin decides that nothing is known of their silence."""

    def __init__(self, site: Any, rng: Any) -> None:
        self.site, self.rng = site, rng

    def silence(self) -> int:
        return self.site.silence()

    def take(self, items: int) -> Sequence[Any]:
        if self.rng is None and self.site.count > 100:
            self.rng = default_rng()
        if self.rng is not None:
            self.rng.random()
        return self.site.take(items)

    def hear(self, message: Any) -> Sequence[Any]:
        return self.site.hear(message)


@dataclass(frozen=True)
class OwnSeed(Deterministic):
    """Its sites have coins of a fixed seed."""

    guarantee = "always"

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [Coins(site, default_rng(1)) for site in super().sites(k, rng, start)]


@dataclass(frozen=True)
class NoSeed(Deterministic):
    """Its sites toss late coins that no seed decides."""

    guarantee = "always"

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [Coins(site, None) for site in super().sites(k, rng, start)]


@dataclass(frozen=True)
class Spawned(Deterministic):
    """The coins of its sites are spawned by those of the game: this is right."""

    guarantee = "always"

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        seeds = rng.integers(2**60, size=k)
        return [Coins(site, default_rng(seed)) for site, seed in zip(super().sites(k, rng, start), seeds, strict=True)]


@dataclass
class Fixed(Adversary):
    """Goes to sites that a generator of a fixed seed draws."""

    kind, source = "fixed", "made for this test"

    def plan(self, view: Any) -> Any:
        return Burst(int(random.Random(view.steps).randrange(view.sites)), 3)


@pytest.mark.parametrize(
    ("check", "thing", "fault"),
    [
        (check_protocol, OwnSeed(alpha=0.2), "ignores the seed"),
        (check_protocol, NoSeed(alpha=0.2), "has no seed"),
        (check_adversary, Fixed(), "ignores the seed"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_coins_of_ones_own_are_a_fault_of_each_kind(check: Any, thing: Any, fault: str) -> None:
    with pytest.raises(ConformanceError, match=rf"\(test_own_generators.py:\d+\) {fault}"):
        check(thing, sites=(1, 5), items=300)


def test_coins_whose_seeds_are_drawn_from_those_of_the_game_are_none() -> None:
    """Control: those of a fixed seed, in the same games."""
    for protocol, named in ((Spawned(alpha=0.2), False), (OwnSeed(alpha=0.2), True)):
        game = partial(play, protocol, RoundRobin(), sites=5, items=300, engine="leap")
        assert bool(same_for_all_seeds(lambda seed, game=game: game(seed=seed))) == named
