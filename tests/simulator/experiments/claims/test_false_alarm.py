"""The false-alarm rate of a claim: exact where the chances of a game are known, and what fresh runs do otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.simulator.experiments.claims.expressions import measure
from disttrack.simulator.experiments.claims.false_alarm import rate_of_several
from disttrack.simulator.experiments.claims.findings import findings_of
from disttrack.simulator.experiments.claims.tails import clustered, clustered_below
from tests.simulator.experiments.claims.rates import claim, false_alarm, games

# what is exact


def test_the_distance_of_an_equality_is_that_from_the_value_that_theory_promises() -> None:
    """With a promise a mean misses by chance as Student's t says; without one a fresh run is compared with this one."""
    words = np.random.default_rng(5).normal(10.0, 1.0, 100)
    table = games(trials=100, words=words)
    error = words.std(ddof=1) / 10
    stated = false_alarm(claim("mean(words)", equals=10, within=0.3, promise=10), table)
    assert stated == pytest.approx(2 * stats.t.sf(0.3 / error, 63), rel=0.5)
    seen = false_alarm(claim("mean(words)", equals=10, within=0.3), table)
    assert seen is not None
    assert stated is not None
    assert seen > 3 * stated
    refuted = false_alarm(claim("mean(words)", equals=12, within=2.3, promise=12), table)
    assert refuted == false_alarm(claim("mean(words)", equals=12, within=2.3), table)


# what is predicted, against fresh runs


RUNS = 300
SHARE = 0.1
LEAST, MOST = (int(stats.binom.ppf(tail, RUNS, SHARE)) for tail in (5e-5, 1 - 5e-5))
"""If a prediction is right, its rate at the value of a fresh run is uniform: so many of all runs have one below SHARE.

Outside of these numbers a right one is once in 10,000 times.
"""


def below(text: str, draw: Any, seed: int) -> int:
    """Return for how many pairs of runs the first predicts a value as large as the second's with at most `SHARE`."""
    rng, result = np.random.default_rng(seed), 0
    for _ in range(RUNS):
        first, second = draw(rng), draw(rng)
        rate = false_alarm(claim(text, at_most=measure(text, second).value), first)
        assert rate is not None
        result += rate <= SHARE
    return result


def normal(rng: Any) -> dict[str, Any]:
    return games(points=2, trials=8, x=np.concatenate([rng.normal(5, 1, 8), rng.normal(9, 3, 8)]))


def skewed(rng: Any) -> dict[str, Any]:
    return games(trials=12, x=rng.exponential(1, 12))


def power_law(rng: Any) -> dict[str, Any]:
    sites = np.repeat([10.0, 100.0, 1000.0], 4)
    return games(points=3, trials=4, sites=sites, words=sites**0.5 * np.exp(rng.normal(0, 0.2, 12)))


def shared(rng: Any) -> dict[str, Any]:
    # three points whose games of a trial are the same: 24 games say what 8 do
    return games(points=3, trials=8, x=np.tile(rng.normal(0, 1, 8), 3))


def bernoulli(rng: Any) -> dict[str, Any]:
    return games(trials=40, ok=rng.random(40) < 0.8)


@pytest.mark.slow
def test_the_prediction_of_a_mean_is_right() -> None:
    # of one point Student's t is exact; of three that share their trials, as much
    assert LEAST <= below("mean(x)", shared, 1) <= MOST
    assert LEAST <= below("mean(x)", normal, 2) <= MOST
    assert LEAST <= below("mean(x, where=(point == 1)) / mean(x, where=(point == 0))", normal, 3) <= MOST


@pytest.mark.slow
def test_the_prediction_of_a_slope_from_few_trials_is_cautious() -> None:
    assert below("slope(words, sites)", power_law, 4) <= MOST


def test_the_prediction_of_a_fraction_is_cautious() -> None:
    assert below("fraction(ok)", bernoulli, 5) <= MOST


@pytest.mark.drawn(1)
@pytest.mark.slow
@pytest.mark.parametrize("text", ["mean(x)", "median(x)", "quantile(x, 0.9)", "max(x)", "max(x) / mean(x)"])
def test_ordered_and_skewed_values_are_not_taken_for_surer_than_they_are(text: str) -> None:
    assert below(text, skewed, 6) <= MOST * 1.3  # Student's t of twelve exponential values is a little off


@pytest.mark.slow
def test_a_prediction_that_takes_games_of_a_trial_for_independent_is_seen_to_be_wrong() -> None:
    def alone(rng: Any) -> dict[str, Any]:
        table = shared(rng)
        return {**table, "trial": np.arange(24)}  # as if each of the 24 games had a seed of its own

    assert below("mean(x)", alone, 1) > MOST


# edges


def test_one_trial_says_nothing() -> None:
    table = games(points=3, trials=1, x=np.array([1.0, 2.0, 3.0]), ok=np.ones(3, dtype=bool))
    assert false_alarm(claim("mean(x)", at_most=9), table) is None
    assert false_alarm(claim("max(x)", at_most=9), table) is None
    assert false_alarm(claim(at_least=0.5), table) is not None  # of a fraction the prior still does


def test_groups_add_up() -> None:
    assert rate_of_several([1e-5, 2e-5]) == pytest.approx(3e-5)
    assert rate_of_several([0.7, 0.7]) == 1
    assert rate_of_several([0.1, None]) is None
    assert rate_of_several([]) == 0
    result = findings_of(
        [claim(each="point", at_least=1, chance=0.01)], games(points=2, trials=3, ok=np.ones(6, dtype=bool))
    )
    assert [one.false_alarm for one in result] == pytest.approx([1 - 0.99**3] * 2)


# games that go together


def tail(hits: np.ndarray[Any, Any], trials: int, least: int) -> tuple[float, float]:
    """Return the chances of at least, and of at most, so many hits in independent trials with this distribution."""
    total = np.array([1.0])
    for _ in range(trials):
        total = np.convolve(total, hits)
    return float(total[least:].sum()), float(total[: least + 1].sum())


@pytest.mark.parametrize(
    ("trials", "chance", "least"),
    [(20, 0.05, 13), (20, 0.05, 8), (10, 0.013, 5), (5, 0.3, 9), (3, 0.6, 8), (4, 0.9, 11)],
)
def test_no_mixture_of_cluster_sizes_is_worse(trials: int, chance: float, least: int) -> None:
    """Distributions of the hits of three games, on a grid: none exceeds the bound, at most twice the worst of them."""
    steps = np.linspace(0, 1, 41)
    upper, lower = [], []
    for two, three in ((two, three) for two in steps for three in steps if two + three <= 1):
        sizes = np.array([0, 1 - two - three, two, three])
        hit = 3 * chance / float(sizes @ np.arange(4))
        alike = hit * sizes + (1 - hit) * np.array([1.0, 0, 0, 0]) if hit <= 1 else None
        missed = 3 * (1 - chance) / float(sizes @ np.arange(4))
        turned = (missed * sizes + (1 - missed) * np.array([1.0, 0, 0, 0]))[::-1] if missed <= 1 else None
        for mixture in (alike, turned):
            if mixture is not None:
                above, below = tail(mixture, trials, least)
                upper.append(above)
                lower.append(below)
    bound, below = clustered(3 * trials, trials, chance, least), clustered_below(3 * trials, trials, chance, least)
    assert max(upper) <= bound * (1 + 1e-9)
    assert max(lower) <= below * (1 + 1e-9)
    assert bound <= 2 * max(upper)
    assert below <= 2 * max(lower)
