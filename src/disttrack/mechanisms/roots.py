"""Root and minimum of a function of one variable, without scipy's optimize, whose import takes longer than searches."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from typing import Final

_STEPS: Final = 100
_GOLDEN: Final = (3 - sqrt(5)) / 2


def root(
    function: Callable[[float], float], low: float, high: float, relative: float = 8.9e-16, absolute: float = 2e-12
) -> float:
    """Return x between `low` and `high` with function(x) = 0, as `scipy.optimize.brentq` does, digit for digit.

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


def minimum(function: Callable[[float], float], low: float, high: float, absolute: float = 1e-5) -> tuple[float, float]:
    """Return x between `low` and `high` where a function with one minimum is least, and its value there.

    It is that of `scipy.optimize.minimize_scalar` with bounds, digit for digit.

    Parameters
    ----------
    absolute
        The error of x that is allowed.

    Source
    ------
    Brent 1973, Algorithms for Minimization without Derivatives, chapter 5.
    """
    best = second = third = low + _GOLDEN * (high - low)
    least = value_second = value_third = function(best)
    last = step = 0.0
    for _ in range(_STEPS):
        middle, close = (low + high) / 2, sqrt(2.2e-16) * abs(best) + absolute / 3
        if abs(best - middle) <= 2 * close - (high - low) / 2:
            break
        fits = False
        if abs(last) > close:  # a parabola through the three best points
            to_third, to_second = (best - second) * (least - value_third), (best - third) * (least - value_second)
            above = (best - third) * to_second - (best - second) * to_third
            below = 2 * (to_second - to_third)
            above, below = (-above if below > 0 else above), abs(below)
            fits = abs(above) < abs(below * last / 2) and below * (low - best) < above < below * (high - best)
            last = step
        if fits:
            step = above / below
            if best + step - low < 2 * close or high - (best + step) < 2 * close:
                step = close if middle >= best else -close
        else:  # golden section
            last = (low if best >= middle else high) - best
            step = _GOLDEN * last
        at = best + (max(step, close) if step >= 0 else min(step, -close))
        value = function(at)
        if value <= least:
            low, high = (best, high) if at >= best else (low, best)
            third, second, best = second, best, at
            value_third, value_second, least = value_second, least, value
        else:
            low, high = (at, high) if at < best else (low, at)
            if value <= value_second or second == best:
                third, second = second, at
                value_third, value_second = value_second, value
            elif value <= value_third or third in (best, second):
                third, value_third = at, value
    return best, least
