"""A round of memoryless coins as a walk between two lines: the probability that it leaves them.

A round begins with N0 items. Each further item is signalled with probability p, and after n of them and B signals the
output is N0 + B/p. The round fails if it leaves N0 + n by more than alpha (N0 + n) before the last signal is sent.
With a = alpha N0 p, and in units of 1/p items, that is so if for some j below the number of signals

    the (j+1)-th signal comes after  (j + a) / (1 - alpha)     the output is too low just before it, or
    the j-th signal comes before     (j - a) / (1 + alpha)     the output is too high just after it.

The site of an item does not matter: the coins are one sequence of independent tosses, and all that an adversary can do
is to stop it.

The probabilities for each line alone are sums over the signals by ballot theorems: exact for p -> 0, where the tosses
are a Poisson process. For a heavier coin time advances in whole items, which the sums take into account on average
only.

Source
------
Takacs 1967, Combinatorial Methods in the Theory of Stochastic Processes, chapters 1 and 2 (the ballot theorems).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import expm1, log, log1p, pi, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

POISSON: Final = 1e-6
"""A smaller bias is treated as a Poisson process: ln of the failure probability moves by less than 50 p."""


_OFTEN: Final = 32
"""Signals between two looks at what may still fail."""


class Walk(NamedTuple):
    """The coins of a round, and the two lines.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).
    offset
        a = alpha N0 p: the error allowed at the start, in signals.
    p
        Probability of a signal per item; 0 for the limit of small ones, in which time is continuous.
    """

    alpha: float
    offset: float
    p: float

    def late(self, j: Any) -> Any:
        """Return the time, in units of 1/p items, at which an output of j signals is first too low."""
        if not self.p:
            return (j + self.offset) / (1 - self.alpha)
        return self.p * (np.floor((j + self.offset) / (self.p * (1 - self.alpha))) + 1)

    def early(self, j: Any) -> Any:
        """Return the last time at which a j-th signal makes the output too high."""
        if not self.p:
            return (j - self.offset) / (1 + self.alpha)
        return self.p * (np.ceil((j - self.offset) / (self.p * (1 + self.alpha))) - 1)


def walk_of(alpha: float, total: float, p: float) -> Walk:
    """Return the walk of a round that begins with `total` items; a very small p is replaced by its limit."""
    return Walk(alpha, alpha * total * p, p if p > POISSON else 0.0)


def failures_by(walk: Walk, signals: int, allowed: float | None = None) -> Floats:
    """Return the failure probabilities of rounds of 1, 2, …, `signals` signals, by recursion over the tosses.

    If `allowed` is given, they are computed until it is certain which of them are at most `allowed`: up to the first
    that is larger, or without later failures that cannot make one larger.

    It goes from one time at which a line is tested to the next, and keeps the probability of each number of signals
    without failure. A failure at `j` signals counts for rounds of more than j. It takes about 10 µs per signal; p must
    be above 0.
    """
    if walk.p >= 1:
        return np.zeros(signals)
    numbers = np.arange(signals)
    late = np.rint(walk.late(numbers) / walk.p).astype(np.int64)
    early = np.rint(walk.early(numbers) / walk.p).astype(np.int64)
    times = np.concatenate((late, early[1:]))
    order = np.argsort(times, kind="stable")
    failed, total = np.zeros(signals), 0.0
    laws: dict[int, Floats] = {}
    alive, least, now = np.ones(1), 0, 0  # probabilities of least, least + 1, … signals
    for place in order[np.searchsorted(times[order], 0, side="right") :].tolist():
        number, high = (place, False) if place < signals else (place - signals + 1, True)
        items = int(times[place]) - now
        if items:
            if items not in laws:
                laws[items] = _signals_in(items, walk.p)
            alive, now = np.convolve(alive, laws[items]), now + items
            if now > early[-1]:
                alive = alive[: max(0, signals - least)]  # the others have sent their last signal
        if high:
            failed[number] += alive[max(0, number - least) :].sum()
            alive = alive[: max(0, number - least)]
        elif least <= number < least + len(alive):
            failed[number] += alive[number - least]
            alive, least = alive[number - least + 1 :], number + 1
        if allowed is not None and not high:
            total += failed[number]  # the upper line has been tested with this number before
            if total > allowed:
                return np.cumsum(failed[: number + 1])
            if number % _OFTEN == 0 and failed.sum() + _later(walk, alive, least, now) < allowed * (1 - 1e-9):
                break
        if not len(alive):
            break
    return np.cumsum(failed)


def _later(walk: Walk, alive: Floats, least: int, items: int) -> float:
    """Return a bound of the probability of failures after `items` items, from those of `least`, … signals by then.

    With B signals after n items, exp(t (B - (1 + alpha) p n)) does not grow on average for a small t > 0, and is at
    least exp(t a) where the output is too high; the same holds for exp(t ((1 - alpha) p n - B)) where it is too low.
    """
    numbers, bound = np.arange(least, least + len(alive)), 0.0
    for sign in (1, -1):
        slope = (1 + sign * walk.alpha) * walk.p
        tilt = min(4 * walk.alpha / (1 - walk.p), 30.0)
        while log1p(walk.p * expm1(sign * tilt)) > sign * tilt * slope:
            tilt *= 0.97
        bound += float(alive @ np.exp(tilt * (sign * (numbers - slope * items) - walk.offset)))
    return bound


def _signals_in(items: int, p: float) -> Floats:
    """Return the probabilities of 0, 1, … signals in `items` items, up to where they are negligible."""
    mean = items * p
    most = min(items, int(mean + 12 * sqrt(mean) + 40))
    number = np.arange(most)
    ratios = np.log((items - number) / (number + 1.0)) + log(p) - log1p(-p)
    law: Floats = np.exp(log1p(-p) * items + np.concatenate(([0.0], np.cumsum(ratios))))
    return law


COARSE: Final = 0.01
"""From this bias on the step of whole items matters."""
_EXACT: Final = 64
"""Terms at either end of a long sum that are added one by one."""
_FEW: Final = 1000
"""Up to this number of terms, all are added one by one; the next is the number for a heavy coin:"""
_FEW_HEAVY: Final = 65_536
_TABULATED: Final = 2**14
"""Numbers of signals below which part of their probability is tabulated."""
_NEGLIGIBLE: Final = 45.0
"""Terms smaller than the largest by this power of e are left out of a long sum."""


def too_low(walk: Walk, signals: int) -> float:
    """Return the probability that the output is ever too low.

    It is, for the first time and with j signals, at time t_j = late(j) if exactly j have come by then, times the
    probability that it was not at any earlier time: (t_j - j / (1 - alpha)) / t_j, by the ballot theorem.
    """
    step, nearer = 1 / (1 - walk.alpha), _nearer(walk)

    def log_term(j: Any) -> Floats:
        time = nearer.late(j)
        term: Floats = log_chance(walk.p, j, time) + np.log((time - j * step) / time)
        return term

    if walk.p > COARSE and signals <= _FEW_HEAVY:
        return float(_first_terms(walk, "low", signals, lambda: np.exp(log_term(np.arange(signals)))).sum())
    return _sum(log_term, 0, signals - 1, heavy=walk.p > COARSE)


def too_high(walk: Walk, signals: int) -> float:
    """Return the probability that the output is ever too high.

    A j-th signal comes too early if j have come by s_j = early(j). Either this holds for the last, m = signals - 1, or
    there is a last j < m for which it holds. Then exactly j have come by s_j, and fewer than i in the next i intervals,
    for all i up to m - j: the mean of max(0, 1 - R / (m - j)) over the number R of signals in them. The
    intervals have one length here, 1 / (1 + alpha), and begin where early(j) is on average.
    """
    m, first = signals - 1, int(walk.offset) + 1
    if m < first or walk.p * (1 + walk.alpha) >= 1:
        return 0.0
    nearer, interval = _nearer(walk), 1 / (1 + walk.alpha)
    rounded = walk.p * _rounded_by(nearer, first, m)

    def log_term(j: Floats) -> Floats:
        time = (j - nearer.offset) * interval - rounded
        rest = np.maximum(m - j, 1)
        term: Floats = log_chance(walk.p, j, time) + np.log(_never_again(walk.p, rest, rest * interval))
        return term

    end = (m - nearer.offset) * interval - rounded
    return float(_at_least(walk.p, m, end)) + _sum(log_term, first, m - 1, heavy=False)


def of_consecutive(walk: Walk, first: int, last: int) -> tuple[Floats, Floats]:
    """Return `too_low` and `too_high` for rounds of `first` to `last` signals of a light coin; all terms are added."""
    begin = min(int(walk.offset) + 1, last)
    low, high = np.arange(last), np.arange(begin, last)
    late, early = walk.late(low), (high - walk.offset) / (1 + walk.alpha) - walk.p / 2
    chances = np.exp(log_chance(walk.p, np.concatenate((low, high)), np.concatenate((late, early))))
    too_low = (chances[:last] * ((late - low / (1 - walk.alpha)) / late)).cumsum()[first - 1 :]
    too_high = np.zeros(last - first + 1)
    if len(high):
        end = max(0, first - 1 - begin)
        table = _never_again_by(walk.p, 1 / (1 + walk.alpha), size_for(len(high)))[: len(high)]
        padded = np.concatenate((np.zeros(len(high) - 1 - end), table))
        back = np.correlate(padded, chances[last:][::-1], "valid")
        too_high[begin + end - first + 1 :] = _at_least(walk.p, high[end:], early[end:]) + back
    return too_low, too_high


def _nearer(walk: Walk) -> Walk:
    """Return the walk with its lines moved nearer, as a correction for whole items.

    The sums are exact if a line meets whole items at the same phase at every signal. If it meets them at any phase, it
    is exceeded by less than the p/2 of independent times: by the mean overshoot of a random walk with steps p up or 1 -
    p down. That is p/2 - p^2 (1 + p) / 12 within 0.008 (Siegmund 1985, Sequential Analysis, chapter X).
    """
    less = walk.p**2 * (1 + walk.p) / 12 if walk.p > COARSE else 0.0
    return walk._replace(offset=walk.offset - less)


def _rounded_by(walk: Walk, first: int, last: int) -> float:
    """Return how many items `early` is rounded down by, on average over the signals at which the line is crossed."""
    if walk.p <= COARSE or last - first >= _FEW_HEAVY:
        return 0.5

    def terms() -> Floats:
        j = np.arange(first, last + 1)
        line = (j - walk.offset) / (1 + walk.alpha)
        crossed = np.exp(log_chance(walk.p, j, line - walk.p / 2)) / j
        return np.array([crossed, crossed * (line - walk.early(j))])

    crossed, rounded = _first_terms(walk, f"rounded from {first}", last - first + 1, terms)
    total = float(crossed.sum())
    return float(rounded.sum()) / (walk.p * total) if total else 0.5


@lru_cache(maxsize=4)
def _kept(walk: Walk) -> dict[str, Floats]:
    """Return the terms of sums that are kept of a walk, by name."""
    return {}


def _first_terms(walk: Walk, name: str, number: int, terms: Callable[[], Floats]) -> Floats:
    """Return this number of terms of a sum, which `terms` computes where fewer are kept.

    A search tries rounds of several lengths, which have the first terms in common.
    """
    kept = _kept(walk)
    if name not in kept or kept[name].shape[-1] < number:
        kept[name] = terms()
    return kept[name][..., :number]


def _at_least(p: float, number: Any, time: Any) -> Any:
    """Return the probability of at least `number` signals by a time."""
    from scipy.special import betainc, gammainc

    if not p:
        return gammainc(number, np.maximum(time, 0.0))
    more = time / p - number + 1
    return np.where(more > 0, betainc(number, np.maximum(more, 0.5), p), 0.0)


def _never_again(p: float, intervals: Floats, time: Floats) -> Floats:
    """Return the mean of max(0, 1 - R / M) for the number R of signals in `time`, M being the intervals.

    With P the distribution of R for one item less, it is (1 - p) P(M - 1) + (1 - time / M) P(R <= M - 2).
    """
    from scipy.special import betainc, gammaincc

    before = np.maximum(intervals - 1, 1)
    rest = time - p  # one item less
    if p:
        more = rest / p - intervals + 2
        below = np.where(more > 0.5, betainc(np.maximum(more, 0.5), before, 1 - p), 1.0)
    else:
        below = gammaincc(before, rest)
    at = np.exp(log_chance(p, intervals - 1, np.maximum(rest, p / 2)))
    mean: Floats = (1 - p) * at + (1 - time / intervals) * np.where(intervals > 1, below, 0.0)
    return np.where(time > p / 2, mean, 1.0)


@lru_cache(maxsize=512)
def _never_again_by(p: float, interval: float, size: int) -> Floats:
    """Return the same by the number of intervals, and 0 for none."""
    rest = np.arange(1.0, size)
    return np.concatenate(([0.0], _never_again(p, rest, rest * interval)))


def log_chance(p: float, number: Any, time: Any) -> Floats:
    """Return ln of the probability of exactly `number` signals by a time, -inf if there are fewer items.

    Source
    ------
    Loader 2000, Fast and accurate computation of binomial probabilities: sums of small terms, without cancellation.
    """
    some = np.maximum(number, 1.0)
    mean = np.maximum(time, p / 2)
    log_chance = _log_most_likely(number) - _deviance(some, mean)
    if not p:
        return np.where(number > 0, log_chance, -mean)
    items = mean / p
    rest = np.where(time > 0, items - number, -1.0)
    silent = np.maximum(rest, 0.5)
    log_chance += (
        _stirling(items) - _stirling(silent) - _deviance(silent, silent + number - mean) + 0.5 * np.log(items / silent)
    )
    if rest.min(initial=1.0) <= 0.5:
        log_chance = np.where(rest > 0.5, log_chance, np.where(rest > -0.5, number * log(p), -np.inf))
    return log_chance if number.min(initial=1) > 0 else np.where(number > 0, log_chance, items * np.log1p(-p))


def _log_most_likely(number: Any) -> Floats:
    """Return ln of the probability of `number`, or 1 for 0, from a Poisson distribution with this mean."""
    if number.dtype.kind == "i" and number[-1] < _TABULATED:
        logs: Floats = _most_likely_up_to(_TABULATED).take(number)
    else:
        some = np.maximum(number, 1.0)
        logs = -_stirling(some) - 0.5 * np.log(2 * pi * some)
    return logs


@lru_cache(maxsize=1)
def _most_likely_up_to(number: int) -> Floats:
    return _log_most_likely(np.arange(float(number)))


def _stirling(n: Floats) -> Floats:
    """Return ln n! less Stirling's formula for it."""
    inverse = 1 / n
    square = inverse * inverse
    series: Floats = (1 / 12 - (1 / 360 - square / 1260) * square) * inverse
    small = np.asarray(n < 20)
    if not small.any():
        return series
    from scipy.special import gammaln

    few = np.asarray(n)[small]
    series = np.array(series)
    series[small] = gammaln(few + 1) - (few + 0.5) * np.log(few) + few - 0.5 * log(2 * pi)
    return series


def _deviance(number: Floats, mean: Floats) -> Floats:
    """Return number ln(number / mean) + mean - number."""
    excess = (mean - number) / number
    deviance: Floats = number * (excess - np.log1p(excess))
    return deviance


# ---------------------------------------------------------------------- short sums


def size_for(number: int) -> int:
    """Return the size of the matrix for a number of signals: few sizes, so that they can be kept."""
    return max(16, 1 << (number - 1).bit_length())


def by_distance(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the matrix with entry table[i - j] at i, j, and 0 above the diagonal, without copies of the table."""
    size, step = len(table), table.itemsize
    padded = np.concatenate((np.zeros(size - 1, table.dtype), table))
    return np.ndarray((size, size), table.dtype, padded, (size - 1) * step, (step, -step))


# ---------------------------------------------------------------------- long sums


def _sum(log_term: Callable[[Floats], Floats], low: int, high: int, heavy: bool) -> float:
    """Return the sum of exp(log_term(j)) over low <= j <= high: by Gauss's rule in panels if there are many.

    The panels grow from both ends, near which the terms change fastest. The terms of a heavy coin depend on whole
    numbers more than on their place in the sum.
    """
    few = _FEW_HEAVY if heavy else _FEW
    if high - low >= few:
        low, high = _within(log_term, low, high)
    if high - low < few:
        return float(np.exp(log_term(np.arange(low, high + 1.0))).sum())
    begin, end = low + _EXACT, high - _EXACT
    edges = np.array([begin - 0.5, *_edges(begin, end), end + 0.5])
    nodes, weights = _gauss()
    halves = np.diff(edges) / 2
    places = ((edges[:-1] + halves)[:, None] + halves[:, None] * nodes).ravel()
    ends = np.concatenate((np.arange(low, begin), np.arange(end + 1, high + 1))).astype(float)
    terms = np.exp(log_term(np.concatenate((ends, np.rint(places) if heavy else places))))
    inner = terms[len(ends) :] @ (halves[:, None] * weights).ravel()
    return float(terms[: len(ends)].sum() + inner)


@lru_cache(maxsize=1)
def _gauss() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(12)


def _within(log_term: Callable[[Floats], Floats], low: int, high: int) -> tuple[int, int]:
    """Return the part of a range outside of which the terms are negligible."""
    grown = np.unique(np.rint(np.geomspace(1, high - low + 1, 80)))
    places = np.unique(np.concatenate((low - 1 + grown, high + 1 - grown)))
    sizes = log_term(places)
    kept = np.flatnonzero(sizes >= max(sizes.max() - _NEGLIGIBLE, -1e300))
    if not len(kept):
        return low, low  # negligible everywhere
    first, last = max(kept[0] - 1, 0), min(kept[-1] + 1, len(places) - 1)
    return int(places[first]), int(places[last])


def _edges(begin: int, end: int) -> list[float]:
    """Return the borders of the panels: each twice as far from the nearer end as the one before."""
    middle, reach = (begin + end) / 2, float(_EXACT)
    left, right = [], []
    while begin + reach < middle:
        left.append(begin + reach)
        right.append(end - reach)
        reach *= 2
    return [*left, middle, *reversed(right)]
