"""Rates of drawn claims on drawn games: mirrored ones are alike, and power and false-alarm rate rest on one error."""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
import pytest

from disttrack.simulator.experiments.claims.false_alarm import false_alarm
from disttrack.simulator.experiments.claims.jackknife import Jackknife, Observed, observe
from disttrack.simulator.experiments.claims.power import MISSED, power
from tests.simulator.experiments.claims.rates import claim, games

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
        up, down = power(above, observed, mine.value), power(below, other, its.value)
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
        strength = power(claim(text, **{end: bound}), observed, mine.value)
        assert strength is not None
        distance = strength.value - bound
        assert side * distance > 0
        as_far = mine.value + sqrt(2) * distance
        assert false_alarm(claim(text, **{end: as_far}), observed) == pytest.approx(MISSED), text
        happened[mine.extreme and mine.freedom > 6] += 1  # where Student's tail is the lighter one
    assert min(happened[True], happened[False]) > 4
