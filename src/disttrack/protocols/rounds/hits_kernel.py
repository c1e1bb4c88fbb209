"""The sums of `hits` for one line, signal by signal: plain functions on arrays, which are fast only if compiled."""

from __future__ import annotations

from math import exp, floor, log, log1p
from typing import Any

ROUNDING = 2e-9
"""More than the relative error of these numbers."""


def add_up(
    side: int, alpha: float, offset: float, p: float, first: int, last: int, least: float, logs: Any,
    items: Any, exact: Any, exact_of_more: Any, fewer: Any, fewer_of_more: Any, times: Any, hits: Any, met: Any,
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
    items, exact, exact_of_more
        By the signals from a point to another: the fewest items between them, and the probabilities of exactly this
        number of signals in these items and in one more.
    fewer, fewer_of_more
        The probabilities that a round has failed at its last signal but one if it was at a point: 1 where the output is
        too low, and that of fewer signals than from that point to the last but one where it is too high.
    times, hits
        Scratch space with a number per signal: the points of the line, in items, and the probabilities that each is the
        first one met.
    met
        Zeros, one for each number of signals. Not valid if False is returned: one of the times is a whole number within
        rounding, or there are more items than `logs` has.
    """
    begin = fill_times(side, offset, 1 / (p * (1 - side * alpha)), last, len(logs), times)
    if begin < 0:
        return False
    begin = fill_chances(p, begin, first, last, least, logs, times, hits)
    for j in range(begin, last):
        hit, time = hits[j], times[j]
        later, ends = hits[j:last], times[j:last]
        for apart in range(max(0, first - 1 - j), last - j):
            more = ends[apart] - time > items[apart]
            met[j + apart + 1 - first] += hit * (fewer_of_more[apart] if more else fewer[apart])
        if side < 0 and j >= first - 1:
            met[j + 1 - first] += at_least(p, time, j, logs)
        for apart in range(1, last - j):
            few, many = exact[apart], exact_of_more[apart]  # both are read, so that the loop takes several at once
            later[apart] -= hit * (many if ends[apart] - time > items[apart] else few)
    return True


def fill_times(side: int, offset: float, apart: float, last: int, most: int, times: Any) -> int:
    """Fill in the points of a line, in items; return the first with enough items for its signals, -1 if not valid."""
    begin = 0 if side > 0 else min(int(offset) + 1, last)
    largest = floor((last - 1 + side * offset) * apart)
    limit = 0.5 - ROUNDING * (1 + 1e-6 * largest)
    if largest + 2 > most:
        return -1
    for j in range(begin, last):
        time = (j + side * offset) * apart
        whole = floor(time)
        if abs(time - whole - 0.5) > limit:
            return -1
        times[j] = whole + (1 if side > 0 else 0)
    while begin < last and times[begin] < begin:
        begin += 1
    return begin


def fill_chances(p: float, low: int, first: int, last: int, least: float, logs: Any, times: Any, hits: Any) -> int:
    """Fill in the probabilities that points are met; return the first point that counts."""
    begin, left = low, 0.0
    for j in range(low, last):
        hits[j] = chance(p, times[j], j, logs)
        left += hits[j]
        if left < least and j < first - 1:
            begin = j + 1
    return begin


def chance(p: float, items: int, signals: int, logs: Any) -> float:
    """Return the probability of exactly this number of signals."""
    ways: float = logs[items] - logs[signals] - logs[items - signals]
    return exp(ways + signals * log(p) + (items - signals) * log1p(-p))


def at_least(p: float, items: int, signals: int, logs: Any) -> float:
    """Return the probability of at least this number of signals, which is more than their mean."""
    term = chance(p, items, signals, logs)
    total, odds = term, p / (1 - p)
    while signals < items and term > 1e-17 * total:
        term *= odds * (items - signals) / (signals + 1)
        signals += 1
        total += term
    return total
