"""The martingale tracker: a game by hand with coins that are fixed, the strength of its coins, and its rounds."""

from __future__ import annotations

from math import exp, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.adversaries import Adversary, Freeze, RoundRobin
from disttrack.protocols import Martingale
from disttrack.protocols.rounds.martingale import strength_for
from disttrack.simulator import play

ALARM = 1e-6


# ---------------------------------------------------------------------- strength


def log_failure(lam: float, k: int) -> float:
    """Return the logarithm of both bounds together, by logarithms throughout."""
    return float(np.logaddexp(-(lam**2) / (2 * (1 + lam / (3 * sqrt(k)))), -(lam**2) / (2 * (1 + lam / sqrt(k)))))


@pytest.mark.parametrize("failure", [0.6, 1e-3, 6 * 0.05 / (pi * 49) ** 2, 1e-12, 6e-13 / (pi * 1000) ** 2, 1e-300])
@pytest.mark.parametrize("k", [1, 4, 100, 256, 1024, 2048, 4096, 65_536, 2**20])
def test_strength_is_the_least_that_will_do(k: int, failure: float) -> None:
    """Also where the solver tries strengths whose failure probability is below every float."""
    lam = strength_for(failure, k)
    assert log_failure(lam, k) == pytest.approx(log(failure), abs=1e-6)
    assert log_failure(0.999 * lam, k) > log(failure)


def test_strength_grows_from_round_to_round_with_delta_in_all() -> None:
    protocol = Martingale(alpha=0.1, delta=0.05)
    strengths = [protocol.strength_of(number, 256) for number in range(1, 200)]
    assert strengths == sorted(strengths)
    spent = [exp(log_failure(lam, 256)) for lam in strengths]
    assert 0.95 * 0.05 < sum(spent) < 0.05
    assert Martingale(alpha=0.1, parameters="simple", strength=4.0).strength_of(7, 256) == 4.0


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("k", [1, 7, 256])
@pytest.mark.parametrize("delta", [0.01, 0.5])
@pytest.mark.parametrize("parameters", ["tight", "simple"])
def test_costs_no_more_than_it_says(parameters: str, k: int, delta: float) -> None:
    """Mean words of four games: at most a twentieth above the bound, which takes rounds at their mean growth."""
    protocol = Martingale(alpha=0.1, delta=delta, parameters=parameters)
    for start, items in ((0, 100_000), (10**6, 10**7)):
        words = np.mean(
            [play(protocol, RoundRobin(), sites=k, items=items, start=start, seed=seed).words for seed in range(4)]
        )
        bound = protocol.cost_bound(k, items, start)
        assert bound / 3 < words < 1.05 * bound


# ---------------------------------------------------------------------- rounds


@pytest.mark.slow
@pytest.mark.parametrize("adversary", [RoundRobin(), Freeze()], ids=lambda a: a.kind)
@pytest.mark.false_alarm(2e-6)
def test_items_of_a_martingale_round_have_the_same_law_whoever_feeds_it(adversary: Adversary) -> None:
    """A round ends with the k-th success among independent coins of bias p: negative binomial, for any adversary.

    Kolmogorov-Smirnov over 150 games against the exact law, and chi-square on their variance. Power: coins drawn
    ahead and kept at the sites would let freeze end its rounds with far fewer items, by all that the sites still
    wait for; a p that is 5 % off shifts the law by 0.8 of its standard deviation (distance 0.31; the limit is 0.22).
    """
    k, alpha, strength, start = 256, 0.1, 4.0, 64_000
    p = strength * sqrt(k) / (alpha * start)
    assert p == pytest.approx(0.01)
    lengths = []
    for seed in range(150):
        game = play(
            Martingale(alpha=alpha, parameters="simple", strength=strength),
            adversary,
            sites=k,
            items=40_000,
            start=start,
            seed=seed,
            record=True,
        )
        transcript = game.transcript
        lengths.append(int(transcript["step"][(transcript["kind"] == "poll").to_numpy().argmax()]))
        assert game.rounds >= 2
    law = stats.nbinom(k, p, loc=k)
    assert stats.kstest(lengths, law.cdf).pvalue > ALARM
    # the error at the end of a round, (k/p - n) / (alpha N0), has standard deviation sqrt(1 - p) / strength
    errors = (k / p - np.array(lengths)) / (alpha * start)
    ratio: Any = np.sum(errors**2) * strength**2 / (1 - p)
    assert stats.chi2.isf(1 - ALARM / 2, 150) < ratio < stats.chi2.isf(ALARM / 2, 150)


def test_the_simple_cost_by_hand() -> None:
    """k = 100, alpha = 0.1, lam = 4: 400 items are forwarded, then 4k = 400 words a round, each growing N by 1.25."""
    protocol = Martingale(alpha=0.1, parameters="simple", strength=4.0)
    assert [protocol.cost_bound(100, items) for items in (1, 400, 401, 500, 501)] == [1, 400, 800, 800, 1200]
    assert protocol.cost_bound(100, 0, start=400) == 0
    assert [protocol.cost_bound(100, items, start=400) for items in (1, 100, 101)] == [400, 400, 800]
