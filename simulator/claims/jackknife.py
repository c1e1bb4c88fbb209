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

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np

from simulator.claims.expressions import Columns, length, measure, select
from simulator.claims.grammar import columns_of
from simulator.claims.groups import COINLESS
from simulator.claims.statistics import AGGREGATES, Aggregate, Estimate, Values

EXTREMES: Final = ("max", "min")
ORDERED: Final = ("median", "quantile", *EXTREMES)
"""Measures that a single game does not change smoothly."""
MOST: Final = 100
"""Trials that are left out in turn; of more, parts of equal size are."""
FEW: Final = 8
"""With fewer trials their points count by themselves too."""


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
    >>> found = jackknife("mean(words)", {"words": np.arange(9.0)})
    >>> found.value, round(found.variance, 9), found.freedom
    (4.0, 0.833333333, 8.0)
    """
    trials, points, same = units(table)
    used = {name: table[name] for name in columns_of(text) if name in table}
    moved = _Moved()
    value = measure(text, used, moved.aggregates).value
    if same.all():
        return Jackknife(value, 0.0, 1.0, moved.extreme)
    names, inverse = np.unique(trials[~same], return_inverse=True)
    parts = min(len(names), MOST)
    if parts < 2:
        return None
    part = np.full(len(same), -1)
    part[~same] = inverse % MOST
    without = np.array([moved.again(text, used, np.flatnonzero(part != one)) for one in range(parts)])
    variance, freedom = float((parts - 1) / parts * ((without - without.mean()) ** 2).sum()), float(parts - 1)
    if parts < FEW:
        apart, free = _of_points(text, used, moved, np.where(same, -1 - np.arange(len(same)), points))
        variance, freedom = max(variance, apart), max(freedom, free)
    if variance <= (1e-12 * max(1.0, abs(value))) ** 2:  # rounding: chance has no part in it
        variance = 0.0
    return Jackknife(value, variance, freedom, moved.extreme)


def _of_points(text: str, table: Columns, moved: _Moved, points: Values) -> tuple[float, float]:
    """Return the variance of a measure if all games were independent, and its degrees of freedom."""
    value, everything = moved.again(text, table, np.arange(len(points))), np.arange(len(points))
    variances, free = [], []
    for point in np.unique(points):
        rows = np.flatnonzero(points == point)
        if len(rows) > 1:
            added = np.array([moved.again(text, table, np.append(everything, row)) - value for row in rows])
            added *= 1 + 1 / len(rows)  # what a game adds to a mean is less, the more games there are already
            variances.append(len(rows) * float(added.var(ddof=1)))
            free.append(len(rows) - 1)
    total = sum(variances)
    if total == 0:
        return 0.0, 1.0
    return total, total**2 / sum(variance**2 / count for variance, count in zip(variances, free, strict=True))


@dataclass
class _Moved:
    """The measures, with those of ordered values moved as their means do."""

    extreme: bool = False
    _first: list[tuple[float, float, float]] = field(default_factory=list)
    _turn: int | None = None

    @property
    def aggregates(self) -> Mapping[str, Aggregate]:
        """Return what columns are summed up by."""
        ordered = {name: Aggregate(AGGREGATES[name].arguments, partial(self._sum, name)) for name in ORDERED}
        return {**AGGREGATES, **ordered}

    def again(self, text: str, table: Columns, kept: Values) -> float:
        """Return the measure of some of the games."""
        self._turn = 0
        return measure(text, select(table, kept), self.aggregates).value

    def _sum(self, name: str, length: int, column: Values, *others: Any) -> Estimate:
        mean = float(np.mean(column)) if length else 0.0
        if self._turn is None:
            value = AGGREGATES[name].compute(length, column, *others).value
            self._first.append((value, mean, _factor(name, length, *others)))
            self.extreme = self.extreme or name in EXTREMES
            return Estimate(value)
        value, before, factor = self._first[self._turn]
        self._turn += 1
        return Estimate(value + factor * (mean - before))


def _factor(name: str, length: int, share: Any = 0.5) -> float:
    """Return the standard error of an ordered value over that of the mean, at most."""
    single = 2 * float(np.sqrt(length))
    outer = max(float(share), 1 - float(share))
    if name in EXTREMES or outer == 1:
        return single
    return min(single, max(float(np.sqrt(3)), float(np.sqrt(outer / (1 - outer)))))
