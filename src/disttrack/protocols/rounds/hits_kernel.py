"""The sums of `hits` signal by signal, as plain functions on arrays, which are fast only if compiled.

All functions write to `work`, whose rows have a number per signal, or per number of signals between two points of a
line: see the names of the rows.
"""

from __future__ import annotations

from math import exp, floor, log, log1p
from typing import Any

ROUNDING = 2e-9
"""More than the relative error of these numbers."""
ROWS = 7
TIMES, HITS, ITEMS, EXACT, EXACT_OF_MORE, FEWER, FEWER_OF_MORE = range(ROWS)
"""The points of a line, in items, and the probabilities that each is the first one met. By the number of signals
between two points: the fewest items between them, and the probabilities of exactly that number of signals, and of
fewer, in these items and in one more."""


def both_lines(
    alpha: float, offset: float, p: float, first: int, last: int, least: float, logs: Any, work: Any, met: Any
) -> bool:
    """Write the probabilities that the output is ever too low, and ever too high, into the two rows of `met`.

    Parameters
    ----------
    alpha, offset, p
        The walk; p is between 0 and 1.
    first, last
        Numbers of signals of the rounds: `met` has a column for each.
    least
        Part of each probability that may be left out.
    logs
        ln n! for n = 0, 1, …
    work
        Scratch space.
    met
        The result; not valid if False is returned, since there are more items than `logs` has, or one of the times is a
        whole number within rounding.
    """
    low, begin = min(int(offset) + 1, last), 0
    apart = 1 / (p * (1 - alpha))
    if not fill_times(offset, apart, 0, last, len(logs), work):
        return False
    for j in range(last):
        work[TIMES, j] += 1
    begin = fill_chances(p, 0, first, last, least, logs, work)
    fill_exact(p, apart, last - begin, logs, work)
    add_up(begin, first, last, work, met)
    for j in range(last - first + 1):
        met[1, j] = 0.0
    apart = 1 / (p * (1 + alpha))
    if apart <= 1 or low == last:
        return True
    if not fill_times(-offset, apart, low, last, len(logs), work):
        return False
    while low < last and work[TIMES, low] < low:  # fewer items than signals
        low += 1
    begin = fill_chances(p, low, first, last, least, logs, work)
    fill_exact(p, apart, last - begin, logs, work)
    fill_fewer(p, apart, last - begin, logs, work)
    for j in range(begin, last):
        if j >= first - 1:
            met[1, j - first + 1] = at_least(p, int(work[TIMES, j]), j, logs) + from_earlier(begin, j, FEWER, work)
        work[HITS, j] -= from_earlier(begin, j, EXACT, work)
    return True


def fill_times(offset: float, apart: float, low: int, last: int, most: int, work: Any) -> bool:
    """Fill TIMES with the times of a line, rounded down; return whether all are valid."""
    largest = floor((last - 1 + offset) * apart)
    limit = 0.5 - ROUNDING * (1 + 1e-6 * largest)
    for j in range(low, last):
        time = (j + offset) * apart
        whole = floor(time)
        if abs(time - whole - 0.5) > limit:
            return False
        work[TIMES, j] = whole
    return largest + 2 < most and floor(last * apart) + 2 < most


def fill_chances(p: float, low: int, first: int, last: int, least: float, logs: Any, work: Any) -> int:
    """Fill HITS with the probabilities that points are met; return the first point that counts."""
    begin, left = low, 0.0
    for j in range(low, last):
        work[HITS, j] = chance(p, int(work[TIMES, j]), j, logs)
        left += work[HITS, j]
        if left < least and j < first - 1:
            begin = j + 1
    return begin


def fill_exact(p: float, apart: float, count: int, logs: Any, work: Any) -> None:
    """Fill ITEMS, EXACT and EXACT_OF_MORE."""
    for signals in range(1, count):
        items = int(signals * apart)
        work[ITEMS, signals] = items
        work[EXACT, signals] = chance(p, items, signals, logs)
        work[EXACT_OF_MORE, signals] = work[EXACT, signals] * (1 - p) * (items + 1) / (items + 1 - signals)


def fill_fewer(p: float, apart: float, count: int, logs: Any, work: Any) -> None:
    """Fill FEWER and FEWER_OF_MORE: an item more takes away p times the probability of one signal fewer."""
    items = int(apart)
    exact = exp(items * log1p(-p))  # of one signal fewer than `signals`
    fewer = exact
    for signals in range(1, count):
        while items < work[ITEMS, signals]:
            fewer -= p * exact
            items += 1
            exact *= (1 - p) * items / (items - signals + 1)
        work[FEWER, signals] = fewer
        work[FEWER_OF_MORE, signals] = fewer - p * exact
        exact = work[EXACT, signals]
        fewer += exact


def add_up(begin: int, first: int, last: int, work: Any, met: Any) -> None:
    """Turn HITS into the probabilities that points are the first ones met, and add them up."""
    total = 0.0
    for j in range(begin, last):
        work[HITS, j] -= from_earlier(begin, j, EXACT, work)
        total += work[HITS, j]
        if j >= first - 1:
            met[0, j - first + 1] = total


def from_earlier(begin: int, end: int, row: int, work: Any) -> Any:
    """Return the sum over the points before `end` of HITS times the probability in a row, or in the one after it."""
    total, time = 0.0, work[TIMES, end]
    for point in range(begin, end):
        more = time - work[TIMES, point] > work[ITEMS, end - point]
        total += work[HITS, point] * (work[row + 1, end - point] if more else work[row, end - point])
    return total


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
