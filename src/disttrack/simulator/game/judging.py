"""The extremes of many changes of an output in one pass: a plain function on arrays, written to be compiled.

`IntervalJudge.change_many` takes some forty calls of numpy for the same, which is most of the time of a short game.
"""

from __future__ import annotations

from math import ceil, floor
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
        A row per change: its step, the output from it on, to be multiplied by the fraction, and whether the output
        before is another one than in the row before, and need not be judged.
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
        items, output, jumped = log[place, 0] + offset, log[place, 1], log[place, 2] != 0
        if not 0 <= output * numerator < EXACT:
            return False
        now = output * numerator / denominator
        if now == value and not jumped:
            return False
        if stood and not jumped:
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


LEAST, MOST, MAX_LAG, FAILING, FIRST_FAILING, COMPARED, WARM_UP, ALPHA, LAGGING = range(9)
"""Of the judge with allowance for messages in transit: the extremes of the error, the longest window, the failing steps
and the first of them or -1, whether a step was compared; the steps that are not judged, and alpha or infinity."""
_SLACK: Final = 1e-12
"""Above the rounding of an error; nearer to a border the exact test decides."""
_ROUNDING: Final = 4e-15
"""Above the relative rounding of the number of items at which an error is alpha."""


def lags(log: Any, first: int, last: int, offset: int, numerator: int, denominator: int, state: Any) -> int:
    """Judge steps as `LagJudge.close` does, where none is skipped.

    Parameters
    ----------
    log
        A row for each change of the output or of the oldest open chain: the step, the output from it on, to be
        multiplied by the fraction, the step since when the chain is open, 0 for none, and the items before it.
    first, last
        The first row to be judged, up to the step before the next one, and the last row, which is not.
    offset
        The items of a step, less its number: those before the game.
    state
        What the judge knows, by the places above; it is brought up to date.

    Returns
    -------
    place
        `last`, or the first row whose steps it cannot judge: numbers are not exact as floats, or an error is too near
        to a border.
    """
    alpha = state[ALPHA]
    for place in range(first, last):
        begin, end = max(log[place, 0], state[WARM_UP] + 1), log[place + 1, 0] - 1
        if end < begin:
            continue
        output, oldest, before = log[place, 1] * numerator, log[place, 2], log[place, 3]
        fewest, items = begin + offset, end + offset
        if not 0 <= output < EXACT or items * denominator >= EXACT:
            return place
        highest = error_in(output, denominator * (before if oldest else fewest), denominator * fewest)
        lowest = error_in(output, denominator * (before if oldest else items), denominator * items)
        if is_unsure(highest, output, alpha) or is_unsure(lowest, output, alpha):
            return place
        length = items - fewest + 1
        head = too_high(output / denominator, fewest, length, alpha) if highest > alpha else 0
        tail = 0
        if -lowest > alpha:
            tail = length if oldest else too_low(output / denominator, items, length, alpha)
        if head < 0 or tail < 0:
            return place
        state[LEAST], state[MOST] = min(state[LEAST], highest, lowest), max(state[MOST], highest, lowest)
        if oldest:
            state[MAX_LAG] = max(state[MAX_LAG], end - oldest + 1)
        state[FAILING] += head + tail
        if head + tail > 0 and state[FIRST_FAILING] < 0:
            state[FIRST_FAILING] = begin if head else end - tail + 1
        if not oldest or before > offset or head + tail > 0:
            state[COMPARED] = 1.0
    return last


def error_in(output: Any, least: Any, most: Any) -> Any:
    """Return the signed relative error of an output to the nearest number from the least to the most."""
    truth = nearest_truth(output, least, most)
    return (output - truth) / truth if truth else 0.0  # only 0 has the nearest number 0


def is_unsure(error: Any, output: Any, alpha: Any) -> Any:
    """Return whether a computed error may be another in its last digit, or on the other side of alpha."""
    return (error != 0 and abs(abs(error) - alpha) <= _SLACK) or (error < -0.5 and output != floor(output))


def too_high(output: Any, fewest: Any, length: Any, alpha: Any) -> Any:
    """Return the steps of a number, from one with the fewest items on, with an error above alpha; -1 if unsure."""
    border = output / (1 + alpha)
    return -1 if is_near(border, alpha) else min(ceil(border) - fewest, length)


def too_low(output: Any, most: Any, length: Any, alpha: Any) -> Any:
    """Return the steps of a number, up to one with the most items, with an error below -alpha; -1 if unsure."""
    border = output / (1 - alpha) if alpha < 1 else most
    return -1 if is_near(border, alpha) else min(most - floor(border), length)


def is_near(border: Any, alpha: Any) -> Any:
    """Return whether a computed number of items may be on the other side of a whole one."""
    return alpha != 0 and abs(border - floor(border + 0.5)) <= _ROUNDING * border


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
