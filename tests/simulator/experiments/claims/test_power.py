"""The power of a claim: against exact distributions, by simulation, in the units of its goal, and on drawn games."""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import inf, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
from scipy import stats

from disttrack.simulator.experiments.claims.false_alarm import false_alarm
from disttrack.simulator.experiments.claims.jackknife import Jackknife, Observed, observe
from disttrack.simulator.experiments.claims.power import MISSED, Power
from disttrack.simulator.experiments.claims.power import power as power_of
from disttrack.simulator.game.columns import COINLESS
from tests.simulator.experiments.claims.rates import claim, games, power


def of(table: dict[str, Any], of_measure: str = "fraction(ok)", **keys: Any) -> Power | None:
    return power(claim(of_measure, **keys), table)


def holding(number: int, points: int = 1, **columns: Any) -> dict[str, Any]:
    return games(points=points, trials=number // points, ok=np.ones(number, dtype=bool), **columns)


# fractions


@pytest.mark.parametrize(("number", "bound", "failing"), [(40, 0.6, 17), (40, 1, 1), (200, 0.9, 21), (7, 0.5, 4)])
def test_of_a_fraction_of_independent_games_it_is_binomial(number: int, bound: float, failing: int) -> None:
    result = of(holding(number), at_least=bound)
    assert result is not None
    assert stats.binom.sf(failing - 1, number, 1 - result.value) == pytest.approx(0.95, abs=1e-7)
    upper = of({**holding(number), "ok": np.zeros(number, dtype=bool)}, at_most=round(1 - bound, 9))
    assert upper is not None
    assert upper.value == pytest.approx(1 - result.value)
    assert upper.of_goal == pytest.approx(result.of_goal)


def test_games_without_coins_are_as_they_are() -> None:
    table = {**holding(10), COINLESS: np.ones(10, dtype=bool)}
    assert of(table, at_least=1) == Power(1.0, 0.0)
    assert of(table, at_least=0.7, chance=0.1) == Power(0.7, pytest.approx(1.0))
    mixed = of({**holding(10), COINLESS: np.arange(10) < 5}, at_least=1)
    assert mixed is not None
    assert (mixed.value) ** 5 == pytest.approx(0.05)
    assert of({**table, "words": np.arange(10.0)}, "mean(words)", at_most=7) == Power(7.0, pytest.approx(5.5556, 1e-3))


# sums


# extremes


def test_of_a_maximum_whole_trials_are_drawn_anew_at_another_scale() -> None:
    table = games(trials=20, x=np.arange(1.0, 21))
    assert (17 / 20) ** 20 <= 0.05 < (18 / 20) ** 20
    assert of(table, "max(x)", at_most=40) == Power(pytest.approx(40 * 20 / 17), pytest.approx((40 / 17 - 1) / 0.15))
    turned = games(trials=20, x=-np.arange(1.0, 21))
    mirrored = of(turned, "min(x)", at_least=-40)
    assert mirrored is not None
    assert mirrored.value == pytest.approx(-40 * 20 / 17)
    moved = of(table, "max(x - 30)", at_most=0)
    assert moved is not None
    assert moved.value == pytest.approx(3)  # the fresh maximum, -13, moved to 0 moves the measured one, -10, to 3
    both = games(points=2, trials=20, x=np.append(np.arange(1.0, 21), np.full(20, 3.0)))
    assert of(both, "max(x)", at_most=40) == of(table, "max(x)", at_most=40)  # units are trials
    fixed = {**table, COINLESS: np.arange(20) == 18}  # a game of 19 is there in every run
    result = of(fixed, "max(x)", at_most=40)
    assert result is not None
    assert result.value == pytest.approx(40 * 20 / 19)


# goals


@pytest.mark.parametrize(
    ("of_measure", "keys", "expected"),
    [
        ("slope(x, n)", {"equals": 1, "within": 0.05}, 0.5),
        ("slope(x, n)", {"at_most": 1.3}, 3.0),
        ("slope(x, n)", {"at_most": 1.3, "promise": 1.25}, 0.5),
        ("mean(x) / mean(n)", {"at_most": 1.3}, 2.0),
        ("mean(words) / mean(n)", {"at_most": 1.3}, 3.0),
        ("mean(x) / mean(n)", {"equals": 1.2, "within": 0.3}, 0.3 / 1.2 / 0.15),
        ("mean(x) / mean(n)", {"at_least": 0.7, "at_most": 1.15}, 2.0),  # the worse of both sides
        ("mean(x) / mean(n)", {"at_most": 2, "promise": 2}, 0.0),
        ("mean(x - n)", {"at_most": 0}, 0.0),
        ("mean(x - n)", {"at_most": 1}, inf),
        ("fraction(x <= n)", {"at_least": 0.7}, 0.3 / 3 / 0.05),
        ("fraction(x <= n)", {"at_least": 0.7, "chance": 0.2}, 0.5),
        ("fraction(x <= n)", {"at_least": 0.7, "chance": 0.2, "promise": 0.1}, 1.0),
        ("fraction(x > n)", {"at_most": 0.3, "chance": 0}, 2.0),
        ("fraction(x <= n)", {"equals": 1, "within": 0.3}, 2.0),
    ],
)
def test_goals_of_claims_without_chance(of_measure: str, keys: dict[str, Any], expected: float) -> None:
    """Where no game has coins the power is the bound: what is left is how far that lies from what is promised."""
    sizes = np.array([1.0, 2, 4, 8])
    table = {"n": sizes, "x": sizes, "words": sizes, COINLESS: np.ones(4, dtype=bool)}
    result = of(table, of_measure, **keys)
    assert result is not None
    assert result.of_goal == pytest.approx(expected, rel=1e-6)


def test_what_finds_nothing_or_cannot_be_told_has_no_power() -> None:
    assert of(games(trials=1, x=[1.0]), "max(x)", at_most=2) is None
    assert of(games(trials=1, x=[1.0]), "max(x)", at_most=2, chance=0) == Power(2.0, pytest.approx(1 / 0.15))
    assert of(games(trials=1, points=3, x=[1.0, 2, 3]), "mean(x)", at_most=2) is None
    assert of(games(trials=3, x=[1.0, 2, np.inf]), "max(x)", at_least=1) is None


# ---------------------------------------------------------------------- drawn claims on drawn games


CASES: Final = 24


class Drawn(NamedTuple):
    """A measure of a column x and its games, and the measure of -x that is its negative."""

    text: str
    observed: Observed
    mirrored: str
    other: Observed


@cache
def drawn(case: int) -> Drawn:
    """Return sums of one or two aggregates, of skewed games of points that overlap or lie apart."""
    rng = np.random.default_rng([1, case])
    share = float(rng.choice([0.05, 0.1, 0.9]))
    terms = [
        (f"quantile(x, {share})", f"quantile(x, {1 - share:.2f})"),
        ("max(x)", "min(x)"),
        ("min(x)", "max(x)"),
        ("mean(x)", "mean(x)"),
        ("median(x)", "median(x)"),
        ("max(x, where=(n == 1))", "min(x, where=(n == 1))"),
    ]
    chosen = [terms[case % 3], terms[rng.choice(len(terms))]][: rng.integers(1, 3)]
    text, mirrored = (" + ".join(f"{number + 1} * {one[side]}" for number, one in enumerate(chosen)) for side in (0, 1))
    points, trials = int(rng.integers(1, 3)), int(rng.choice([3, 9, 20]))
    n = np.repeat(np.arange(1, points + 1), trials)
    x = 10 + rng.choice([0, 0.5, 20]) * n + rng.choice([-1, 1]) * rng.exponential(1, len(n))
    of_x, of_less = (games(points=points, trials=trials, n=n, x=values) for values in (x, -x))
    return Drawn(text, observe(text, of_x), mirrored, observe(mirrored, of_less))


def moved(observed: Observed) -> Jackknife:
    assert observed.moved is not None
    return observed.moved


def test_mirrored_claims_have_the_same_rates() -> None:
    """A low quantile is as uncertain as a high one, a minimum as a maximum, a lower bound as an upper one."""
    happened = Counter[str]()
    for case in range(CASES):
        text, observed, mirrored, other = drawn(case)
        mine, its = moved(observed), moved(other)
        assert (-its.value, its.variance, its.freedom) == pytest.approx((mine.value, mine.variance, mine.freedom)), text
        assert its.extreme == mine.extreme
        bound = mine.value + (1 + case % 5) * sqrt(mine.variance)
        above, below = claim(text, at_most=bound), claim(mirrored, at_least=-bound)
        assert false_alarm(above, observed) == pytest.approx(false_alarm(below, other)), text
        up, down = power_of(above, observed, mine.value), power_of(below, other, its.value)
        assert up is not None
        assert down is not None
        assert (-down.value, down.of_goal) == pytest.approx((up.value, up.of_goal)), text
        happened["extreme" if mine.extreme else "quantile" if "quantile" in text else "other"] += 1
    assert min(happened["extreme"], happened["quantile"]) > 4


@pytest.mark.parametrize("side", [-1, 1])
def test_a_violation_as_large_as_the_power_is_missed_as_often_as_stated(side: int) -> None:
    """So it is by the false-alarm rate of a bound sqrt(2) as far off: that of the difference of two runs."""
    happened = Counter[bool]()
    for case in range(CASES):
        text, observed, *_ = drawn(case)
        mine = moved(observed)
        end = "at_most" if side > 0 else "at_least"
        bound = mine.value + side * case
        strength = power_of(claim(text, **{end: bound}), observed, mine.value)
        assert strength is not None
        distance = strength.value - bound
        assert side * distance > 0
        as_far = mine.value + sqrt(2) * distance
        assert false_alarm(claim(text, **{end: as_far}), observed) == pytest.approx(MISSED), text
        happened[mine.extreme and mine.freedom > 6] += 1  # where Student's tail is the lighter one
    assert min(happened[True], happened[False]) > 4
