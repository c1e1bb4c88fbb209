"""Probabilities of outcomes of a fresh run, from the games of one run: of counts, of one game, of a measure."""

from __future__ import annotations

from typing import Final

import numpy as np

from disttrack.simulator.experiments.claims.statistics import Values

_ALIKE: Final = 3
"""Number of equal values at a point from which on chance is taken to have no part in them."""
_CORRELATED: Final = 0.5
"""Correlation of the games of one trial at different points: it is 0.2 to 0.6 where the same protocol plays."""


def log_ways(games: int, hits: Values) -> Values:
    """Return the logarithms of the numbers of ways to choose these numbers of hits among games."""
    from scipy.special import gammaln

    return np.asarray(gammaln(games + 1) - gammaln(hits + 1) - gammaln(games - hits + 1))


def binomial(games: int, chance: float) -> Values:
    """Return the probabilities of 0 … `games` hits, each game one with this chance.

    Examples
    --------
    >>> binomial(2, 0.5).tolist()
    [0.25, 0.5, 0.25]
    """
    from scipy.special import xlog1py, xlogy

    hits = np.arange(games + 1)
    chances: Values = np.exp(log_ways(games, hits) + xlogy(hits, chance) + xlog1py(games - hits, -chance))
    return chances


def beta_binomial(games: int, hits: float) -> Values:
    """Return the predicted probabilities of 0 … `games` hits in as many fresh games, `hits` having been seen.

    The hits of the fresh run are binomial given the chance of one, whose posterior distribution is
    Beta(hits + 1/2, games - hits + 1/2), of Jeffreys' prior.
    """
    from scipy.special import betaln

    fresh = np.arange(games + 1)
    one, other = hits + 0.5, games - hits + 0.5
    chances: Values = np.exp(log_ways(games, fresh) + betaln(fresh + one, games - fresh + other) - betaln(one, other))
    return chances


def tail(distance: Values | float, freedom: float, *, single: bool) -> Values:
    """Return the chance of a deviation above a distance in standard errors, by Student's t.

    Of a `single` game, or the extreme of several, at least that of the exponential distribution, e^-(1 + distance).
    """
    from scipy.special import stdtr

    away = np.asarray(distance, dtype=float)
    chance = stdtr(freedom, -away)
    if single:
        chance = np.maximum(chance, np.exp(-np.maximum(1 + away, 0.0)))
    return np.asarray(chance)


def reach(chance: float, freedom: float, *, single: bool) -> float:
    """Return the distance in standard errors beyond which a deviation has a chance: the inverse of `tail`.

    Examples
    --------
    >>> round(reach(0.05, 1e6, single=False), 3), round(reach(0.05, 1e6, single=True), 3)
    (1.645, 1.996)
    """
    from scipy.special import stdtrit

    distance = float(-stdtrit(freedom, chance))
    return max(distance, -float(np.log(chance)) - 1) if single else distance


def clustered(games: int, trials: int, chance: float, missing: int) -> float:
    """Bound the chance that `missing` games or more are hit, each with this chance, the games of a trial together.

    Games of one trial share their seed, and may depend on each other in any way: see `_largest`. With a game a trial it
    is the binomial tail.

    Examples
    --------
    >>> clustered(10, 10, 0.5, 10) == 0.5**10, round(clustered(60, 20, 0.05, 13), 4)
    (True, 0.0061)
    """
    if missing <= 0:
        return 1.0
    if missing > games:
        return 0.0
    if games <= trials:
        return float(binomial(games, chance)[missing:].sum())
    return _largest(games, trials, chance, np.append(1.0, np.zeros(missing)), beyond=1.0)


def clustered_below(games: int, trials: int, chance: float, most: int) -> float:
    """Bound the chance that `most` games or fewer are hit, each with this chance, the games of a trial together.

    Examples
    --------
    >>> clustered_below(10, 10, 0.5, 0) == 0.5**10, round(clustered_below(20, 10, 0.5, 0) / 0.5**10, 9)
    (True, 1.0)
    """
    if most < 0:
        return 0.0
    if most >= games:
        return 1.0
    if games <= trials:
        return float(binomial(games, chance)[: most + 1].sum())
    return _largest(games, trials, chance, np.ones(most + 1), beyond=0.0)


def _largest(games: int, trials: int, chance: float, last: Values, beyond: float) -> float:
    """Return the largest probability of a set of totals over all distributions of the hits of a trial.

    By dynamic programming over the trials: each takes the distribution on 0 … c (its games) with the right mean that is
    worst for the hits still to come, which is one of two values. The choice may depend on the trials before, so that
    this is an upper bound of the maximum over independent trials that are alike (at most about twice that).

    Parameters
    ----------
    last
        By the number of hits that are left, whether the set is reached if no more trial comes.
    beyond
        The same, where there were more hits than that.
    """
    each = games / trials
    most, mean = int(np.ceil(each)), min(1.0, chance) * each
    below = int(mean)
    if mean == most:
        below -= 1
    highs = np.arange(below + 1, most + 1)
    value = last
    for _ in range(trials):
        padded = np.append(np.full(most, beyond), value)
        after = np.array([padded[most - hits : len(padded) - hits] for hits in range(most + 1)])
        rest, value = after[highs], np.zeros(len(value))
        for low in range(below + 1):
            weights = (mean - low) / (highs - low)
            value = np.maximum(value, (after[low] + (rest - after[low]) * weights[:, None]).max(axis=0))
    return float(value[-1])


def game_outside(values: Values, points: Values, low: float, high: float, same: Values | None = None) -> Values | None:
    """Return, for each game, the chance that a fresh one at its point falls below `low` or above `high`.

    Games in which chance has no part (`same`, with a point each) are the same in every run.

    The variance of a point is its own or that of all points together, whichever is larger. Its degrees of freedom are
    those of points whose games, as those of a trial share a seed, are correlated by one half. None if no point has two.
    """
    if not np.isfinite(values).all():
        return None
    chances = np.zeros(len(values))
    tossed = np.ones(len(values), dtype=bool) if same is None else ~same
    chances[~tossed] = (values[~tossed] < low) | (values[~tossed] > high)
    if not tossed.any():
        return chances
    parts = [np.flatnonzero(points == point) for point in np.unique(points[tossed])]
    freedom = sum(len(rows) - 1 for rows in parts) / (1 + (len(parts) - 1) * _CORRELATED**2)
    if not freedom:
        return None
    pooled = float(np.mean([_variance(values[rows]) for rows in parts if len(rows) > 1]))
    for rows in parts:
        mine = values[rows]
        alike = bool((mine == mine[0]).all())  # the mean of equal numbers may differ from them in its last digit
        middle = float(mine[0] if alike else mine.mean())
        spread = 0.0 if alike and len(rows) >= _ALIKE else max(_variance(mine), pooled)
        error = np.sqrt(spread * (1 + 1 / len(rows)))
        if error == 0:
            chances[rows] = float(not low <= middle <= high)
            continue
        below, above = (tail(far / error, freedom, single=True) for far in (middle - low, high - middle))
        chances[rows] = np.minimum(1, below + above)
    return chances


def _variance(values: Values) -> float:
    return 0.0 if len(values) < 2 or (values == values[0]).all() else float(values.var(ddof=1))
