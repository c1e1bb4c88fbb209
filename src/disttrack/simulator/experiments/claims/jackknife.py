"""How far a measure of many games moves with chance: its variance, by leaving out one trial at a time.

The games of one trial have the same seed at all points, and their coins fall alike where the same protocol meets other
sizes or another adversary: they are far from independent. The trials are, so the unit is a trial, all points of it
together: the variance is the jackknife's, with one degree of freedom less than there are trials. With fewer than eight
trials that is too uncertain: each game is counted twice in turn as well, as if points were independent, the
larger variance of both is taken, and the degrees of freedom are those of all points (Satterthwaite's). A game without
coins is in the table once, belongs to no trial and is never left out: every run has it.

Medians, quantiles and extremes do not change smoothly. They are moved as the mean of their values moves, times a factor
that is the largest possible, or that of an exponential tail: sqrt(3) for the median (of a unimodal distribution),
sqrt(q / (1 - q)) for an outer quantile; an extreme is taken as twice as uncertain as one game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from disttrack.simulator.experiments.claims.expressions import (
    Columns,
    argument,
    columns_of,
    length,
    measure,
    outermost,
    select,
)
from disttrack.simulator.experiments.claims.statistics import AGGREGATES, Aggregate, Estimate, Values
from disttrack.simulator.game.columns import COINLESS

EXTREMES: Final = ("max", "min")
ORDERED: Final = ("median", "quantile", *EXTREMES)
"""Measures that a single game does not change smoothly."""
MOST: Final = 100
"""Trials that are left out in turn; of more, parts of equal size are."""
FEW: Final = 8
"""With fewer trials their points count by themselves too."""
_Ordered = tuple[str, float, float, float]
"""A part of a measure that a single game does not change smoothly: its name, value, mean and factor."""


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
    trials, points = table.get("trial", np.arange(games)), table.get("point", np.zeros(games))
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
    used = {name: table[name] for name in columns_of(text) if name in table}
    value, ordered = _first(text, used)
    extreme = any(name in EXTREMES for name, *_ in ordered)
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
        apart, free = _of_points(text, used, ordered, np.where(same, -1 - np.arange(len(same)), points))
        variance, freedom = max(variance, apart), max(freedom, free)
    if variance <= (1e-12 * max(1.0, abs(value))) ** 2:  # rounding: chance has no part in it
        variance = 0.0
    return Jackknife(value, variance, freedom, extreme)


def _of_points(text: str, table: Columns, ordered: Sequence[_Ordered], points: Values) -> tuple[float, float]:
    """Return the variance of a measure if all games were independent, and its degrees of freedom."""
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


def _first(text: str, table: Columns) -> tuple[float, list[_Ordered]]:
    """Return a measure, and its parts that a single game does not change smoothly, in the order of the text."""
    ordered: list[_Ordered] = []

    def compute(name: str, length: int, column: Values, *others: float) -> Estimate:
        value = AGGREGATES[name].compute(length, column, *others).value
        ordered.append((name, value, float(np.mean(column)), _factor(name, length, *others)))
        return Estimate(value)

    return measure(text, table, _with(compute)).value, ordered


def _again(text: str, table: Columns, ordered: Sequence[_Ordered]) -> float:
    """Return a measure of other games, with its ordered parts moved as the means of their values move."""
    parts = iter(ordered)

    def compute(_name: str, length: int, column: Values, *_others: object) -> Estimate:
        _, value, before, factor = next(parts)
        return Estimate(value + factor * ((float(np.mean(column)) if length else 0.0) - before))

    return measure(text, table, _with(compute)).value


def _with(compute: Callable[..., Estimate]) -> Mapping[str, Aggregate]:
    """Return the aggregates, those of ordered values computed by a function of their name too."""
    return {**AGGREGATES, **{name: replace(AGGREGATES[name], compute=partial(compute, name)) for name in ORDERED}}


def _factor(name: str, length: int, share: float = 0.5) -> float:
    """Return the standard error of an ordered value over that of the mean, at most."""
    single = 2 * float(np.sqrt(length))
    outer = max(float(share), 1 - float(share))
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
