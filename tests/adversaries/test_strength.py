"""How hard every attacker hits a named victim."""

from __future__ import annotations

from typing import Final

import pytest
from core_kinds import core_kinds
from scipy.stats import binom
from victims import GAMES, Hit, above, below, made

import disttrack as by
from disttrack.protocols import Block, Randomized

BEYOND: Final = 0.02
"""Share of the games of an attacker, at most, that lie beyond either end of its interval."""
FROM_ZERO: Final = {"sites": 64, "items": 20_000}
NAMED: Final = made("frequency-randomized", alpha=0.1, strength=3)
CONTENTS: Final = (
    Hit(
        by.SamplingAttack(),
        made("item-sample", alpha=0.5),
        above,
        1.4,
        2.0,
        {"sites": 9, "items": 2500},
        by.BlindSplits(),
    ),
    Hit(by.FreezeItem(), NAMED, above, 1.6, 1.95, FROM_ZERO, by.ZipfItems(domain=100)),
    Hit(by.DrainItem(patience=0.3), NAMED, below, 1.0, 2.0, FROM_ZERO, by.ZipfItems(domain=100)),
)
TRACKERS: Final = (
    Hit(by.Freeze(), Randomized(alpha=0.1), above, 1.25, 1.75, FROM_ZERO),
    Hit(by.BoundedMemory(reads="output"), Randomized(alpha=0.1), above, 1.05, 1.5, FROM_ZERO),
    Hit(by.Feedback(block=50), Randomized(alpha=0.1), above, 1.05, 1.6, FROM_ZERO),
    Hit(by.Drain(), Randomized(alpha=0.1), below, 1.0, 1.85, FROM_ZERO),
    Hit(by.Coin(), Randomized(alpha=0.1), above, 0.2, 0.6, FROM_ZERO),
    Hit(by.Replay("freeze"), Randomized(alpha=0.1), above, 0.2, 0.6, FROM_ZERO),
    Hit(by.Policy(), Block(alpha=0.1), above, 1.0, 1.6, FROM_ZERO),
    Hit(by.Phase(), Block(alpha=0.1), above, 0.85, 1.4, FROM_ZERO),
)
HARMLESS: Final = (by.Coin, by.Replay)
"""React in form only, or no more."""
HITS: Final = (*TRACKERS, *CONTENTS)
STREAMS: Final = (
    "bursts heavy-item item-trace moves rank-drift round-robin single-site trace uniform uniform-items zipf"
)
"""Kinds of streams that are made against nobody."""


def test_every_opponent_of_the_core_has_its_victim() -> None:
    """A new one needs a row above, in which it attacks or is the harmless one, or is a stream made against nobody."""
    registered = set(core_kinds("adversary"))
    assert len(registered) >= 24
    attackers, controls = {hit.attacker.kind for hit in HITS}, {hit.harmless.kind for hit in HITS}
    assert len(HITS) == len(attackers) >= 11
    assert attackers | controls | set(STREAMS.split()) == registered
    assert not attackers & set(STREAMS.split())


@pytest.mark.drawn(5)
@pytest.mark.slow
@pytest.mark.parametrize("hit", HITS, ids=lambda hit: hit.attacker.kind)
@pytest.mark.false_alarm(1e-6)
def test_how_hard_an_attacker_hits(hit: Hit) -> None:
    """The median of 9 games lies in the interval, in which those of 50 other games lay, with room to spare.

    A false alarm needs 5 of 9 games beyond one end: 1e-6 if not more than 2 % of all games are. Power: an attacker that
    has become as harmless as the opponent named beside it is found, since the median of that is outside: at most 9 of
    50 of its games are inside, and then 5 of 9 are with probability 0.013. So is one that fails to attack at all, and
    one that does more harm than is stated.
    """
    assert 2 * binom.sf(GAMES // 2, GAMES, BEYOND) < 1e-6
    assert hit.inside(hit.attacker)
    assert isinstance(hit.attacker, HARMLESS) or not hit.inside(hit.harmless)
