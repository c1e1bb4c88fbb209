"""The measures that claims are made of, each with its confidence interval where it has one.

Intervals are at 95 %: Clopper-Pearson for fractions, order statistics for medians and quantiles (both exact),
Student's t for means, slopes and crossings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

Values = np.ndarray[Any, Any]

CONFIDENCE: Final = 0.95
EACH: Final = 0.975
"""Confidence of each of two intervals: together the two hold, and so does that of their ratio, with 0.95."""


@dataclass(frozen=True)
class Estimate:
    """A measured value and its confidence interval; `low` and `high` are None where there is none."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Aggregate:
    """A measure: the names of its arguments, and how it is computed from the rows' number and values.

    It may read columns of the table beside its arguments, whose values then follow.
    """

    arguments: tuple[str, ...]
    compute: Callable[..., Estimate]
    reads: tuple[str, ...] = ()


def clopper_pearson(successes: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the exact confidence interval of a probability.

    Source: Clopper, Pearson 1934; the tails of the binomial distribution are values of the incomplete beta function.

    Examples
    --------
    >>> low, high = clopper_pearson(10, 10)
    >>> round(low, 4), high
    (0.6915, 1.0)
    """
    from scipy.special import betainccinv, betaincinv  # scipy.stats says the same after two more seconds of import

    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes == trials else float(betainccinv(successes + 1, trials - successes, tail))
    return low, high


def order_interval(ordered: Values, q: float, confidence: float = CONFIDENCE) -> tuple[float | None, float | None]:
    """Return the two of these ordered values between which the q-quantile lies; None, None if they are too few.

    It is exact for any distribution: values below the quantile are counted by a binomial.
    """
    from scipy.special import bdtr, bdtrc

    n, tail = len(ordered), (1 - confidence) / 2
    counts = np.arange(n)  # P(at most i of n values lie below the quantile), and P(more), i = 0 … n-1
    lows, highs = np.flatnonzero(bdtr(counts, n, q) <= tail), np.flatnonzero(bdtrc(counts, n, q) <= tail)
    if not len(lows) or not len(highs):
        return None, None
    return float(ordered[lows[-1]]), float(ordered[highs[0]])


def fraction(length: int, column: Values) -> Estimate:
    """Return the share of rows in which a condition holds."""
    _some(length)
    successes = int(np.asarray(column).sum())
    return Estimate(successes / length, *clopper_pearson(successes, length))


def quantile(length: int, column: Values, share: float) -> Estimate:
    """Return the smallest value that at least this share of the rows do not exceed (0.5: the middle)."""
    values, q = _numbers(column), float(share)
    if not 0 <= q <= 1:
        raise ValueError(f"a quantile is between 0 and 1; got {q}")
    below, above = (float(np.quantile(values, q, method=side)) for side in ("lower", "higher"))
    if below != above and np.isfinite([below, above]).all():
        above = float(np.quantile(values, q))  # in between; next to an infinite value there is no such thing
    return Estimate(above, *order_interval(np.sort(values), q))


def median(length: int, column: Values) -> Estimate:
    """Return the median."""
    return quantile(length, column, 0.5)


def mean(length: int, column: Values) -> Estimate:
    """Return the mean."""
    from scipy.special import stdtrit

    values = _numbers(column)
    middle = float(values.mean())
    if len(values) < 2:
        return Estimate(middle)
    half = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2) * values.std(ddof=1) / np.sqrt(len(values)))
    return Estimate(middle, middle - half, middle + half)


def slope(length: int, y: Values, x: Values) -> Estimate:
    """Return the exponent of the power law y ~ x^slope: least squares of log y over log x."""
    from scipy.special import stdtrit

    ys, xs = _numbers(y), _numbers(x)
    if (ys <= 0).any() or (xs <= 0).any():
        raise ValueError("slope() needs values above 0")
    log_x, log_y = np.log(xs), np.log(ys)
    spread = float(((log_x - log_x.mean()) ** 2).sum())
    if len(np.unique(xs)) < 2:
        raise ValueError("slope() needs two values of x")
    exponent = float(((log_x - log_x.mean()) * (log_y - log_y.mean())).sum() / spread)
    freedom = len(xs) - 2
    if freedom < 1:
        return Estimate(exponent)
    rest = log_y - log_y.mean() - exponent * (log_x - log_x.mean())
    half = float(stdtrit(freedom, (1 + CONFIDENCE) / 2) * np.sqrt((rest**2).sum() / freedom / spread))
    return Estimate(exponent, exponent - half, exponent + half)


class NoCrossing(ValueError):
    """The first group is not below at the largest x, or already at the smallest: an outcome of games."""


def crossing(length: int, y: Values, x: Values, one: Values, other: Values) -> Estimate:
    """Return the x from which on `y` is smaller in one group of rows than in another.

    Means of log y are compared at each x that both groups have. Their difference is taken as linear in log x between
    neighbours, and the crossing is where it falls below 0 for good. The interval is where the ends of the 95 %
    intervals of the difference (Welch's t) do so, None on a side where they do not.

    Raises
    ------
    NoCrossing
        There is none between these x, so that no bound on it is met.
    """
    ys, xs = np.log(_numbers(y)), np.log(_numbers(x))
    first, second = np.asarray(one, dtype=bool), np.asarray(other, dtype=bool)
    places = np.intersect1d(xs[first], xs[second])
    if len(places) < 2:
        raise ValueError("crossing() needs two values of x in both groups")
    pairs = [(ys[first & (xs == place)], ys[second & (xs == place)]) for place in places]
    middle = np.array([mine.mean() - others.mean() for mine, others in pairs])
    half = np.array([_welch_half(mine, others) for mine, others in pairs])
    value = _falls_below(places, middle)
    if value is None:
        some = int((middle < 0).sum())
        at_last = f"below at {some} of {len(middle)} x, not at the largest" if some else "never below"
        where = at_last if middle[-1] >= 0 else "already below at the smallest x"
        raise NoCrossing(f"no crossing: the first group is {where}")
    return Estimate(value, _falls_below(places, middle - half), _falls_below(places, middle + half))


def _welch_half(one: Values, other: Values) -> float:
    """Return half of the 95 % interval of the difference of two means; a group without spread adds none."""
    from scipy.special import stdtrit

    parts = [(values.var(ddof=1) / len(values), len(values) - 1) for values in (one, other) if len(values) > 1]
    whole = sum(variance for variance, _ in parts)
    if not whole:
        return 0.0
    freedom = whole**2 / sum(variance**2 / free for variance, free in parts)
    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2) * np.sqrt(whole))


def _falls_below(places: Values, values: Values) -> float | None:
    """Return e to the place from which on values are below 0, by linear interpolation; None if there is no such."""
    above = np.flatnonzero(values >= 0)
    if not len(above) or above[-1] == len(values) - 1:
        return None
    last = above[-1]
    share = values[last] / (values[last] - values[last + 1])
    return float(np.exp(places[last] + share * (places[last + 1] - places[last])))


def _plain(function: Callable[[Values], Any]) -> Callable[..., Estimate]:
    return lambda length, column: Estimate(float(function(_numbers(column))))


def _some(length: int) -> None:
    if length == 0:
        raise ValueError("no games to measure")


def _numbers(column: Values) -> Values:
    values = np.asarray(column, dtype=float)
    _some(len(values))
    if np.isnan(values).any():
        raise ValueError("some games have no value")
    return values


AGGREGATES: Final[dict[str, Aggregate]] = {
    "fraction": Aggregate(("condition",), fraction),
    "median": Aggregate(("column",), median),
    "mean": Aggregate(("column",), mean),
    "max": Aggregate(("column",), _plain(np.max)),
    "min": Aggregate(("column",), _plain(np.min)),
    "total": Aggregate(("column",), _plain(np.sum)),
    "quantile": Aggregate(("column", "share"), quantile),
    "slope": Aggregate(("y", "x"), slope),
    "crossing": Aggregate(("y", "x", "one", "other"), crossing),
    "games": Aggregate((), lambda length: Estimate(float(length))),
}
"""What sums columns up. Each also takes ``where=(condition)``, so that two groups can be compared:
``median(words, where=(protocol == 'robust')) / median(words, where=(protocol == 'deterministic'))``."""

CONDITIONS: Final = ("condition", "one", "other")
"""Arguments of measures that are conditions; the others are numbers."""
SHARE: Final = "share"
"""The argument that is one number and not one per row."""

ROWWISE: Final[dict[str, Callable[[Any], Any]]] = {"log": np.log, "sqrt": np.sqrt, "abs": np.abs}
"""Functions of each row's value."""
