"""The extremes of many changes of an output in one pass: a plain function on arrays, written to be compiled.

`IntervalJudge.change_many` takes some forty calls of numpy for the same, which is most of the time of a short game.
"""

from __future__ import annotations

from typing import Any, Final

VALUE, QUOTIENT, LOW, HIGH, LOW_BORDER, HIGH_BORDER, LOW_AT, HIGH_AT, STOOD, JUDGING = range(10)
"""Of the judge: the present output, and it over the items at its first step; the extremes of such quotients, and those
that may fail; the rows of `log` at which the extremes were reached, -1 for none of them; whether the output has held at
the end of any step."""
EXACT: Final = 2.0**53
"""Limit of whole numbers that are exact as floats."""


def extremes(log: Any, first: int, last: int, offset: int, numerator: int, denominator: int, state: Any) -> bool:
    """Judge changes without skipped steps, as `IntervalJudge.change_many` does.

    Parameters
    ----------
    log
        A row per change: its step, and the output from it on, to be multiplied by the fraction.
    first, last
        The first of the rows, and the one after the last.
    offset
        The items of a step, less its number.
    state
        What the judge knows, by the places above; it is brought up to date.

    Returns
    -------
    judged
        False if a step may fail, or an output is none that is exact as a float: `state` is not valid then.
    """
    value, quotient, low, high = state[VALUE], state[QUOTIENT], state[LOW], state[HIGH]
    low_at, high_at, stood = -1, -1, state[STOOD] != 0
    for place in range(first, last):
        items, output = log[place, 0] + offset, log[place, 1]
        if not 0 <= output * numerator < EXACT:
            return False
        now = output * numerator / denominator
        if now == value:
            return False
        if stood:
            before = value / (items - 1) if items > 1 else quotient
            if before < state[LOW_BORDER] or quotient > state[HIGH_BORDER]:
                return False
            if before < low:
                low, low_at = before, place
        stood = True
        value, quotient = now, now / items
        if quotient > high:
            high, high_at = quotient, place
    state[VALUE], state[QUOTIENT], state[LOW], state[HIGH] = value, quotient, low, high
    state[LOW_AT], state[HIGH_AT] = low_at, high_at
    return True


def nearest_truth(output: Any, least: Any, most: Any) -> Any:
    """Return the number of items, from the least to the most, to which an output has the least relative error.

    Examples
    --------
    >>> nearest_truth(7, 5, 10), nearest_truth(3, 5, 10), nearest_truth(12, 5, 10), nearest_truth(-1, 5, 10)
    (7, 5, 10, 10)
    """
    if least <= output < most:
        return output
    return least if 0 <= output < least else most
