"""How far a measure moves with chance, against a jackknife written down a second time."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import mean, variance
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.simulator.experiments.claims.expressions import measure
from disttrack.simulator.experiments.claims.jackknife import Jackknife, jackknife
from disttrack.simulator.game.columns import COINLESS
from tests.simulator.experiments.claims.rates import claim, false_alarm, power, table
from tests.simulator.experiments.claims.test_rates import single_tail


def spread(text: str, columns: dict[str, Any], trials: Any, points: Any) -> Jackknife | None:
    return jackknife(text, {**columns, "trial": trials, "point": points})


def leave_out(values: np.ndarray[Any, Any], part: np.ndarray[Any, Any]) -> float:
    """Return the jackknife's variance of the mean of values of which those of a part are left out together."""
    means = [values[part != one].mean() for one in np.unique(part)]
    return (len(means) - 1) / len(means) * sum((one - mean(means)) ** 2 for one in means)


@pytest.mark.parametrize("others", [0.0, 0.01, 1.0])
def test_a_median_of_heaps_moves_as_that_of_the_heap_that_it_lies_in(others: float) -> None:
    """The mean of three heaps moves by a third of what one of them does: its median by as much as that of one."""
    rng = np.random.default_rng(5)
    middle, low, high = (sd * rng.normal(0, 1, 20) for sd in (1.0, others, others))
    heaps = spread(
        "median(x)",
        {"x": np.concatenate([low - 30, middle, high + 30])},
        np.tile(np.arange(20), 3),
        np.arange(60) // 20,
    )
    alone = spread("median(x)", {"x": middle}, np.arange(20), np.zeros(20))
    assert heaps is not None
    assert alone is not None
    assert (heaps.value, heaps.freedom) == (alone.value, alone.freedom)
    assert heaps.variance == pytest.approx(alone.variance)
    swapped = spread(
        "median(x)", {"x": np.concatenate([middle, low - 30])}, np.tile(np.arange(20), 2), np.arange(40) // 20
    )
    assert swapped is not None  # between two heaps both extremes count, each as half of one that is alone
    assert swapped.variance >= 0.99 * middle.var(ddof=1)


def test_points_of_one_game_are_taken_for_one_point() -> None:
    x = np.random.default_rng(6).normal(0, 1, 12)
    apart, together = (spread("median(x)", {"x": x}, np.arange(12), points) for points in (np.arange(12), np.zeros(12)))
    assert apart == together


def heaps(rng: np.random.Generator) -> dict[str, Any]:
    """Three points that differ; the games of the middle one differ most."""
    point = np.repeat([0, 1, 2], 20)
    x = 100 + 30 * point + rng.normal(0, 1, 60) * np.where(point == 1, 1, 0.01)
    return {"x": x, "point": point, "trial": np.tile(np.arange(20), 3)}


def noise_in_common(rng: np.random.Generator) -> dict[str, Any]:
    """Two points whose games of one trial share most of their noise: their means nearly move alike."""
    both = np.tile(rng.normal(100, 20, 40), 2)
    point = np.repeat([0, 1], 40)
    return {"x": both + rng.normal(0, 1, 80), "point": point, "trial": np.tile(np.arange(40), 2)}


@pytest.mark.drawn(1)
@pytest.mark.slow
@pytest.mark.false_alarm(1e-6)  # Bin(300, 0.96) < 265
@pytest.mark.parametrize(
    ("games", "text"),
    [
        (heaps, "median(x)"),
        (noise_in_common, "median(x, where=(point == 0)) / median(x, where=(point == 1))"),
    ],
)
def test_a_median_as_large_as_the_power_fails_in_most_runs(
    games: Callable[[np.random.Generator], dict[str, Any]], text: str
) -> None:
    """Moved as the means move, times sqrt(3), 172 to 240 of 300 would fail."""
    rng = np.random.default_rng(21)
    truth = float(np.mean([measure(text, games(rng)).value for _ in range(1000)]))
    found = 0
    for _ in range(300):
        strength = power(claim(text, at_most=truth), games(rng))
        assert strength is not None
        found += measure(text, games(rng)).value + strength.value - truth > truth
    assert found >= 265


def test_few_trials_count_their_games_too() -> None:
    x = np.array([1.0, 2.0, 4.0, 10.0, 10.0, 11.0, 9.0])
    points, trials = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2, 3])
    parts, free = [], []
    for point in (0, 1):
        mine = x[points == point]
        # twice in turn; of a mean of n, one more counts 1/(n + 1)
        added = [(np.append(x, one).mean() - x.mean()) * (1 + 1 / len(mine)) for one in mine]
        parts.append(len(mine) * variance(added))
        free.append(len(mine) - 1)
    result = spread("mean(x)", {"x": x}, trials, points)
    assert result is not None
    assert result.variance == pytest.approx(max(sum(parts), leave_out(x, trials)))
    welch = sum(parts) ** 2 / sum(part**2 / one for part, one in zip(parts, free, strict=True))
    assert result.freedom == pytest.approx(max(welch, 3))


def test_games_alone_at_their_points_add_nothing_of_their_own() -> None:
    x = np.array([1.0, 2.0, 4.0])
    result = spread("mean(x)", {"x": x}, np.arange(3), np.arange(3))
    assert result == Jackknife(x.mean(), pytest.approx(leave_out(x, np.arange(3))), 2.0, False)
    assert spread("mean(x)", {"x": x[:1]}, np.zeros(1), np.zeros(1)) is None
    assert spread("mean(x)", {"x": x}, np.zeros(3), np.zeros(3)) is None
    assert spread("mean(x)", {"x": x[:2]}, np.arange(2), np.arange(2)) is not None


def test_games_without_coins_stay() -> None:
    x = np.array([1.0, 2.0, 4.0, 30.0, 40.0])
    same = np.array([False] * 3 + [True] * 2)
    games = {"x": x, COINLESS: same}
    result = spread("mean(x)", games, np.array([0, 1, 2, 0, 1]), np.zeros(5))
    assert result is not None
    without = [np.delete(x, one).mean() for one in range(3)]
    jackknife = 2 / 3 * sum((one - mean(without)) ** 2 for one in without)
    added = [(np.append(x, one).mean() - x.mean()) * (1 + 1 / 3) for one in x[:3]]
    assert result.variance == pytest.approx(max(jackknife, 3 * variance(added)))
    assert result.freedom == pytest.approx(2)
    # each of these is a point of its own, whatever the numbers of the others
    numbered = spread("mean(x)", {"x": x[::-1], COINLESS: same[::-1]}, np.array([1, 0, 2, 1, 0]), np.ones(5))
    assert numbered is not None
    assert (numbered.variance, numbered.freedom) == (pytest.approx(result.variance), pytest.approx(2))
    all_same = spread("max(x)", {**games, COINLESS: np.ones(5, dtype=bool)}, np.arange(5), np.zeros(5))
    assert all_same == Jackknife(40.0, 0.0, 1.0, True)


@pytest.mark.parametrize(
    ("level", "noise", "none"), [(0.5, 1e-13, True), (0.5, 1e-11, False), (1e6, 1e-7, True), (1e6, 1e-3, False)]
)
def test_what_rounding_moves_is_no_chance(level: float, noise: float, none: bool) -> None:
    x = level + noise * np.array([0, 1.0] * 8)
    result = spread("mean(x)", {"x": x}, np.arange(16), np.zeros(16))
    assert result is not None
    assert (result.variance == 0) == none


def test_two_runs_differ_by_twice_the_variance() -> None:
    x = np.random.default_rng(3).normal(5, 1, 10)
    games = table([0] * 10, [*range(10)], x=x)
    far = (x.mean() - 4) / sqrt(2 * x.var(ddof=1) / 10)
    assert false_alarm(claim("mean(x)", at_least=4), games) == pytest.approx(stats.t.sf(far, 9))
    assert false_alarm(claim("mean(x)", at_most=4), games) == pytest.approx(stats.t.cdf(far, 9))
    up = (6 - x.mean()) / sqrt(2 * x.var(ddof=1) / 10)
    both = stats.t.sf(far, 9) + stats.t.sf(up, 9)
    assert false_alarm(claim("mean(x)", at_least=4, at_most=6), games) == pytest.approx(both)
    wide = sqrt(40 * 2 * x.var(ddof=1) / 10)
    low, high = x.max() - 7, x.max() + 8
    singles = single_tail(7 / wide, 9) + single_tail(8 / wide, 9)
    assert false_alarm(claim("max(x) + 0", at_least=low, at_most=high), games) == pytest.approx(min(1, singles))
    beyond = x.max() + 2 * wide  # one end more than certain to be missed, the other with some chance
    assert false_alarm(claim("max(x) + 0", at_least=beyond, at_most=beyond + wide), games) == 1
    near = {"equals": float(x.mean()), "within": 1e-9}
    assert false_alarm(claim("mean(x)", **near), games) == pytest.approx(1, abs=1e-6)
    without_columns = {"x": x}  # games of one point then, each a trial
    assert false_alarm(claim("mean(x)", at_least=4), without_columns) == pytest.approx(stats.t.sf(far, 9))
