"""The sums of `hits` for one line, signal by signal: plain functions on arrays, which are fast only if compiled."""

from __future__ import annotations

from math import exp, floor, log, log1p
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from disttrack.protocols.rounds.walk import Floats

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
