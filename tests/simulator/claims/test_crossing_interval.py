"""From which x on one group of games is cheaper than another: by hand, and the interval against scipy's Welch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from simulator.claims.statistics import crossing


def table(one: dict[float, list[float]], other: dict[float, list[float]]) -> tuple[np.ndarray, ...]:
    """Return the columns y, x, one, other of games by their x."""
    rows = [(y, x, group) for group, games in enumerate((one, other)) for x, ys in games.items() for y in ys]
    y, x, group = (np.array(column) for column in zip(*rows, strict=True))
    return y, x, group == 0, group == 1


def test_without_spread_by_hand() -> None:
    """Twice as dear at x = 1, half as dear at x = 100: as dear at the middle of their logarithms, for certain."""
    y, x, one, other = table({1: [4], 100: [1]}, {1: [2], 100: [2]})
    found = crossing(4, y, x, one, other)
    assert (found.value, found.low, found.high) == pytest.approx((10, 10, 10))


def test_the_last_crossing_counts_and_only_places_of_both_groups() -> None:
    """Cheaper at 1 already, dearer at 10 by ln 2, cheaper at 100 by ln 4: a third of the way from 10 to 100."""
    y, x, one, other = table({1: [1], 10: [4], 50: [1], 100: [1]}, {1: [2], 10: [2], 100: [4]})
    assert crossing(7, y, x, one, other).value == pytest.approx(10 * 10 ** (1 / 3))


@pytest.mark.parametrize(
    ("first", "says"),
    [
        ({1: [4], 10: [3]}, "never below"),
        ({1: [4], 10: [2]}, "never below"),
        ({1: [1], 10: [1]}, "already below at the smallest x"),
        ({1: [4], 5: [1]}, "at least two values of x at which both groups have games"),
    ],
)
def test_where_there_is_none(first: dict[float, list[float]], says: str) -> None:
    y, x, one, other = table(first, {1: [2], 10: [2]})
    with pytest.raises(ValueError, match=says):
        crossing(4, y, x, one, other)


def test_the_interval_is_where_the_ends_of_welchs_fall_below() -> None:
    rng = np.random.default_rng(5)
    places = (1.0, 10.0, 100.0, 1000.0)
    one = {x: np.exp(rng.normal(2 - i, 0.3, 6)).tolist() for i, x in enumerate(places)}
    other = {x: np.exp(rng.normal(0.4, 0.5, 9)).tolist() for x in places}
    found = crossing(60, *table(one, other))
    ends = [
        stats.ttest_ind(np.log(one[x]), np.log(other[x]), equal_var=False).confidence_interval(0.95) for x in places
    ]
    middle = [float(np.mean(np.log(one[x])) - np.mean(np.log(other[x]))) for x in places]

    def below(values: list[float]) -> float:
        last = max(place for place, value in enumerate(values) if value >= 0)
        share = values[last] / (values[last] - values[last + 1])
        return math.exp(math.log(places[last]) + share * math.log(places[last + 1] / places[last]))

    expected = below(middle), below([end.low for end in ends]), below([end.high for end in ends])
    assert (found.value, found.low, found.high) == pytest.approx(expected)
    assert expected[1] < expected[0] < expected[2]


def test_one_game_adds_no_width_and_an_end_that_never_falls_is_unknown() -> None:
    """A single game has no spread of its own: the other group's alone, with its degrees of freedom."""
    one = {1.0: [8.0], 10.0: [0.5]}
    other = {1.0: [1.0, 2.0, 3.0], 10.0: [1.0, 1.1, 1.2]}
    found = crossing(8, *table(one, other))
    half = stats.t.ppf(0.975, 2) * np.std(np.log(other[1.0]), ddof=1) / math.sqrt(3)
    least = math.log(8) - np.mean(np.log(other[1.0])) - half
    after = math.log(0.5) - np.mean(np.log(other[10.0]))
    after -= stats.t.ppf(0.975, 2) * np.std(np.log(other[10.0]), ddof=1) / math.sqrt(3)
    assert found.low == (pytest.approx(10 ** (least / (least - after))) if least >= 0 else None)
    wide = crossing(6, *table({1.0: [8.0], 10.0: [0.9]}, {1.0: [1.0, 1.0], 10.0: [0.5, 2.0]}))
    assert wide.high is None
    assert wide.low is not None
    assert wide.low < wide.value
