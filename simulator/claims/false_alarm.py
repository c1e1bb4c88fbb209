"""The false-alarm rate of a claim: the chance that a fresh run of the same size misses its bound, though it is true.

A fraction: binomial, with the chance of one game that theory promises (`chance`), or that follows from how far the
games are from missing (`margin`), whichever is smaller; without either the beta-binomial prediction from the games that
were counted. An extreme: the sum over its games of the chance that a fresh one lies beyond the bound. Anything else:
the difference of two runs has twice the variance of one (see `spread`), and its distribution is taken as Student's t.
Where a claim of equality states what theory promises (`promise`), the distance is that from the promise, unless the
games refute it.

These are approximations but for a chance that theory gives: the spread is estimated from the games themselves, and
their tails are not seen but taken as Student's or exponential. Games of one trial share their seed, and are never taken
as independent. A game without coins is the same in every run: it is taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from simulator.claims.expressions import Columns, arguments, outermost, rows
from simulator.claims.grammar import ExpressionError
from simulator.claims.groups import coinless, units
from simulator.claims.spread import EXTREMES, spread
from simulator.claims.tails import Column, beta_binomial, clustered, game_outside, tail

if TYPE_CHECKING:
    from simulator.claims.claim import Claim

ALLOWED: Final = 1e-4
"""A claim may fail by chance in so many of all fresh runs."""
_REFUTED: Final = 1e-6
"""A chance given by theory is not believed if what was seen is less probable than this."""


def false_alarm(claim: Claim, table: Columns) -> float | None:
    """Return the chance that a claim fails on a fresh run of the games in this table.

    Parameters
    ----------
    table
        The games of one group of the claim; without a column `point` all are taken for games of one point.

    Returns
    -------
    rate
        None if the games do not tell: one game a point, or a value that is infinite.

    Raises
    ------
    ExpressionError
        The measure, or the margin, cannot be evaluated.
    """
    trials, points = units(table)
    name, same = outermost(claim.measure), coinless(table)
    if name in ("fraction", *EXTREMES):
        chosen, (values, *_) = arguments(claim.measure, table)
        if name == "fraction":
            tossed = ~same[chosen]
            mine = {key: column[chosen][tossed] for key, column in table.items()}
            holds = values.astype(bool)
            places = points[chosen][tossed], len(np.unique(trials[chosen][tossed]))
            return _of_fraction(claim, mine, holds[tossed], *places, known=holds[~tossed])
        places_of = np.where(same[chosen], -1 - np.arange(len(same))[chosen], points[chosen])
        return _of_extreme(claim, np.asarray(values, dtype=float), places_of, same[chosen], largest=name == "max")
    found = spread(claim.measure, table, trials, points)
    if found is None or not np.isfinite([found.value, found.variance]).all():
        return None
    low, high = claim.accepts
    if found.variance == 0:
        return float(not low <= found.value <= high)
    centre, error = found.value, np.sqrt(2 * found.variance)
    if claim.equals is not None and claim.promise is not None:
        away = abs(found.value - claim.promise) / np.sqrt(found.variance)
        if 2 * float(tail(away, found.freedom, single=found.extreme)) >= _REFUTED:
            centre, error = claim.promise, np.sqrt(found.variance)
    both = [tail(far / error, found.freedom, single=found.extreme) for far in (centre - low, high - centre)]
    return float(min(1.0, sum(map(float, both))))


def _of_fraction(claim: Claim, table: Columns, holds: Column, points: Column, trials: int, known: Column) -> float:
    """Return the rate of a share of games: some are as they are in every run (`known`), the others are tossed anew."""
    games, hits, all_games = len(holds), int(holds.sum()), len(holds) + len(known)
    low, high = claim.accepts
    shares = (int(known.sum()) + np.arange(games + 1)) / all_games
    if not games:
        return float(not low <= shares[0] <= high)
    most_missing = int((shares < low).sum())  # so many hits are too few
    most_hits = int((shares <= high).sum())  # and so many too many
    chances = []  # of one game, that the condition holds
    if claim.chance is not None:
        promised = 1 - claim.chance if claim.at_least is not None else claim.chance
        if _believable(games, trials, hits, promised):
            chances.append(promised)
    if claim.margin is not None:
        margin = np.asarray(rows(claim.margin, table), dtype=float)
        if ((margin <= 1 + 1e-9) != holds).any():
            raise ExpressionError(f"margin {claim.margin!r} is not at most 1 exactly where the condition holds")
        outside = game_outside(margin, points, -np.inf, 1.0)
        if outside is not None:
            chances.append(float(1 - outside.mean()))
    rates = [
        clustered(games, trials, 1 - chance, games + 1 - most_missing) * (most_missing > 0)
        + clustered(games, trials, chance, most_hits)
        for chance in chances
    ]
    if not rates:  # a trial counts once, for its games go together
        shares = (int(known.sum()) + np.arange(trials + 1) * games / trials) / all_games
        rates = [float(beta_binomial(trials, hits * trials / games)[(shares < low) | (shares > high)].sum())]
    return min(1.0, *rates)


def _believable(games: int, trials: int, hits: int, chance: float) -> bool:
    """Tell whether so many hits, or a number further off, can be with this chance of one."""
    below, above = clustered(games, trials, 1 - chance, games - hits), clustered(games, trials, chance, hits)
    return min(below, above) >= _REFUTED


def _of_extreme(claim: Claim, values: Column, points: Column, same: Column, *, largest: bool) -> float | None:
    low, high = claim.accepts
    beyond = (values > high) if largest else (values < low)
    tossed = len(values) - int(same.sum())
    if claim.chance is not None and _believable(tossed, tossed, int(beyond[~same].sum()), claim.chance):
        return float(min(1.0, tossed * claim.chance + beyond[same].sum()))
    # the extreme is beyond one end if one game is; short of the other only if all are
    near = game_outside(values, points, -np.inf if largest else low, high if largest else np.inf, same)
    far = game_outside(values, points, low if largest else -np.inf, np.inf if largest else high, same)
    if near is None or far is None:
        return None
    return float(min(1.0, near.sum() + np.prod(far)))


def together(rates: Iterable[float | None]) -> float | None:
    """Return the rate of a claim that is made once for each of some groups: the sum of theirs, None if one is unknown.

    Examples
    --------
    >>> together([0.25, 0.5]), together([0.25, None])
    (0.75, None)
    """
    known = list(rates)
    return min(1.0, sum(rate or 0.0 for rate in known)) if None not in known else None
