"""Chances of a fresh run and spreads of a measure, against definitions written down a second time, and fresh runs."""

from __future__ import annotations

from math import exp, inf, sqrt
from statistics import mean, variance
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from disttrack.simulator.experiments.claims.expressions import ExpressionError, measure
from disttrack.simulator.experiments.claims.false_alarm import rate_of_several
from disttrack.simulator.experiments.claims.findings import findings_of
from disttrack.simulator.experiments.claims.tails import clustered, clustered_below, game_outside, tail
from tests.simulator.experiments.claims.rates import claim, false_alarm, games, table

NUMBERS: Final = st.lists(st.integers(-3, 3), min_size=1, max_size=8)


def single_tail(far: float, freedom: float) -> float:
    return max(float(stats.t.sf(far, freedom)), exp(-max(1 + far, 0.0)))


def outside(values: list[float], points: list[int], low: float, high: float, same: list[bool]) -> list[float] | None:
    """Return what `game_outside` says, one game after the other."""
    if any(abs(value) == inf or value != value for value in values):
        return None
    of_point: dict[int, list[float]] = {}
    for value, point, fixed in zip(values, points, same, strict=True):
        if not fixed:
            of_point.setdefault(point, []).append(value)
    if not of_point:
        return [float(not low <= value <= high) for value in values]
    freedom = sum(len(mine) - 1 for mine in of_point.values()) / (1 + (len(of_point) - 1) * 0.25)
    if not freedom:
        return None
    pooled = mean(variance(mine) for mine in of_point.values() if len(mine) > 1)
    result = []
    for value, point, fixed in zip(values, points, same, strict=True):
        if fixed:
            result.append(float(not low <= value <= high))
            continue
        mine = of_point[point]
        own = variance(mine) if len(mine) > 1 else 0.0
        wide = 0.0 if own == 0 and len(mine) >= 3 else max(own, pooled)
        error = sqrt(wide * (1 + 1 / len(mine)))
        if error:
            below, above = ((mean(mine) - low) / error, (high - mean(mine)) / error)
            result.append(min(1.0, single_tail(below, freedom) + single_tail(above, freedom)))
        else:
            result.append(float(not low <= mean(mine) <= high))
    return result


@settings(max_examples=60, deadline=None)
@given(NUMBERS, st.data())
def test_a_fresh_game_beyond_a_bound(numbers: list[int], data: st.DataObject) -> None:
    same = [data.draw(st.integers(0, 3)) == 0 for _ in numbers]
    points = [-1 - place if same[place] else data.draw(st.integers(0, 2)) for place in range(len(numbers))]
    low, high = data.draw(st.sampled_from([(-inf, 1.0), (-2.0, inf), (-1.0, 2.0), (-9.5, 2.5), (0.0, 0.0)]))
    values = [float(number) for number in numbers]
    expected = outside(values, points, low, high, same)
    result = game_outside(np.array(values), np.array(points), low, high, np.array(same))
    if expected is None:
        assert result is None
    else:
        assert result == pytest.approx(np.array(expected), rel=1e-9)
    if not any(same):
        again = game_outside(np.array(values), np.array(points), low, high)
        assert (result is None) == (again is None)
        assert result is None or (result == again).all()


def test_games_that_are_infinite_or_alone_at_their_points_say_nothing() -> None:
    assert game_outside(np.array([1.0, inf]), np.array([0, 0]), 0, 1) is None
    assert game_outside(np.array([1.0, 2.0]), np.array([0, 1]), 0, 1) is None
    # two that are alike may have been so by chance, three are not
    two, three = (game_outside(np.array([5.0] * n + [1.0, 3.0]), np.array([0] * n + [1] * 2), 0, 6) for n in (2, 3))
    assert two is not None
    assert three is not None
    assert two[0] > 0 == three[0]
    assert (three[3:] > 0).all(), "the points after it are looked at all the same"
    # a tenth three times has a mean that is not a tenth
    third = game_outside(np.array([0.1] * 3), np.array([0] * 3), 0.1, 0.1)
    assert third is not None
    assert third.tolist() == [0, 0, 0]


@pytest.mark.parametrize("freedom", [1.0, 2.5, 30.0])
def test_the_tail_of_one_game_is_no_lighter_than_exponential(freedom: float) -> None:
    distances = [-3.0, -1.5, -1.0, -0.5, 0.0, 0.5, 2.0, 9.0, inf]
    expected = stats.t.sf(distances, freedom)
    assert tail(np.array(distances), freedom, single=False) == pytest.approx(expected)
    singles = [single_tail(distance, freedom) for distance in distances]
    assert tail(np.array(distances), freedom, single=True) == pytest.approx(np.array(singles))


def worst(trials: int, mean: float, most: int, needed: int) -> float:
    """Return the chance of the needed hits if each trial, knowing those before, takes the worst two values."""
    if not trials:
        return float(needed <= 0)
    after = [worst(trials - 1, mean, most, needed - hits) for hits in range(most + 1)]
    pairs = ((low, high) for low in range(most + 1) for high in range(low + 1, most + 1) if low <= mean <= high)
    return max(after[low] + (after[high] - after[low]) * (mean - low) / (high - low) for low, high in pairs)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.floats(0, 1), st.integers(-1, 17))
@example(trials=2, each=2, chance=1.0, missing=3)
def test_games_of_a_trial_are_hit_together_in_the_worst_way(
    trials: int, each: int, chance: float, missing: int
) -> None:
    expected = worst(trials, each * chance, each, missing) if missing <= trials * each else 0.0
    assert clustered(trials * each, trials, chance, missing) == pytest.approx(expected, abs=1e-9)
    fewer = worst(trials, each * (1 - chance), each, trials * each - missing)  # few hits are many misses
    assert clustered_below(trials * each, trials, chance, missing) == pytest.approx(fewer if missing >= 0 else 0)


def test_trials_with_unequal_numbers_of_games() -> None:
    # 5 games of 2 trials: up to 3 of them together
    assert clustered(5, 2, 0.3, 4) == pytest.approx(worst(2, 0.75, 3, 4))


# ---------------------------------------------------------------------- shares of games


def test_a_share_counts_trials_once() -> None:
    games = table([0] * 5 + [1] * 5, [*range(5)] * 2, ok=[True] * 8 + [False] * 2)
    seen = stats.betabinom(5, 4.5, 1.5)  # 8 of 10 games are 4 of 5 trials
    assert false_alarm(claim(at_least=0.5), games) == pytest.approx(seen.cdf(2))
    assert false_alarm(claim(at_most=0.8), games) == pytest.approx(seen.sf(4))
    assert false_alarm(claim(equals=0.8, within=0.2), games) == pytest.approx(seen.cdf(2))
    assert false_alarm(claim(equals=0.6, within=0), games) == pytest.approx(1 - seen.pmf(3))


def test_known_games_are_in_every_run() -> None:
    games = table([0] * 6 + [1] * 4, [*range(6), *range(4)], ok=[True] * 5 + [False] + [True, True, True, False],
                  same=[False] * 6 + [True] * 4)  # fmt: skip
    seen = stats.betabinom(6, 5.5, 1.5)  # and 3 of 4 for certain
    assert false_alarm(claim(at_least=0.7), games) == pytest.approx(seen.cdf(3))
    assert false_alarm(claim(at_most=0.8), games) == pytest.approx(seen.sf(5))
    assert false_alarm(claim(at_least=0.31), games) == pytest.approx(seen.pmf(0))
    assert false_alarm(claim(at_least=0.3), games) == 0  # known games alone are as many
    assert false_alarm(claim(at_least=0.7, chance=0.1), games) == pytest.approx(stats.binom.cdf(3, 6, 0.9))
    assert false_alarm(claim(at_most=0.8, chance=0.6), games) == pytest.approx(stats.binom.sf(5, 6, 0.6))
    assert false_alarm(claim("fraction(ok, where=(point == 1))", at_least=0.75), games) == 0
    assert false_alarm(claim("fraction(ok, where=(point == 1))", at_least=0.76), games) == 1
    assert false_alarm(claim("fraction(ok, where=(point == 1))", at_most=0.75), games) == 0
    assert false_alarm(claim("fraction(ok, where=(point == 1))", at_most=0.74), games) == 1


def test_a_condition_inside_of_the_measure_chooses_games_trials_and_points() -> None:
    games = table([0] * 4 + [1] * 8, [*range(4), *range(8)], ok=[False] * 4 + [True] * 7 + [False])
    result = false_alarm(claim("fraction(ok, where=(point == 1))", at_least=0.5), games)
    assert result == pytest.approx(stats.betabinom(8, 7.5, 1.5).cdf(3))


def test_the_smallest_rate_counts() -> None:
    games = table([0] * 8, [*range(8)], ok=[True] * 8, loss=[0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2])
    by_theory = stats.binom.cdf(3, 8, 0.6)
    assert false_alarm(claim(at_least=0.5, chance=0.4), games) == pytest.approx(by_theory)
    chances = outside([0.1, 0.2] * 4, [0] * 8, -inf, 1.0, [False] * 8)
    assert chances is not None
    by_margin = stats.binom.cdf(3, 8, 1 - chances[0])
    assert by_margin < 1e-3
    assert false_alarm(claim(at_least=0.5, margin="loss"), games) == pytest.approx(by_margin)
    assert false_alarm(claim(at_least=0.5, margin="loss", chance=0.4), games) == pytest.approx(by_margin)
    low = false_alarm(claim(at_least=0.5, margin="loss", chance=1e-9), games)
    assert low == pytest.approx(stats.binom.cdf(3, 8, 1 - 1e-9), abs=1e-12)


def test_a_margin_of_unequal_points_and_of_one_that_tells_nothing() -> None:
    games = table([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, ok=[True] * 6, loss=[0.5, 0.6, 0.7, 0.1, 0.3, 0.2])
    chances = outside([0.5, 0.6, 0.7, 0.1, 0.3, 0.2], [0, 0, 0, 1, 1, 1], -inf, 1.0, [False] * 6)
    assert chances is not None
    expected = clustered(6, 3, float(np.mean(chances)), 2)
    assert false_alarm(claim(at_least=0.8, margin="loss"), games) == pytest.approx(expected)
    alone = table([0, 1], [0, 1], ok=[True] * 2, loss=[0.5, 0.6])
    assert false_alarm(claim(at_least=1, margin="loss"), alone) == false_alarm(claim(at_least=1), alone)
    edge = table([0, 0, 0], [0, 1, 2], ok=[True] * 3, loss=[1, 1 + 1e-10, 0.5])
    assert false_alarm(claim(at_least=0.01, margin="loss"), edge) == pytest.approx(1 / 27)  # all three fail
    with pytest.raises(ExpressionError) as caught:
        false_alarm(claim(at_least=0.01, margin="loss"), {**edge, "loss": np.array([1, 1 + 1e-8, 0.5])})
    assert str(caught.value) == "margin 'loss' is not at most 1 exactly where the condition holds"


# ---------------------------------------------------------------------- extremes


def test_the_chance_of_an_extreme_by_theory_is_that_of_each_tossed_game() -> None:
    games = table([0] * 5, [*range(5)], x=[1.0, 2.0, 3.0, 9.0, 1.0], same=[False] * 4 + [True])
    assert false_alarm(claim("max(x)", at_most=9, chance=0.01), games) == pytest.approx(0.04)
    assert false_alarm(claim("max(x)", at_most=8, chance=0.01), games) == pytest.approx(0.04)  # one beyond can be
    assert false_alarm(claim("min(x)", at_least=1, chance=0.01), games) == pytest.approx(0.04)
    assert false_alarm(claim("min(x)", at_least=1.5, chance=0.1), games) == 1  # the game without coins is beyond
    assert false_alarm(claim("max(x)", at_most=9, chance=0.5), games) == 1
    edge = table([0] * 5, [*range(5)], x=[1.0, 2.0, 3.0, 5.0, 9.0], same=[False] * 4 + [True])
    assert false_alarm(claim("max(x)", at_most=9, chance=0.01), edge) == pytest.approx(0.04)  # and 9 is allowed
    assert false_alarm(claim("max(x)", at_most=8.9, chance=0.01), edge) == 1
    assert false_alarm(claim("min(x, where=(x > 1))", at_least=0, chance=0.01), games) == pytest.approx(0.03)


# ---------------------------------------------------------------------- predictions, against fresh runs


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
"""The least and the most of all runs in which a right prediction has a rate below SHARE at the value of a fresh run.

That rate is uniform; a right prediction is outside of these numbers once in 10,000 times.
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
