"""The games of a claim, as its false-alarm rate and its power are computed from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disttrack.simulator.claims.expressions import Columns, argument, select
from disttrack.simulator.claims.grammar import outermost
from disttrack.simulator.claims.jackknife import EXTREMES, Jackknife, jackknife, units
from disttrack.simulator.claims.statistics import Values


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
    chosen, values = argument(measure, table)
    games = select(table, chosen)
    return Observed(name, games, values.astype(bool if name == "fraction" else float), *units(games))
