"""How far a measure of many games moves with chance: its variance, by leaving out one trial at a time.

The games of one trial have the same seed at all points, and their coins fall alike where the same protocol meets other
sizes or another adversary: they are far from independent. The trials are, so the unit is a trial, all points of it
together: the variance is the jackknife's, with one degree of freedom less than there are trials. With fewer than eight
trials that is too uncertain: each game is counted twice in turn as well, as if points were independent, the
larger variance of both is taken, and the degrees of freedom are those of all points (Satterthwaite's). A game without
coins is in the table once, belongs to no trial and is never left out: every run has it.

Medians, quantiles and extremes do not change smoothly. Such a value of one point is moved as the mean of its games
moves, times a factor that is the largest possible, or that of an exponential tail: sqrt(3) for the median (of a
unimodal distribution), sqrt(q / (1 - q)) for an outer quantile; an extreme is taken as twice as uncertain as one game.
Games of several points lie in heaps: the value is moved by the points in whose range it lies, or by its neighbours if
it lies between points, and not by games that are on one side of it in every run. That is too little where the games
of one point lie in heaps, or where two medians move together as means do: the variance is at least that of the measure
when trials are drawn anew from those that were played (the bootstrap, always of the same draws).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, Final, NamedTuple

import numpy as np

from disttrack.simulator.experiments.claims.expressions import (
    Columns,
    ExpressionError,
    argument,
    columns_of,
    length,
    measure,
    outermost,
    select,
)
from disttrack.simulator.experiments.claims.statistics import (
    AGGREGATES,
    CONFIDENCE,
    Aggregate,
    Estimate,
    Values,
    clopper_pearson,
)
from disttrack.simulator.experiments.claims.tails import reach
from disttrack.simulator.game.columns import COINLESS, POINT, TRIAL

EXTREMES: Final = ("max", "min")
ORDERED: Final = ("median", "quantile", *EXTREMES)
"""Measures that a single game does not change smoothly."""
MOST: Final = 100
"""Trials that are left out in turn; of more, parts of equal size are."""
DRAWS: Final = 100
"""Runs that are drawn from the trials played."""
FEW: Final = 8
"""With fewer trials their points count by themselves too."""
_POINTS: Final = "points by themselves "
"""The point of each game, a negative number for a game without coins: a column that no expression can name."""


class _Moving(NamedTuple):
    """Points that move an ordered value together: their numbers, the mean of their games, and its factor."""

    points: Values
    mean: float
    factor: float


class _Ordered(NamedTuple):
    """A part of a measure that a single game does not change smoothly: its name, value, and what moves it."""

    name: str
    value: float
    moving: Sequence[_Moving]


@dataclass(frozen=True)
class Jackknife:
    """A measure, its variance, the degrees of freedom of that, and whether an extreme is part of it."""

    value: float
    variance: float
    freedom: float
    extreme: bool


def units(table: Columns) -> tuple[Values, Values, Values]:
    """Return the trial and the point of each game, and whether chance had no part in it.

    Without these columns each game is a trial of its own, of one point, with coins.
    """
    games = length(table)
    trials, points = table.get(TRIAL, np.arange(games)), table.get(POINT, np.zeros(games))
    return np.asarray(trials), np.asarray(points), np.asarray(table.get(COINLESS, np.zeros(games)), dtype=bool)


def jackknife(text: str, table: Columns) -> Jackknife | None:
    """Return how far a measure moves with chance; None if there is only one trial.

    Raises
    ------
    ExpressionError
        It cannot be measured.

    Examples
    --------
    >>> spread = jackknife("mean(words)", {"words": np.arange(9.0)})
    >>> spread.value, round(spread.variance, 9), spread.freedom
    (4.0, 0.833333333, 8.0)
    """
    trials, points, same = units(table)
    apart = np.where(same, -1 - np.arange(len(same)), np.unique(points, return_inverse=True)[1])
    used = {_POINTS: apart, **{name: table[name] for name in columns_of(text) if name in table}}
    value, ordered = _first(text, used)
    extreme = any(one.name in EXTREMES for one in ordered)
    if same.all():
        return Jackknife(value, 0.0, 1.0, extreme)
    names, inverse = np.unique(trials[~same], return_inverse=True)
    parts = min(len(names), MOST)
    if parts < 2:
        return None
    part = np.full(len(same), -1)
    part[~same] = inverse % MOST
    without = np.array([_again(text, select(used, part != one), ordered) for one in range(parts)])
    variance, freedom = float((parts - 1) / parts * ((without - without.mean()) ** 2).sum()), float(parts - 1)
    if parts < FEW:
        of_games, free = _of_points(text, used, ordered)
        variance, freedom = max(variance, of_games), max(freedom, free)
    if ordered:
        variance = max(variance, _of_draws(text, used, [np.flatnonzero(part == one) for one in range(-1, parts)]))
    if variance <= (1e-12 * max(1.0, abs(value))) ** 2:  # rounding: chance has no part in it
        variance = 0.0
    return Jackknife(value, variance, freedom, extreme)


def _of_points(text: str, table: Columns, ordered: Sequence[_Ordered]) -> tuple[float, float]:
    """Return the variance of a measure if all games were independent, and its degrees of freedom."""
    points = table[_POINTS]
    value, everything = _again(text, table, ordered), np.arange(len(points))
    variances, free = [], []
    for point in np.unique(points):
        rows = np.flatnonzero(points == point)
        if len(rows) > 1:
            added = np.array([_again(text, select(table, np.append(everything, row)), ordered) - value for row in rows])
            added *= 1 + 1 / len(rows)  # what a game adds to a mean is less, the more games there are already
            variances.append(len(rows) * float(added.var(ddof=1)))
            free.append(len(rows) - 1)
    total = sum(variances)
    if total == 0:
        return 0.0, 1.0
    return total, total**2 / sum(variance**2 / count for variance, count in zip(variances, free, strict=True))


def _of_draws(text: str, table: Columns, trials: Sequence[Values]) -> float:
    """Return the variance of a measure of trials drawn anew; the rows of games without coins come first."""
    same, *tossed = trials
    number, rng, values = len(tossed), np.random.default_rng(0), []
    for _ in range(DRAWS):
        drawn = [same, *(tossed[one] for one in rng.integers(0, number, number))]
        with suppress(ExpressionError):  # none of the games of one of its conditions is drawn
            values.append(measure(text, select(table, np.concatenate(drawn))).value)
    if not np.isfinite(values).all():
        return inf
    return float(np.var(values)) * number / (number - 1) if values else 0.0


def _first(text: str, table: Columns) -> tuple[float, list[_Ordered]]:
    """Return a measure, and its parts that a single game does not change smoothly, in the order of the text."""
    ordered: list[_Ordered] = []

    def compute(name: str, length: int, column: Values, *others: Any) -> Estimate:
        *share, points = others
        value = AGGREGATES[name].compute(length, column, *share).value
        ordered.append(_Ordered(name, value, _moving(name, value, column.astype(float), points)))
        return Estimate(value)

    return measure(text, table, _with(compute)).value, ordered


def _again(text: str, table: Columns, ordered: Sequence[_Ordered]) -> float:
    """Return a measure of other games, with its ordered parts moved as the means of their points move."""
    parts = iter(ordered)

    def compute(_name: str, _length: int, column: Values, *others: Any) -> Estimate:
        _, value, moving = next(parts)
        for points, before, factor in moving:
            mine = column[np.isin(others[-1], points)]
            value += factor * ((float(np.mean(mine)) if len(mine) else 0.0) - before)
        return Estimate(value)

    return measure(text, table, _with(compute)).value


def _moving(name: str, value: float, column: Values, points: Values) -> list[_Moving]:
    """Return the points that move an ordered value, and how.

    The value is the quantile p of the games of a point, which are a share w of all. If they have one standard
    deviation s, and r = sqrt(p (1 - p)), the change of the share of them below the value is taken as that of their mean
    times r / s, and their density there as r / (s `_factor`). The value moves by the sum over points of w times the
    former, over the sum of w times the latter; if one point alone is there, by its mean times the factor.
    """
    least, most = column[column <= value].max(), column[column >= value].min()
    numbers, counts = np.unique(points[points >= 0], return_counts=True)
    alone = numbers[counts == 1]  # games without others of their point are taken for games of one point
    there, weights, densities = [], [], []
    for group in [*(numbers[[place]] for place in np.flatnonzero(counts > 1)), *([alone] if len(alone) else [])]:
        mine = np.sort(column[np.isin(points, group)])
        if mine[0] > most or mine[-1] < least:
            continue
        games, share = len(mine), _share_below(value, mine)
        inner = min(max(share, 1 / (2 * games)), 1 - 1 / (2 * games))
        there.append((group, float(mine.mean())))
        weights.append(games * float(np.sqrt(inner * (1 - inner))))
        densities.append(weights[-1] / _factor(name, games, share))
    pairs = zip(there, weights, strict=True)
    return [_Moving(group, middle, weight / sum(densities)) for (group, middle), weight in pairs]


def _share_below(value: float, ordered: Values) -> float:
    """Return which quantile of ordered values a value is: 0 or 1 beyond them, the middle of those equal to it."""
    shares = np.linspace(0, 1, len(ordered))
    below = float(np.interp(value, ordered, shares))
    return (below + 1 - float(np.interp(-value, -ordered[::-1], shares))) / 2


def _with(compute: Callable[..., Estimate]) -> Mapping[str, Aggregate]:
    """Return the aggregates, those of ordered values computed by a function of their name and points too."""
    own = {name: replace(AGGREGATES[name], compute=partial(compute, name), reads=(_POINTS,)) for name in ORDERED}
    return {**AGGREGATES, **own}


def _factor(name: str, games: int, share: float) -> float:
    """Return the standard error of an ordered value of one point over that of the mean of its games, at most."""
    single = 2 * float(np.sqrt(games))
    outer = max(share, 1 - share)
    if name in EXTREMES or outer == 1:
        return single
    return min(single, max(float(np.sqrt(3)), float(np.sqrt(outer / (1 - outer)))))


@dataclass(frozen=True)
class Observed:
    """The games that one measure is about.

    Attributes
    ----------
    measure
        The function that the measure is: ``fraction``, ``max`` or ``min``; empty for any other measure.
    games
        Their table; only the games that meet the condition of the measure.
    values
        The argument of that function in each of them.
    trials, points
        The trial and the point of each.
    same
        Whether chance had no part in it: it is the same in every run.
    moved
        How far any other measure moves with chance; None if there is only one trial.
    """

    measure: str
    games: Columns
    values: Values
    trials: Values
    points: Values
    same: Values
    moved: Jackknife | None = None

    @property
    def tossed(self) -> tuple[int, int]:
        """Return the number of games in which chance has a part, and the number of their trials."""
        return int((~self.same).sum()), len(np.unique(self.trials[~self.same]))

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """Return the 95 % interval of the value if games without coins are there in every run; None, None without."""
        games, _ = self.tossed
        if self.measure == "fraction" and games:
            ends = clopper_pearson(int(self.values[~self.same].sum()), games)
            low, high = ((float(self.values[self.same].sum()) + end * games) / len(self.values) for end in ends)
            return low, high
        if self.moved is None or not np.isfinite([self.moved.value, self.moved.variance]).all():
            return None, None
        half = reach((1 - CONFIDENCE) / 2, self.moved.freedom, single=False) * float(np.sqrt(self.moved.variance))
        return self.moved.value - half, self.moved.value + half

    @property
    def shares(self) -> Values:
        """Return the fraction for each number of those games in which the condition could hold."""
        return np.asarray((int(self.values[self.same].sum()) + np.arange(self.tossed[0] + 1)) / len(self.values))


def observe(measure: str, table: Columns) -> Observed:
    """Return the games of a measure, and what chance does to it.

    Raises
    ------
    ExpressionError
        The measure cannot be evaluated.
    """
    name = outermost(measure)
    if name not in ("fraction", *EXTREMES):
        return Observed("", table, np.empty(0), *units(table), jackknife(measure, table))
    games, values = argument(measure, table)
    return Observed(name, games, values.astype(bool if name == "fraction" else float), *units(games))
