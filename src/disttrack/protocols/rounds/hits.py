"""Close bounds of a round's failure probability, computed line by line without a step for each signal.

A walk that fails is at a point (late(j), j) of the lower line, or has j signals or more at early(j). The probabilities
u that each point is the first at which the walk is solve a triangular system: the probability of being at y is u(y),
plus u(x) times that of going from x to y, for each earlier point x of the same line. The items between two points
depend on the signals between them up to one item, so two tables per p fill the matrix. A process that asks for many
bounds computes the same by the compiled functions below.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import count
from math import exp, expm1, floor, log, log1p
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from disttrack.mechanisms.compiler import available, compiled, is_kept
from disttrack.protocols.rounds.walk import Floats, Walk, by_distance, log_chance, size_for

ROUNDING = 2e-9
"""More than the relative error of these numbers."""
ROWS = 5
ITEMS, EXACT, EXACT_OF_MORE, FEWER, FEWER_OF_MORE = range(ROWS)
"""Tables of a line, by the signals from a point to another: the fewest items between them, and the probabilities of
exactly this number of signals, and of fewer, in these items and in one more. Where the output is too low, 1 stands for
the probabilities of fewer: the round has failed."""


def add_up(
    side: int, alpha: float, offset: float, p: float, first: int, last: int, least: float, logs: Floats, tables: Floats,
    times: Floats, hits: Floats, met: Floats,
) -> bool:  # fmt: skip
    """Write into `met` the probability, less at most `least`, that rounds of `first` to `last` signals meet a line.

    Parameters
    ----------
    side
        1: the output is too low; -1: too high.
    alpha, offset, p
        The walk; p is between 0 and 1.
    logs
        ln n! for n = 0, 1, …
    tables
        Those of this line, for `last` signals or more; they are filled if they are zeros.
    times, hits
        Scratch space with a number per signal: the points of the line, in items, and the probabilities that each is the
        first one met.
    met
        Zeros, one for each number of signals. Not valid if False is returned: one of the times is a whole number within
        rounding, or there are more items than `logs` has.
    """
    step = 1 / (p * (1 - side * alpha))
    begin = fill_times(side, offset, step, last, len(logs), times)
    if begin < 0 or len(tables[0]) * step + 2 > len(logs):
        return False
    if not tables[EXACT, 0]:
        fill_tables(side, p, step, logs, tables)
    begin = fill_chances(p, begin, first, last, least, logs, times, hits)
    items, exact, exact_of_more = tables[ITEMS], tables[EXACT], tables[EXACT_OF_MORE]
    for j in range(begin, last):
        hit, time = hits[j], times[j]
        later, ends = hits[j:last], times[j:last]
        for apart in range(max(0, first - 1 - j), last - j):
            more = ends[apart] - time > items[apart]
            met[j + apart + 1 - first] += hit * tables[FEWER_OF_MORE if more else FEWER, apart]
        if side < 0 and j >= first - 1:
            met[j + 1 - first] += at_least(p, int(time), j, logs)
        for apart in range(1, last - j):
            few, many = exact[apart], exact_of_more[apart]  # both are read, so that the loop takes several at once
            later[apart] -= hit * (many if ends[apart] - time > items[apart] else few)
    return True


def fill_tables(side: int, p: float, step: float, logs: Floats, tables: Floats) -> None:
    """Fill the tables of a line with this number of items per signal."""
    items, below, fewer = 0, 1.0, 1.0  # the probabilities of one signal less than `signals`, and of fewer
    tables[FEWER, 0] = tables[FEWER_OF_MORE, 0] = 1.0 if side > 0 else 0.0
    tables[EXACT, 0] = 1.0
    for signals in range(1, len(tables[0])):
        until = int(signals * step)
        while items < until and side < 0:  # an item more takes away p times the probability of one signal less
            fewer -= p * below
            items += 1
            below *= (1 - p) * items / (items - signals + 1)
        exact = chance(p, until, signals, logs)
        tables[ITEMS, signals], tables[EXACT, signals] = until, exact
        tables[EXACT_OF_MORE, signals] = exact * (1 - p) * (until + 1) / (until + 1 - signals)
        tables[FEWER, signals], tables[FEWER_OF_MORE, signals] = fewer, fewer - p * below if side < 0 else fewer
        if side < 0:
            below = exact
            fewer += exact


def fill_times(side: int, offset: float, step: float, last: int, most: int, times: Floats) -> int:
    """Fill in the points of a line, in items; return the first with enough items for its signals, -1 if not valid."""
    begin = 0 if side > 0 else min(int(offset) + 1, last)
    largest = floor((last - 1 + side * offset) * step)
    limit = 0.5 - ROUNDING * (1 + 1e-6 * largest)
    if largest + 2 > most:
        return -1
    for j in range(begin, last):
        time = (j + side * offset) * step
        whole = floor(time)
        if abs(time - whole - 0.5) > limit:
            return -1
        times[j] = whole + (1 if side > 0 else 0)
    while begin < last and times[begin] < begin:
        begin += 1
    return begin


def fill_chances(
    p: float, low: int, first: int, last: int, least: float, logs: Floats, times: Floats, hits: Floats
) -> int:
    """Fill in the probabilities that points are met; return the first point that counts."""
    begin, left = low, 0.0
    for j in range(low, last):
        hits[j] = chance(p, int(times[j]), j, logs)
        left += hits[j]
        if left < least and j < first - 1:
            begin = j + 1
    return begin


def chance(p: float, items: int, signals: int, logs: Floats) -> float:
    """Return the probability of exactly this number of signals."""
    ways: float = logs[items] - logs[signals] - logs[items - signals]
    return exp(ways + signals * log(p) + (items - signals) * log1p(-p))


def at_least(p: float, items: int, signals: int, logs: Floats) -> float:
    """Return the probability of at least this number of signals, which is more than their mean."""
    term = chance(p, items, signals, logs)
    total, odds = term, p / (1 - p)
    while signals < items and term > 1e-17 * total:
        term *= odds * (items - signals) / (signals + 1)
        signals += 1
        total += term
    return total


LARGEST: Final = 1536
"""Signals up to which the matrix is small."""
_TABULATED: Final = 2**17
"""Items below which ln n! is tabulated."""
_BLOCK: Final = 64
"""Points that are solved for together."""
_NEGLIGIBLE: Final = 1e-5
"""Part of the failure probability that may be left out."""
_PAYS: Final = 2000
"""Bounds that take longer by arrays than to compile or load these functions."""
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
    """Return the tables of a line, which the compiled functions fill."""
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
