"""Chances of a fresh run and spreads of a measure, against definitions written down a second time, game by game."""

from __future__ import annotations

from math import exp, inf, sqrt
from statistics import mean, variance
from typing import Final

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from disttrack.simulator.experiments.claims.expressions import ExpressionError
from disttrack.simulator.experiments.claims.tails import clustered, clustered_below, game_outside, tail
from tests.simulator.experiments.claims.rates import claim, false_alarm, table

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
