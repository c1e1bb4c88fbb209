"""A root of a function of one variable, without scipy's optimize, whose import takes longer than most searches."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

_STEPS: Final = 100


def root(
    function: Callable[[float], float], low: float, high: float, relative: float = 8.9e-16, absolute: float = 2e-12
) -> float:
    """Return x between `low` and `high` with function(x) = 0, digit for digit as brentq of scipy with these errors.

    Parameters
    ----------
    relative, absolute
        The errors of x that are allowed, which are added.

    Raises
    ------
    ValueError
        If the function has the same sign at `low` and `high`.

    Source
    ------
    Brent 1973, Algorithms for Minimization without Derivatives, chapter 4.
    """
    before, at, other = low, high, 0.0
    value_before, value, value_other = float(function(before)), float(function(at)), 0.0
    if not value_before:
        return before
    if not value:
        return at
    if (value_before > 0) == (value > 0):
        raise ValueError(f"the function has the same sign at {low!r} and {high!r}")
    last = step = 0.0
    for _ in range(_STEPS):
        if value_before and value and (value_before > 0) != (value > 0):
            other, value_other = before, value_before
            last = step = at - before
        if abs(value_other) < abs(value):
            before, at, other = at, other, at
            value_before, value, value_other = value, value_other, value
        close, half = (absolute + relative * abs(at)) / 2, (other - at) / 2
        if not value or abs(half) < close:
            return at
        tried = half
        if abs(last) > close and abs(value) < abs(value_before):
            if before == other:  # a secant
                tried = -value * (at - before) / (value - value_before)
            else:  # a parabola in the inverse
                to_before, to_other = (value_before - value) / (before - at), (value_other - value) / (other - at)
                slope = to_other * to_before * (value_other - value_before)
                tried = -value * (value_other * to_other - value_before * to_before) / slope if slope else inf
            good = 2 * abs(tried) < min(abs(last), 3 * abs(half) - close)
            last, step = (step, tried) if good else (half, half)
        else:
            last = step = half
        before, value_before = at, value
        at += step if abs(step) > close else (close if half > 0 else -close)
        value = float(function(at))
    return at
