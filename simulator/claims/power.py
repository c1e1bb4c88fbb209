"""The power of a claim: the smallest violation that a run of the same size finds with probability 95 %.

It is stated as a value of the measure: were that the truth, the claim would fail in 95 % of runs. A false-alarm rate
says how seldom a true claim fails; the power says how near to the bound a fault may come unseen.

A fraction: the share of games at which the bound is missed, however the games of one trial depend on each other. An
extreme: the games of whole trials are drawn anew, all multiplied by a factor (or moved, where signs differ). Anything
else: the bound and 1.645 standard errors (Student's t; see `spread`). Games without coins are as they are: a claim on
them alone finds whatever is beyond its bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, Final

import numpy as np

from simulator.claims.claim import Claim, of_failure
from simulator.claims.expressions import Columns, arguments, columns_of, outermost
from simulator.claims.groups import coinless, units
from simulator.claims.spread import EXTREMES, Spread, spread
from simulator.claims.tails import clustered_below, reach

if TYPE_CHECKING:
    from simulator.claims.tails import Column

MISSED: Final = 0.05
"""Share of runs in which a violation as large as the power is not found."""
FAILURES: Final = 3.0
"""Goal for a promise of failure: the factor by which failures are more frequent than promised."""
USUAL: Final = 0.05
"""Probability of failure that a fraction is compared with where none is promised, or 0."""
OF_SLOPE: Final = 0.1
"""Goal for an exponent: the deviation that is found."""
OF_COST: Final = 0.1
OF_ERROR: Final = 0.15
"""Goals for what counts messages and for everything else: the relative deviation that is found."""
COSTS: Final = ("words", "messages", "bits", "broadcasts")
"""What columns of costs begin with."""
_HALVINGS: Final = 30


@dataclass(frozen=True)
class Power:
    """What a claim finds with probability 95 %.

    Attributes
    ----------
    value
        The value of the measure.
    of_goal
        The violation that this is over the one that a claim of its kind is to find; at most 1 if the goal is reached.
    """

    value: float
    of_goal: float


def power(claim: Claim, table: Columns, value: float) -> Power | None:
    """Return the power of a claim on a group of games.

    Parameters
    ----------
    value
        The measured value, which counts as promised where nothing else is.

    Returns
    -------
    power
        None if the games do not tell: one trial, an infinite value, or a bound that all values meet. Of two bounds the
        power is that of the side on which it is further from the goal.

    Raises
    ------
    ExpressionError
        The measure cannot be evaluated.
    """
    trials, points = units(table)
    name, ends = outermost(claim.measure), dict(zip((-1, 1), claim.accepts, strict=True))
    if name == "fraction":
        chosen, (holds, *_) = arguments(claim.measure, table)
        beyond = _of_fraction(holds.astype(bool), trials[chosen], coinless(table)[chosen])
    elif name in EXTREMES:
        chosen, (values, *_) = arguments(claim.measure, table)
        beyond = _of_extreme(claim, np.asarray(values, dtype=float), trials[chosen], coinless(table)[chosen])
    else:
        beyond = _of_sums(spread(claim.measure, table, trials, points))
    found = [(beyond(bound, side), side) for side, bound in ends.items() if isfinite(bound)]
    known = [Power(there, _of_goal(claim, there, side, value)) for there, side in found if there is not None]
    return max(known, key=lambda one: one.of_goal) if known and isfinite(value) else None


Beyond = Callable[[float, int], float | None]
"""From a bound and the side (-1 below, 1 above) to the value that is found there."""


def _of_fraction(holds: Column, trials: Column, same: Column) -> Beyond:
    """Return what a share of games finds: the share of those that are tossed anew."""
    games, known, of = int((~same).sum()), holds[same], len(np.unique(trials[~same]))
    shares = (int(known.sum()) + np.arange(games + 1)) / max(1, len(holds))

    def beyond(bound: float, side: int) -> float | None:
        if not games:
            return bound
        failing = int((shares < bound).sum() if side < 0 else (shares > bound).sum())
        if not failing:
            return None
        most = games - failing  # largest number of games against the claim with which it holds
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if clustered_below(games, of, middle, most) <= MISSED else (middle, high)
        return high if side > 0 else 1 - high

    return beyond


def _of_extreme(claim: Claim, values: Column, trials: Column, same: Column) -> Beyond:
    """Return what an extreme finds: trials are drawn anew, their games multiplied, or moved where signs differ.

    One trial does not tell how far chance moves it, unless theory says that chance has no part.
    """
    sign = 1 if outermost(claim.measure) == "max" else -1
    largest, fixed = (sign * values).max(initial=-inf), (sign * values)[same].max(initial=-inf)
    tops = np.sort([(sign * values)[~same & (trials == one)].max() for one in np.unique(trials[~same])])

    def beyond(bound: float, side: int) -> float | None:
        if (len(tops) == 1 and claim.chance != 0) or not np.isfinite(values).all():
            return None
        # of N fresh trials all are at most the n-th of those seen with chance (n / N)^N
        place = int(len(tops) * MISSED ** (1 / max(1, len(tops)))) if side == sign else len(tops)
        fresh = sign * max(fixed, tops[max(1, place) - 1] if len(tops) else -inf)
        if fresh * bound > 0 and fresh * largest * sign > 0:
            return float(bound * (sign * largest / fresh))
        return float(bound + sign * largest - fresh)

    return beyond


def _of_sums(moved: Spread | None) -> Beyond:
    """Return what a measure of many games finds."""

    def beyond(bound: float, side: int) -> float | None:
        if moved is None or not isfinite(moved.variance):
            return None
        return bound + side * reach(MISSED, moved.freedom, single=moved.extreme) * float(np.sqrt(moved.variance))

    return beyond


def _of_goal(claim: Claim, there: float, side: int, value: float) -> float:
    """Return how large a violation is over the one that the claim is to find."""
    if of_failure(claim):
        against = there if side > 0 else 1 - there
        return against / (FAILURES * (claim.promise or claim.chance or USUAL))
    promised = claim.promise if claim.promise is not None else claim.equals if claim.equals is not None else value
    off = abs(there - promised)
    if outermost(claim.measure) == "slope":
        return off / OF_SLOPE
    share = OF_COST if any(column.startswith(COSTS) for column in columns_of(claim.measure)) else OF_ERROR
    return off / (share * abs(promised)) if promised else inf if off else 0.0
