"""The false-alarm rate of a claim: the chance that a fresh run of the same size misses its bound, though it is true.

A fraction: binomial, with the chance of one game that theory promises (`chance`), or that follows from how far the
games are from missing (`margin`), whichever is smaller; without either the beta-binomial prediction from the games that
were counted. An extreme: the sum over its games of the chance that a fresh one lies beyond the bound. Anything else:
the difference of two runs has twice the variance of one (see `jackknife`), and its distribution is taken as Student's
t. Where a claim of equality states what theory promises (`promise`), the distance is that from the promise, unless the
games refute it.

These are approximations but for a chance that theory gives: the variance is estimated from the games themselves, and
their tails are not seen but taken as Student's or exponential. Games of one trial share their seed, and are never taken
as independent. A game without coins is the same in every run: it is taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from disttrack.simulator.experiments.claims.claim import Claim
from disttrack.simulator.experiments.claims.expressions import ExpressionError, rows, select
from disttrack.simulator.experiments.claims.jackknife import Observed
from disttrack.simulator.experiments.claims.statistics import Values
from disttrack.simulator.experiments.claims.tails import beta_binomial, clustered, game_outside, tail

ALLOWED: Final = 1e-4
"""Largest false-alarm rate that a claim may have."""
_REFUTED: Final = 1e-6
"""A chance given by theory is not believed if what was seen is less probable than this."""


def false_alarm(claim: Claim, observed: Observed, missed: bool = False) -> float | None:
    """Return the chance that a claim fails on a fresh run of the games that were observed.

    Parameters
    ----------
    missed
        Whether these games miss the bound. They are then no sample of games in which the claim is true: the rate is
        that of theory, if the claim states a chance or a promise that they do not refute.

    Returns
    -------
    rate
        None if it cannot be estimated: one game a point, a value that is infinite, or a missed bound without theory.

    Raises
    ------
    ExpressionError
        The margin cannot be evaluated.
    """
    rate = _false_alarm(claim, observed, by_theory=missed)
    return None if missed and rate == 1 else rate


def surely_missed(claim: Claim, observed: Observed, value: float) -> bool:
    """Return whether a claim whose bound these games miss fails with more of them too.

    No further game mends an extreme that lies beyond its bound, or a share that was to be all games or none. Any other
    claim fails surely if its opposite, that the bound is missed, has an allowed false-alarm rate.
    """
    low, high = claim.accepts
    above = value > high
    all_or_none = observed.measure == "fraction" and (high <= 0 if above else low >= 1)
    if all_or_none or observed.measure == ("max" if above else "min"):
        return True
    bounds = {"at_least": np.nextafter(high, np.inf)} if above else {"at_most": np.nextafter(low, -np.inf)}
    without = dict.fromkeys(("at_least", "at_most", "equals", "within", "chance", "promise", "margin"))
    rate = false_alarm(claim.model_copy(update={**without, **bounds}), observed)
    return rate is not None and rate <= ALLOWED


def _false_alarm(claim: Claim, observed: Observed, by_theory: bool) -> float | None:
    """Return the rate; None also where it rests on the spread of the games and only theory is asked for."""
    if observed.measure == "fraction":
        return _of_fraction(claim, observed, by_theory)
    if observed.measure:
        return _of_extreme(claim, observed, by_theory)
    moved = observed.moved
    if moved is None or not np.isfinite([moved.value, moved.variance]).all():
        return None
    low, high = claim.accepts
    if moved.variance == 0:
        return float(not low <= moved.value <= high)
    centre, error = moved.value, np.sqrt(2 * moved.variance)
    if claim.equals is not None and claim.promise is not None:
        away = abs(moved.value - claim.promise) / np.sqrt(moved.variance)
        if 2 * float(tail(away, moved.freedom, single=moved.extreme)) >= _REFUTED:
            centre, error, by_theory = claim.promise, np.sqrt(moved.variance), False
    if by_theory:
        return None
    both = [tail(far / error, moved.freedom, single=moved.extreme) for far in (centre - low, high - centre)]
    return float(min(1.0, sum(map(float, both))))


def _of_fraction(claim: Claim, observed: Observed, by_theory: bool) -> float | None:
    """Return the rate of a share of games: some are the same in every run, the others are tossed anew."""
    (games, trials), shares = observed.tossed, observed.shares
    hits = int(observed.values[~observed.same].sum())
    low, high = claim.accepts
    if not games:
        return float(not low <= shares[0] <= high)
    most_missing = int((shares < low).sum())  # this number of hits is too small
    most_hits = int((shares <= high).sum())  # and this one too large
    rates = [
        clustered(games, trials, 1 - chance, games + 1 - most_missing) * (most_missing > 0)
        + clustered(games, trials, chance, most_hits)
        for chance in _chances_of_game(claim, observed, hits, by_theory)
    ]
    if not rates and by_theory:
        return None
    if not rates:  # a trial counts once, for its games go together
        known = int(observed.values[observed.same].sum())
        shares = (known + np.arange(trials + 1) * games / trials) / len(observed.values)
        rates = [float(beta_binomial(trials, hits * trials / games)[(shares < low) | (shares > high)].sum())]
    return min(1.0, *rates)


def _chances_of_game(claim: Claim, observed: Observed, hits: int, by_theory: bool) -> list[float]:
    """Return the chances that the condition holds in one game: by theory, and, if it may decide, by the margin."""
    (games, trials), tossed, chances = observed.tossed, ~observed.same, []
    if claim.chance is not None:
        promised = 1 - claim.chance if claim.at_least is not None else claim.chance
        if _believable(games, trials, hits, promised):
            chances.append(promised)
    if claim.margin is not None and not by_theory:
        margin = np.asarray(rows(claim.margin, select(observed.games, tossed)), dtype=float)
        if ((margin <= 1 + 1e-9) != observed.values[tossed]).any():
            raise ExpressionError(f"margin {claim.margin!r} is not at most 1 exactly where the condition holds")
        outside = game_outside(margin, observed.points[tossed], -np.inf, 1.0)
        if outside is not None:
            chances.append(float(1 - outside.mean()))
    return chances


def _believable(games: int, trials: int, hits: int, chance: float) -> bool:
    """Return whether this number of hits, or one further off, is possible with this chance of one."""
    below, above = clustered(games, trials, 1 - chance, games - hits), clustered(games, trials, chance, hits)
    return min(below, above) >= _REFUTED


def _of_extreme(claim: Claim, observed: Observed, by_theory: bool) -> float | None:
    low, high = claim.accepts
    values, same, largest = observed.values, observed.same, observed.measure == "max"
    beyond: Values = (values > high) if largest else (values < low)
    tossed, _ = observed.tossed
    if claim.chance is not None and _believable(tossed, tossed, int(beyond[~same].sum()), claim.chance):
        return float(min(1.0, tossed * claim.chance + beyond[same].sum()))
    if by_theory:
        return None
    # the extreme is beyond one end if one game is; short of the other only if all are
    points = np.where(same, -1 - np.arange(len(same)), observed.points)
    near = game_outside(values, points, -np.inf if largest else low, high if largest else np.inf, same)
    far = game_outside(values, points, low if largest else -np.inf, np.inf if largest else high, same)
    if near is None or far is None:
        return None
    return float(min(1.0, near.sum() + np.prod(far)))


def rate_of_several(rates: Iterable[float | None]) -> float | None:
    """Return the rate of a claim that is made once for each of some groups: the sum of theirs, None if one is unknown.

    Examples
    --------
    >>> rate_of_several([0.25, 0.5]), rate_of_several([0.25, None])
    (0.75, None)
    """
    known = list(rates)
    return min(1.0, sum(rate or 0.0 for rate in known)) if None not in known else None
