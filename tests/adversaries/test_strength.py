"""How hard every attacker of trackers hits a named victim."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, Literal

import pytest
from scipy.stats import binom

from disttrack import adversaries
from disttrack.adversaries import (
    Adversary,
    Bisect,
    Choice,
    Coin,
    Contrary,
    Drain,
    Eavesdrop,
    Freeze,
    Intruder,
    Overcount,
    Phase,
    Policy,
    Posterior,
    RoundRobin,
    Trial,
    WhiteBox,
)
from disttrack.protocols import Block, Protocol, Randomized, Robust
from disttrack.simulator import play
from disttrack.simulator.faults import broken

GAMES: Final = 9
BEYOND: Final = 0.02
"""Share of the games of an attacker, at most, that lie beyond either end of its interval."""
HAND: Final = Robust(
    alpha=0.01,
    parameters={
        "phases": 30,
        "phase_length": 0.1,
        "epsilon": 4,
        "counter_share": 0.8,
        "budget": 2,
        "shift": -9,
        "blocks": 9,
    },
)
"""Many short phases; each has room for few bits, so that what a phase tells is worth much."""
FROM_ZERO: Final = {"sites": 64, "items": 20_000}
ONE_ROUND: Final = {"sites": 64, "items": 15_000, "start": 200_000}


@dataclass(frozen=True)
class Hit:
    """An attacker, its victim, and the interval of the median error over alpha on one side."""

    attacker: Adversary
    victim: Protocol
    side: Literal["highest", "lowest"]
    least: float
    most: float
    size: Any

    def errors(self, attacker: Adversary | None = None, games: int = GAMES) -> list[float]:
        """Return the largest errors on this side over alpha, of this attacker or of another one."""
        alpha = self.victim.accuracy
        assert alpha is not None
        found = [
            play(self.victim, attacker or self.attacker, seed=seed, sees="state", **self.size) for seed in range(games)
        ]
        return [abs(getattr(game, self.side)) / alpha for game in found]


HITS: Final = (
    Hit(Freeze(), Randomized(alpha=0.1), "highest", 1.25, 1.75, FROM_ZERO),
    Hit(Drain(), Randomized(alpha=0.1), "lowest", 1.0, 1.85, FROM_ZERO),
    Hit(Coin(), Randomized(alpha=0.1), "highest", 0.2, 0.6, FROM_ZERO),
    Hit(Bisect(), Block(alpha=0.1), "highest", 0.95, 1.6, FROM_ZERO),
    Hit(Policy(), Block(alpha=0.1), "highest", 1.0, 1.6, FROM_ZERO),
    Hit(Posterior(), Block(alpha=0.1), "highest", 1.15, 1.75, FROM_ZERO),
    Hit(Phase(), Block(alpha=0.1), "highest", 0.85, 1.4, FROM_ZERO),
    Hit(Eavesdrop(), Block(alpha=0.1), "highest", 1.0, 1.6, FROM_ZERO),
    Hit(WhiteBox(), Block(alpha=0.1), "highest", 1.3, 1.75, FROM_ZERO),
    Hit(Trial(), broken(HAND, "no-noise"), "lowest", 0.62, 0.98, ONE_ROUND),
)
HARMLESS: Final = (Coin,)
"""Reacts in form only."""
ELSEWHERE: Final = {
    Choice: "a function of the user's",
    Contrary: "against online predictors",
    Intruder: "against pan-private counters",
    Overcount: "against mechanisms on dynamic data",
}


def test_every_attacker_of_trackers_has_its_victim() -> None:
    reacting = {
        found
        for name in adversaries.__all__
        if inspect.isclass(found := getattr(adversaries, name))
        and issubclass(found, Adversary)
        and not inspect.isabstract(found)
        and not found.oblivious
    }
    assert len(reacting) >= 14
    assert {type(hit.attacker) for hit in HITS} == reacting - set(ELSEWHERE)


@pytest.mark.slow
@pytest.mark.parametrize("hit", HITS, ids=lambda hit: f"{hit.attacker.kind}-{hit.victim.kind}")
@pytest.mark.false_alarm(1e-6)
def test_how_hard_an_attacker_hits(hit: Hit) -> None:
    """The median error of 9 games lies in the interval, in which those of 50 other games lay, with room to spare.

    A false alarm needs 5 of 9 games beyond one end: 1e-6 if not more than 2 % of all games are. Power: an attacker that
    has become as harmless as round-robin is found, since the median of that is outside; so is one that fails to attack
    at all, and one that does more harm than is stated.
    """
    assert 2 * binom.sf(GAMES // 2, GAMES, BEYOND) < 1e-6
    assert hit.least <= median(hit.errors()) <= hit.most
    if not isinstance(hit.attacker, HARMLESS):
        assert not hit.least <= median(hit.errors(RoundRobin())) <= hit.most
