"""Who holds against whom: a hundred games a pair, with the verdict over all steps.

Setting of all: 256 sites, alpha = 0.1, 2,000,000 items. The bars (93, 95 of 100) are those of the project's aims. Their
false-alarm rates are stated by the failure rate of a game at which they would be 1e-6.
"""

from __future__ import annotations

from functools import cache
from statistics import median
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.adversaries import Adversary, Bursts, Coin, Drain, Freeze, RoundRobin, SingleSite, Uniform, Zipf
from disttrack.protocols import Martingale, Protocol, Randomized, Robust
from disttrack.simulator import play

ALPHA = 0.1
OBLIVIOUS: list[Adversary] = [RoundRobin(), Uniform(), Zipf(), Bursts(), SingleSite()]
ADAPTIVE: list[Adversary] = [Freeze(), Drain(), Coin()]


def kind(adversary: Adversary) -> str:
    return adversary.kind


@cache
def games(protocol: Protocol, adversary: str, count: int = 100) -> list[Any]:
    """Return so many games of this pair, from seed 0 on."""
    one = next(one for one in OBLIVIOUS + ADAPTIVE if one.kind == adversary)
    return [play(protocol, one, sites=256, items=2_000_000, seed=seed) for seed in range(count)]


def test_the_bars_have_the_false_alarm_rates_that_they_claim() -> None:
    """Fewer than 93 of 100: 1e-6 if a game fails with 0.7 %. Fewer than 95: 1e-6 if with 0.3 %."""
    assert stats.binom.sf(7, 100, 0.007) < 1e-6
    assert stats.binom.sf(21, 300, 0.017) < 1e-7
    assert stats.binom.sf(5, 100, 0.003) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("adversary", OBLIVIOUS, ids=kind)
@pytest.mark.false_alarm(1e-6)
def test_randomized_holds_on_streams_that_do_not_react(adversary: Adversary) -> None:
    """At least 93 %. In round-robin, the hardest, 1.7 % of 2,000 games apart from these failed; elsewhere 1 of 800 did.

    So 300 games are played in round-robin (more than 21 failures: below 1e-7), a hundred elsewhere.
    Power: with c = 1.5 instead of 3, 24 of 100 hold in round-robin.
    """
    found = games(Randomized(alpha=ALPHA), adversary.kind, 300 if adversary.kind == "round-robin" else 100)
    assert sum(game.ok for game in found) >= 0.93 * len(found)


@pytest.mark.slow
def test_freeze_breaks_randomized() -> None:
    """Largest error above 0.24 and more than half of the steps wrong, in at least 24 of 25 games.

    sqrt(k)/(c + sqrt(k) alpha) = 3.5 times alpha where alpha N/(c sqrt k) has just reached a power of two, and 2.0 just
    before it does; over a whole game the largest is in between. Measured: mean 0.27, standard deviation 0.004.
    """
    broken = [
        game
        for game in games(Randomized(alpha=ALPHA), "freeze", 25)
        if game.highest > 0.24 and game.failing_fraction > 0.5
    ]
    assert len(broken) >= 24


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
@pytest.mark.false_alarm(1e-6)
def test_drain_breaks_randomized_from_below() -> None:
    """About -1.7 alpha at k = 256. Games spread by 0.12 alpha, so the mean of 25 by 0.024: false alarms below 1e-6.

    Power: half of the patience gives -1.4, twice as much -0.65.
    """
    lowest = [game.lowest / ALPHA for game in games(Randomized(alpha=ALPHA), "drain", 25)]
    assert np.mean(lowest) == pytest.approx(-1.7, abs=0.15)
    assert all(not game.ok for game in games(Randomized(alpha=ALPHA), "drain", 25))


@pytest.mark.slow
def test_drain_grows_with_the_number_of_sites() -> None:
    """About -3.8 alpha at k = 1024, alpha = 0.03. Games spread by 0.08 alpha, so the mean of 4 by 0.04."""
    lowest = [
        play(Randomized(alpha=0.03), Drain(), sites=1024, items=2_000_000, seed=seed).lowest / 0.03 for seed in range(4)
    ]
    assert np.mean(lowest) == pytest.approx(-3.8, abs=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("adversary", OBLIVIOUS + ADAPTIVE, ids=kind)
def test_robust_holds_against_everybody(adversary: Adversary) -> None:
    """Power: with randomness that is kept at the sites and seen in the outputs (`randomized`, `block`), 0 of 100."""
    found = games(Robust(alpha=ALPHA, delta=0.05), adversary.kind, 20 if adversary.kind == "coin" else 100)
    assert sum(game.ok for game in found) >= 0.95 * len(found)
    assert 0.3 < median(game.max_rel_error for game in found) / ALPHA < 0.5  # about 0.4


@pytest.mark.slow
@pytest.mark.parametrize("adversary", OBLIVIOUS + ADAPTIVE, ids=kind)
def test_martingale_holds_against_everybody(adversary: Adversary) -> None:
    """Growth by e^7.6 has 0.014 of delta: no more failures than that explains with 1e-6, 9 of 100 and 5 of 20.

    Power: rounds of `simple` with a strength of 0.75, instead of the 3 to 5.4 that it asks for, fail in 23 of 40 games.
    """
    found = games(Martingale(alpha=ALPHA, delta=0.05), adversary.kind, 20 if adversary.kind == "coin" else 100)
    failed = sum(not game.ok for game in found)
    assert stats.binom.sf(failed - 1, len(found), 0.014) > 1e-6
