"""The false-alarm rate of a claim: exact where the chances of a game are known, and what fresh runs do otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.simulator.experiments.claims.expressions import measure
from disttrack.simulator.experiments.claims.false_alarm import rate_of_several
from disttrack.simulator.experiments.claims.findings import findings_of
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


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("text", "draw", "least", "most"),
    [
        ("fraction(ok)", bernoulli, 0, MOST),  # cautious
        ("mean(x)", shared, LEAST, MOST),  # of three points that share their trials Student's t is exact
        ("mean(x, where=(point == 1)) / mean(x, where=(point == 0))", normal, LEAST, MOST),
        ("slope(words, sites)", power_law, 0, MOST),
        ("quantile(x, 0.9)", skewed, 0, MOST * 1.3),  # Student's t of twelve exponential values is a little off
        ("max(x) / mean(x)", skewed, 0, MOST * 1.3),
    ],
)
def test_predictions_are_right_or_cautious(text: str, draw: Any, least: float, most: float) -> None:
    assert least <= below(text, draw, 1) <= most


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
