"""Confidence sequences: intervals that hold at all numbers of trials together, so that looking after each is allowed.

An interval for a fixed number of games misses the truth in 5 % of runs at that number, but somewhere on the way in many
more: whoever stops when it looks good has looked often. These hold with 95 % at every number of trials at once.

Both rest on one supermartingale. For x in [0, 1] the function (theta/m)^x ((1 - theta)/(1 - m))^(1 - x) is convex in x,
so it lies below the line between its values at 0 and 1, and its mean is at most 1 if x has mean m: the likelihood ratio
of a coin is a test of the mean of anything bounded. Mixed over theta by a beta distribution it stays one; by Ville's
inequality it ever reaches 1/alpha with probability at most alpha. The m at which it has not are the interval.

Source: Robbins 1970 (mixtures); Howard, Ramdas, McAuliffe, Sekhon 2021, Time-uniform, nonparametric, nonasymptotic
confidence sequences, Annals of Statistics 49 (the beta-binomial mixture, and that it is sub-Bernoulli); for quantiles
Howard, Ramdas 2022, Sequential estimation of quantiles with applications to A/B testing, Bernoulli 28: at the true
quantile the games below it are such a coin.
"""

from __future__ import annotations

from math import inf, log, log1p
from typing import Any, Final

import numpy as np

from simulator.claims.statistics import CONFIDENCE, Column

PRIOR: Final = 0.5
"""Both parameters of the beta distribution over the mean: Jeffreys', tight for means near 0 and 1."""
STRENGTH: Final = 10.0
"""Sum of the parameters of the beta distribution about a quantile's share, tight for dozens to hundreds of trials."""
STEPS: Final = 60
"""Halvings by which an end of an interval is found."""


def mean_interval(total: float, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the interval of the mean of independent values in [0, 1], one a trial, from their sum.

    Examples
    --------
    >>> low, high = mean_interval(50, 100)
    >>> round(low, 3), round(high, 3)
    (0.338, 0.662)
    >>> mean_interval(60, 60)[1]
    1.0
    """
    from scipy.special import betaln

    mixed = float(betaln(PRIOR + total, PRIOR + trials - total) - betaln(PRIOR, PRIOR)) + log(1 - confidence)

    def refused(mean: float) -> bool:
        fitted = (total * log(mean) if total else 0.0) + ((trials - total) * log1p(-mean) if trials - total else 0.0)
        return mixed - fitted >= 0

    middle = total / trials if trials else 0.5
    return (
        0.0 if total <= 0 else _border(middle, 0.0, refused),
        1.0 if total >= trials else _border(middle, 1.0, refused),
    )


def _border(inside: float, outside: float, refused: Any) -> float:
    """Return where what is not refused begins, on its safe side."""
    for _ in range(STEPS):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        if refused(middle):
            outside = middle
        else:
            inside = middle
    return outside


def quantile_interval(
    values: Column, weights: Column, share: float, trials: int, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the interval of a quantile, minus and plus infinity where the games do not tell.

    Parameters
    ----------
    values
        What was measured in each game.
    weights
        Of each game, one over the games of its trial: together the trials count one each.
    share
        Of the values that lie at or below the quantile, between 0 and 1, both excluded.
    trials
        Independent ones.
    """
    order = np.argsort(values, kind="stable")
    ordered, weighed = values[order], np.concatenate([[0.0], np.cumsum(weights[order])])
    at_most = weighed[np.searchsorted(ordered, ordered, side="right")]
    below = weighed[np.searchsorted(ordered, ordered, side="left")]
    # refused as the quantile: a value with too few games at or below it, or with too many below it
    few, many = (log(2 / (1 - confidence)) <= _ratio(*of) for of in (
        (np.append(0.0, at_most), share, trials), (np.append(below, float(trials)), share, trials, True)
    ))  # fmt: skip
    lows = ordered[~few[1:]]
    highs = ordered[~many[:-1]]
    low = float(lows[0]) if few[0] and len(lows) else -inf
    high = float(highs[-1]) if many[-1] and len(highs) else inf
    return low, high


def _ratio(counts: Column, share: float, trials: int, more: bool = False) -> Column:
    """Return the logarithm of the supermartingale against a mean of at least the share, or of at most it with `more`.

    The mixture is over smaller means, or larger ones: one side of a beta distribution, which has the share as its mean.
    """
    from scipy.special import betainc, betaln

    a, b = STRENGTH * share, STRENGTH * (1 - share)
    ups, downs = counts, np.maximum(0.0, trials - counts)
    tops, bottoms = (b + downs, a + ups) if more else (a + ups, b + downs)
    edge = 1 - share if more else share
    whole = betainc(*((b, a) if more else (a, b)), edge)
    with np.errstate(divide="ignore"):
        side = np.log(betainc(tops, bottoms, edge)) - log(whole)
    fitted = ups * log(share) + downs * log1p(-share)
    ratio: Column = betaln(a + ups, b + downs) - betaln(a, b) + side - fitted
    return ratio
