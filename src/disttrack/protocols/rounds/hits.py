"""Close bounds of a round's failure probability, computed line by line without a step for each signal.

A walk that fails is at a point (late(j), j) of the lower line, or has j signals or more at early(j). The probabilities
u that each point is the first at which the walk is solve a triangular system: the probability of being at y is u(y),
plus u(x) times that of going from x to y, for each earlier point x of the same line. The items between two points
depend on the signals between them up to one item, so two tables per p fill the matrix. A process that asks for many
bounds computes the same by the compiled functions of `hits_kernel`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import count
from math import exp, expm1, log, log1p
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from disttrack.mechanisms.compiler import available, compiled, is_kept
from disttrack.protocols.rounds.hits_kernel import ROUNDING, ROWS, add_up
from disttrack.protocols.rounds.passages import by_distance, log_chance, size_for
from disttrack.protocols.rounds.walk import Floats, Walk

LARGEST: Final = 1000
"""Signals up to which the matrix is small."""
_TABULATED: Final = 2**17
"""Items below which ln n! is tabulated."""
_BLOCK: Final = 64
"""Points that are solved for together."""
_NEGLIGIBLE: Final = 1e-5
"""Part of the failure probability that may be left out."""
_PAYS: Final = 2000
"""Bounds that take longer by arrays than to compile or load the functions of `hits_kernel`."""
_asked = count()

Whole = npt.NDArray[np.int64]


class Bounds(NamedTuple):
    """Failure probabilities of rounds of consecutive numbers of signals: between `below` and `above`."""

    below: Floats
    above: Floats


class _Steps(NamedTuple):
    """Matrices whose entry i, j belongs to the points i - j apart: their items or one more, and a chance for both."""

    items: Whole
    chance: Floats
    chance_of_more: Floats

    def between(self, ends: Whole, points: Whole, apart: int) -> Floats:
        """Return the chance from each point to each end; the first end is `apart` points after the first point."""
        part = slice(apart, apart + len(ends)), slice(len(points))
        more = ends[:, None] - points > self.items[part]
        return np.where(more, self.chance_of_more[part], self.chance[part])


def bounds_of(walk: Walk, first: int, last: int, about: float) -> Bounds | None:
    """Return bounds of the failure probabilities of rounds of `first` to `last` signals, close where they are `about`.

    The probabilities of the two lines are added, less at most that of both. A walk that has met one line meets the
    other from beyond the middle, where it is twice as far away as at the start. So both are met with at most the
    probability of one, times that of the other at twice the offset, added for the two orders; Doob's inequality bounds
    the second factor. None if the numbers are too large.
    """
    if last > LARGEST:
        return None
    least = _NEGLIGIBLE * about
    met = lines_compiled(walk, first, last, least) if next(_asked) >= _PAYS or _at_hand() else None
    low, high = met or lines_by_arrays(walk, first, last, least)
    if low is None or high is None:
        return None
    either, both = low + high, float(low[-1]) * _up_again(walk, last) + float(high[-1]) * _down_again(walk, last)
    return Bounds(either * (1 - ROUNDING) - both, either * (1 + ROUNDING) + 2 * least)


def lines_by_arrays(walk: Walk, first: int, last: int, least: float) -> tuple[Floats | None, Floats | None]:
    """Return the probabilities that the output is ever too low, and ever too high, less at most `least`.

    There is one for each number of signals from `first` to `last`. None if the numbers are too large.
    """
    return _too_low(walk, first, last, least), _too_high(walk, first, last, least)


def lines_compiled(walk: Walk, first: int, last: int, least: float) -> tuple[Floats, Floats] | None:
    """Return the same by compiled functions; None also without numba, or if there are very many items."""
    kernel = _kernel()
    if kernel is None:
        return None
    logs, met = _log_factorials(), np.zeros((2, last - first + 1))
    times, hits = np.empty((2, last))
    for side, row in zip((1, -1), met, strict=True):
        if walk.p * (1 - side * walk.alpha) >= 1:
            continue  # every item may be signalled
        tables = _tables(walk.p, walk.alpha, side, size_for(last))
        if not kernel(side, *walk, first, last, least, logs, tables, times, hits, row):
            return None
    return met[0], met[1]


@lru_cache(maxsize=1024)
def _tables(p: float, alpha: float, side: int, size: int) -> Floats:
    """Return the tables of a line for `hits_kernel`, which fills them."""
    return np.zeros((ROWS, size))


def _at_hand() -> bool:
    """Return whether the compiled functions need not be waited for."""
    return "numba" in sys.modules and _are_kept()


@cache
def _are_kept() -> bool:
    return is_kept(add_up)


@cache
def _kernel() -> Callable[..., bool] | None:
    try:
        return compiled(add_up, _of_line) if available() else None
    except ImportError:  # this numba does not take this numpy
        return None


def _of_line(numba: Any) -> Any:
    whole, real = numba.int64, numba.float64
    row = real[::1]
    return whole, real, real, real, whole, whole, real, row, real[:, ::1], row, row, row


def _too_low(walk: Walk, first: int, last: int, least: float) -> Floats | None:
    """Return the probability that the output is ever too low, less at most `least`, for each number of signals."""
    per, numbers = walk.p * (1 - walk.alpha), np.arange(last)
    times = _whole((numbers + walk.offset) / per)
    if times is None:
        return None
    times += 1
    met = _chance(walk.p, times, numbers)
    begin = min(int(met.cumsum().searchsorted(least)), first - 1)
    hits = _first_hits(times[begin:], met[begin:], walk.p, 1 / per)
    return hits.cumsum()[first - 1 - begin :]


def _too_high(walk: Walk, first: int, last: int, least: float) -> Floats | None:
    """Return the probability that it is ever too high, less at most `least`, for each number of signals.

    With m the last signal that counts, it is too high if m have come by early(m). If fewer have come by then, the walk
    has come back at some point (early(i), i), i < m.
    """
    high, per = np.zeros(last - first + 1), walk.p * (1 + walk.alpha)
    numbers = np.arange(min(int(walk.offset) + 1, last), last)
    if per >= 1 or not len(numbers):
        return high
    times = _whole((numbers - walk.offset) / per)
    if times is None:
        return None
    early = int((times - numbers).searchsorted(0))  # before it there are fewer items than signals
    numbers, times = numbers[early:], times[early:]
    if not len(numbers):
        return high
    met, end = _chance(walk.p, times, numbers), max(0, first - 1 - int(numbers[0]))
    begin = min(int(met.cumsum().searchsorted(least)), end)
    ends, before = times[end:], times[begin:-1]
    meets = _at_least(walk.p, ends, numbers[end:])
    if len(before):
        hits = _first_hits(before, met[begin:-1], walk.p, 1 / per)
        meets += _fewer(walk.p, 1 / per, size_for(len(before) + 1)).between(ends, before, end - begin) @ hits
    high[len(high) - len(ends) :] = meets
    return high


def _whole(times: npt.NDArray[Any]) -> Whole | None:
    """Return the times rounded down, or None if one is a whole number within rounding."""
    whole = np.floor(times)
    if np.abs(times - whole - 0.5).max() > 0.5 - ROUNDING * (1 + 1e-6 * whole[-1]):
        return None
    rounded: Whole = whole.astype(np.int64)
    return rounded


def _first_hits(times: Whole, met: Floats, p: float, apart: float) -> Floats:
    """Return the probability that each point of a line is the first one met, from the probability that it is met."""
    from scipy.linalg.blas import dtrsv

    steps, hits = _exactly(p, apart, size_for(len(times))), met.copy()
    for begin in range(0, len(times), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        going = steps.between(times[block], times[: begin + _BLOCK], begin)
        hits[block] -= going[:, :begin] @ hits[:begin]
        hits[block] = dtrsv(going[:, begin:].T, hits[block], lower=0, trans=1, diag=1)
    return hits


# ---------------------------------------------------------------------- tables


@lru_cache(maxsize=1024)
def _exactly(p: float, apart: float, size: int) -> _Steps:
    """Return the steps of a line with `apart` items per signal, with the probability of exactly d signals."""
    number = np.arange(size)
    items = np.floor(number * apart).astype(np.int64)
    chance, more = _chance(p, np.concatenate((items, items + 1)), np.concatenate((number, number))).reshape(2, size)
    return _Steps(by_distance(items), by_distance(chance), by_distance(more))


@lru_cache(maxsize=1024)
def _fewer(p: float, apart: float, size: int) -> _Steps:
    """Return the same with the probability of fewer than d signals."""
    number = np.arange(1, size)
    items = np.floor(number * apart).astype(np.int64)
    tables = items, 1 - _at_least(p, items, number), 1 - _at_least(p, items + 1, number)
    return _Steps(*(by_distance(np.concatenate(([0], table))) for table in tables))


@lru_cache(maxsize=1)
def _log_factorials() -> Floats:
    """Return ln n! for n = 0, 1, …"""
    from scipy.special import gammaln

    logs: Floats = gammaln(np.arange(1.0, _TABULATED))
    return logs


def _chance(p: float, items: Whole, number: Whole) -> Floats:
    """Return the probability of exactly `number` signals in `items` items, which are not fewer."""
    if items[-1] >= _TABULATED - 1:
        return np.exp(log_chance(p, number, items * p))
    logs, silent, log_silent = _log_factorials(), items - number, log1p(-p)
    ways = logs.take(items) - logs.take(number) - logs.take(silent)
    chance: Floats = np.exp(ways + number * log(p) + silent * log_silent)
    return chance


def _at_least(p: float, items: Whole, number: Whole) -> Floats:
    """Return the probability of at least `number` signals, which is above 0, in `items` items."""
    from scipy.special import betainc

    chance: Floats = betainc(number, items - number + 1, p)
    return chance


# ---------------------------------------------------------------------- walks that meet both lines


def _up_again(walk: Walk, signals: int) -> float:
    """Return a bound of the probability that this many signals meet the upper line, moved to twice the offset."""
    offset, slope = 2 * walk.offset, 1 + walk.alpha
    time = (signals - offset) / slope
    if time <= 0:
        return 0.0
    power = log(signals / time)
    return exp(time * max(0.0, expm1(power) - power * slope) - power * offset)


def _down_again(walk: Walk, signals: int) -> float:
    """Return the bound of `_up_again` for the lower line."""
    offset, slope = 2 * walk.offset, 1 - walk.alpha
    time = (signals + offset) / slope + walk.p
    power = log(time / signals)
    return exp(time * max(0.0, power * slope + expm1(-power)) - power * offset)
