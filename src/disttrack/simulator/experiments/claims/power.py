"""The power of a claim: the smallest violation that a run of the same size finds with probability 95 %.

It is stated as a value of the measure: were that the truth, the claim would fail in 95 % of runs. A false-alarm rate
is how often a true claim fails; the power is how near to the bound a fault may remain undetected.

A fraction: the share of games at which the bound is missed, however the games of one trial depend on each other. An
extreme: the games of whole trials are drawn anew, all multiplied by a factor (or moved, where signs differ). Anything
else: the bound and 1.645 standard errors (Student's t; see `jackknife`). Games without coins are the same in every run:
a claim on them alone finds whatever is beyond its bound.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Final, NamedTuple

import numpy as np

from disttrack.simulator.experiments.claims.claim import Claim, of_failure
from disttrack.simulator.experiments.claims.expressions import columns_of, outermost
from disttrack.simulator.experiments.claims.jackknife import Observed
from disttrack.simulator.experiments.claims.tails import clustered_below, reach
from disttrack.simulator.game.columns import SENT

MISSED: Final = 0.05
"""Share of runs in which a violation as large as the power is missed."""
FAILURES: Final = 3.0
"""Goal for a promise of failure: the factor by which failures are more frequent than promised."""
USUAL: Final = 0.05
"""Probability of failure that a fraction is compared with where none is promised, or 0."""
OF_SLOPE: Final = 0.1
"""Goal for an exponent: the deviation that a run detects."""
OF_COST: Final = 0.1
OF_ERROR: Final = 0.15
"""Goals for costs and for everything else: the relative deviation that a run detects."""
_HALVINGS: Final = 30


class Power(NamedTuple):
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


def power(claim: Claim, observed: Observed, value: float) -> Power | None:
    """Return the power of a claim on a group of games.

    Parameters
    ----------
    value
        The measured value, which counts as promised where nothing else is.

    Returns
    -------
    power
        None if it cannot be estimated: one trial, an infinite value, or a bound that all values meet. Of two bounds the
        power is that of the side on which it is further from the goal.
    """
    sides = []
    for side, bound in zip((-1, 1), claim.accepts, strict=True):
        if isfinite(bound) and (there := _beyond(claim, observed, bound, side)) is not None:
            sides.append(Power(there, _of_goal(claim, there, side, value)))
    return max(sides, key=lambda one: one.of_goal) if sides and isfinite(value) else None


def _beyond(claim: Claim, observed: Observed, bound: float, side: int) -> float | None:
    """Return the smallest detected value beyond a bound, below (-1) or above it (1)."""
    if observed.measure == "fraction":
        return _of_fraction(observed, bound, side)
    if observed.measure:
        return _of_extreme(claim, observed, bound, side)
    moved = observed.moved
    if moved is None or not isfinite(moved.variance):
        return None
    return bound + side * reach(MISSED, moved.freedom, single=moved.extreme) * float(np.sqrt(moved.variance))


def _of_fraction(observed: Observed, bound: float, side: int) -> float | None:
    """Return the share of the games that are tossed anew at which the bound is missed."""
    (games, trials), shares = observed.tossed, observed.shares
    if not games:
        return bound
    failing = int((shares < bound).sum() if side < 0 else (shares > bound).sum())
    if not failing:
        return None
    most = games - failing  # largest number of games against the claim with which it holds
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if clustered_below(games, trials, middle, most) <= MISSED else (middle, high)
    return high if side > 0 else 1 - high


def _of_extreme(claim: Claim, observed: Observed, bound: float, side: int) -> float | None:
    """Return the detected extreme if trials are drawn anew, their games multiplied, or moved where signs differ.

    One trial does not show how far chance moves it, unless theory says that chance has no part.
    """
    sign = 1 if observed.measure == "max" else -1
    values, trials, same = sign * observed.values, observed.trials, observed.same
    tops = np.sort([values[~same & (trials == one)].max() for one in np.unique(trials[~same])])
    if (len(tops) == 1 and claim.chance != 0) or not np.isfinite(values).all():
        return None
    # of N fresh trials all are at most the n-th of those seen with chance (n / N)^N
    place = int(len(tops) * MISSED ** (1 / max(1, len(tops)))) if side == sign else len(tops)
    fresh = sign * max(values[same].max(initial=-inf), tops[max(1, place) - 1] if len(tops) else -inf)
    largest = sign * values.max()
    if fresh * bound > 0 and fresh * largest > 0:
        return float(bound * (largest / fresh))
    return float(bound + largest - fresh)


def _of_goal(claim: Claim, there: float, side: int, value: float) -> float:
    """Return how large a violation is over the one that the claim is to find."""
    if of_failure(claim):
        against = there if side > 0 else 1 - there
        return against / (FAILURES * (claim.promise or claim.chance or USUAL))
    promised = claim.promise if claim.promise is not None else claim.equals if claim.equals is not None else value
    off = abs(there - promised)
    if outermost(claim.measure) == "slope":
        return off / OF_SLOPE
    share = OF_COST if any(column.startswith(SENT) for column in columns_of(claim.measure)) else OF_ERROR
    return off / (share * abs(promised)) if promised else inf if off else 0.0
