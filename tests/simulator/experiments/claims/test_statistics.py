"""Measures and their intervals against scipy's, and against definitions by counting."""

from __future__ import annotations

from itertools import pairwise
from math import exp, inf, log
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from disttrack.simulator.experiments.claims.statistics import (
    AGGREGATES,
    Estimate,
    clopper_pearson,
    crossing,
    fraction,
    mean,
    median,
    order_interval,
    quantile,
    slope,
)

VALUES: Final = st.lists(st.integers(-4, 4), min_size=1, max_size=45)


@pytest.mark.parametrize("confidence", [0.95, 0.5])
@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (1, 1), (0, 7), (3, 7), (7, 7), (1, 2)])
def test_the_interval_of_a_probability(successes: int, trials: int, confidence: float) -> None:
    expected = stats.binomtest(successes, trials).proportion_ci(confidence, method="exact")
    assert clopper_pearson(successes, trials, confidence) == pytest.approx((expected.low, expected.high))
    if confidence == 0.95:
        held = np.array([True] * successes + [False] * (trials - successes))
        expected = Estimate(successes / trials, *clopper_pearson(successes, trials))
        assert fraction(trials, held) == expected
        assert fraction(trials, held.astype(float)) == expected
        assert fraction(trials, held.tolist()) == expected  # type: ignore[arg-type]


def by_counting(values: list[float], q: float, wrong: float = 0.025) -> tuple[float | None, float | None]:
    """Return the last value that is below the quantile, and the first that is above it, each but for this chance."""
    n, ordered = len(values), sorted(values)
    below = [one for place, one in enumerate(ordered) if stats.binom.cdf(place, n, q) <= wrong]
    above = [one for place, one in enumerate(ordered) if stats.binom.sf(place, n, q) <= wrong]
    return (below[-1], above[0]) if below and above else (None, None)


@settings(max_examples=60, deadline=None)
@given(VALUES, st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.77, 0.9, 1.0]))
def test_quantiles_by_counting(numbers: list[int], q: float) -> None:
    values = [float(number) for number in numbers]
    result = quantile(len(values), np.array(values), q)
    assert result.value == pytest.approx(np.quantile(values, q))
    assert (result.low, result.high) == by_counting(values, q)
    assert order_interval(np.sort(values), q, 0.975) == by_counting(values, q, 0.0125)
    if q == 0.5:
        assert median(len(values), np.array(values)) == result


def test_a_quantile_next_to_an_infinite_value_is_the_higher_one() -> None:
    assert quantile(2, np.array([1, inf]), 0.1).value == inf
    assert quantile(3, np.array([1, 2, inf]), 0.25).value == 1.5
    assert quantile(3, np.array([-inf, 2, 4]), 0.25).value == 2
    assert quantile(2, np.array([inf, inf]), 0.5).value == inf
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=r"^a quantile is between 0 and 1; got "):
            quantile(1, np.array([1.0]), wrong)


@pytest.mark.parametrize("compute", [mean, median, AGGREGATES["max"].compute])
def test_nothing_is_measured_without_values(compute: Any) -> None:
    with pytest.raises(ValueError, match=r"^no games to measure$"):
        compute(0, np.array([]))
    with pytest.raises(ValueError, match=r"^some games have no value$"):
        compute(2, np.array([1.0, np.nan]))
    assert compute(1, np.array([None, 2.0, None], dtype=object)[1:2]).value == 2  # what pandas keeps as objects


@pytest.mark.parametrize("values", [[1.0, 2.0], [1.0, 5.0, 3.0, 3.5], [2.0] * 3])
def test_the_interval_of_a_mean_is_scipys(values: list[float]) -> None:
    result = mean(len(values), np.array(values))
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    middle = sum(values) / len(values)
    assert (result.value, result.low, result.high) == pytest.approx((middle, middle - half, middle + half))
    assert mean(1, np.array([3.0])) == Estimate(3.0)


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2, 4], [1, 3, 20]), ([1, 1, 8, 9], [5, 4, 1, 1.5]), ([3, 4, 5, 6, 7], [2, 2, 2, 2, 3])]
)
def test_the_interval_of_a_slope_is_scipys(x: list[float], y: list[float]) -> None:
    result, line = slope(len(x), np.array(y), np.array(x)), stats.linregress(np.log(x), np.log(y))
    half = stats.t.ppf(0.975, len(x) - 2) * line.stderr
    expected = (line.slope, line.slope - half, line.slope + half)
    assert (result.value, result.low, result.high) == pytest.approx(expected)
    two = slope(2, np.array(y[:2]), np.array([1, 2]))
    assert two == Estimate(pytest.approx(log(y[1] / y[0]) / log(2)))


# ---------------------------------------------------------------------- crossings


def cross(first: dict[float, list[float]], second: dict[float, list[float]]) -> Estimate:
    rows = [(x, y, one) for group, one in ((first, 1), (second, 0)) for x, ys in group.items() for y in ys]
    x, y, one = (np.array(column) for column in zip(*rows, strict=True))
    result = crossing(len(rows), y, x, one == 1, one == 0)
    assert crossing(len(rows), y, x, one, 1 - one) == result  # truth values may stand as 0 and 1
    return result


def falls_below(points: list[tuple[float, float]]) -> float | None:
    """Return where the last line from above 0 to below it crosses 0, in e to the place."""
    result = None
    for (place, value), (after, then) in pairwise(points):
        if value >= 0 > then:
            result = exp(place + (after - place) * value / (value - then))
    return result if points[-1][1] < 0 else None


def test_a_crossing_by_hand() -> None:
    """Twice as dear at x = 1, half as dear at x = 100: as dear at the middle of their logarithms, for certain."""
    result = cross({1: [4], 100: [1]}, {1: [2], 100: [2]})
    assert (result.value, result.low, result.high) == pytest.approx((10, 10, 10))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.lists(st.integers(1, 9), min_size=1, max_size=4)] * 2), min_size=2, max_size=5))
def test_crossings_by_welch(groups: list[tuple[list[int], list[int]]]) -> None:
    places = [float(3 * number + 2) for number in range(len(groups))]
    middles, halves = [], []
    for one, other in groups:
        logs = np.log(one), np.log(other)
        middles.append(logs[0].mean() - logs[1].mean())
        parts = [(each.var(ddof=1) / len(each), len(each) - 1) for each in logs if len(each) > 1]
        whole = sum(part for part, _ in parts)
        free = whole**2 / sum(part**2 / one for part, one in parts) if whole else 1
        halves.append(float(stats.t.ppf(0.975, free)) * whole**0.5 if whole else 0.0)
    ends = [
        falls_below(
            [(log(place), middle + sign * half) for place, middle, half in zip(places, middles, halves, strict=True)]
        )
        for sign in (0, -1, 1)
    ]
    first, second = ({place: [float(one) for one in group[side]] for place, group in zip(places, groups, strict=True)}
                     for side in (0, 1))  # fmt: skip
    if ends[0] is None:
        some = sum(middle < 0 for middle in middles)
        last = f"below at {some} of {len(middles)} x, not at the largest" if some else "never below"
        why = last if middles[-1] >= 0 else "already below at the smallest x"
        with pytest.raises(ValueError, match=f"^no crossing: the first group is {why}$"):
            cross(first, second)
    else:
        result = cross(first, second)
        for value, expected in zip((result.value, result.low, result.high), ends, strict=True):
            assert (value is None) == (expected is None)
            assert value is None or value == pytest.approx(expected)


def test_a_crossing_takes_two_places_that_both_groups_have() -> None:
    with pytest.raises(
        ValueError, match=r"^crossing\(\) needs two values of x in both groups$"
    ):
        cross({1: [2], 2: [1], 4: [1]}, {2: [1], 3: [2]})
    assert cross({1: [2], 2: [1]}, {1: [1], 2: [2], 3: [5]}).value == pytest.approx(2**0.5)


# ---------------------------------------------------------------------- the tables


def test_upper_ends_of_intervals_are_as_exact_as_lower_ones() -> None:
    """At a confidence of 1 - 1e-18 the complement of the tail is 1, so that an upper end from it is always 1."""
    low, high = clopper_pearson(500, 1000, 1 - 1e-15)
    assert low == pytest.approx(1 - high, rel=1e-9)
    few, many = clopper_pearson(3, 10**6, 1 - 1e-15), clopper_pearson(10**6 - 3, 10**6, 1 - 1e-15)
    assert 1 - many[0] == pytest.approx(few[1], rel=1e-9)
