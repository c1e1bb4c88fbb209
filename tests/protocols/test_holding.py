"""Who holds against whom, with the verdict over all steps: 256 sites, alpha = 0.1, 2,000,000 items.

The shipped scenarios claim it for all adversaries, and their games are played again cell by cell (`make replay`). Here
stand the hardest stream that does not react and the attacker that breaks what keeps its coins.
"""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest
from scipy import stats

from disttrack.adversaries import Adversary, Freeze, RoundRobin
from disttrack.protocols import Martingale, Protocol, Randomized, Robust
from disttrack.simulator import play

ALPHA = 0.1
HARDEST: list[Adversary] = [RoundRobin(), Freeze()]


def games(protocol: Protocol, adversary: Adversary, count: int) -> list[Any]:
    return [play(protocol, adversary, sites=256, items=2_000_000, seed=seed) for seed in range(count)]


@pytest.mark.slow
@pytest.mark.false_alarm(1e-7)
def test_randomized_holds_on_streams_that_do_not_react() -> None:
    """At least 93 % in round-robin, where 1.7 % of 2,000 games apart from these failed: more than 21 of 300 have 1e-7.

    Power: with c = 1.5 instead of 3, 24 of 100 hold.
    """
    assert stats.binom.sf(21, 300, 0.017) < 1e-7
    assert sum(game.ok for game in games(Randomized(alpha=ALPHA), RoundRobin(), 300)) >= 0.93 * 300


@pytest.mark.slow
def test_a_median_of_copies_does_not_stop_freeze() -> None:
    """A change of the median still tells which site has reported, only later (papers, section 3.7).

    Measured with 3 copies: 1.6 alpha, 0.98 of the steps wrong. Copies dull the attack (5: 1.2 alpha, 9: 0.8), at so
    many times the cost and for a number of sites that stays: the error grows with its root.
    """
    for seed in range(4):
        game = play(Randomized(alpha=ALPHA, copies=3), Freeze(), sites=256, items=500_000, seed=seed)
        assert game.highest > 1.3 * ALPHA
        assert game.failing_fraction > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("adversary", HARDEST, ids=lambda one: one.kind)
@pytest.mark.false_alarm(1e-6)
def test_robust_holds(adversary: Adversary) -> None:
    """At least 95 of 100: 1e-6 if a game fails with 0.3 %.

    Power: with randomness that is kept at the sites and seen in the outputs (`randomized`, `block`), 0 of 100 hold.
    """
    assert stats.binom.sf(5, 100, 0.003) < 1e-6
    found = games(Robust(alpha=ALPHA, delta=0.05), adversary, 100)
    assert sum(game.ok for game in found) >= 95
    assert 0.3 < median(game.max_rel_error for game in found) / ALPHA < 0.5  # about 0.4


@pytest.mark.slow
@pytest.mark.parametrize("adversary", HARDEST, ids=lambda one: one.kind)
@pytest.mark.false_alarm(1e-6)
def test_martingale_holds(adversary: Adversary) -> None:
    """Growth by e^7.6 has 0.014 of delta: no more failures than that explains with 1e-6, 9 of 100.

    Power: rounds of `simple` with a strength of 0.75, instead of the 3 to 5.4 that it asks for, fail in 23 of 40 games.
    """
    failed = sum(not game.ok for game in games(Martingale(alpha=ALPHA, delta=0.05), adversary, 100))
    assert stats.binom.sf(failed - 1, 100, 0.014) > 1e-6
