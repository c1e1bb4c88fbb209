"""Outputs as numbers: an output may be a whole number, a float, a fraction, or no number at all."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, nan
from numbers import Real
from typing import Any, Final

import numpy as np

from disttrack.protocols.base import Exactly, Number

NO_NUMBER: Final = nan
"""Replaces every output that is no number. A single object, so that it is recognised although it equals nothing."""


def measured(output: Any) -> tuple[Number, int | float]:
    """Return an output as an exact value to be judged, and as a plain number.

    An output that is no number becomes `NO_NUMBER`, and infinities stay: both are infinitely wrong at every step.

    Examples
    --------
    >>> measured(Exactly(21, 20)), measured("seven"), measured(np.float32(0.5))
    ((Exactly(numerator=21, denominator=20), 1.05), (nan, nan), (0.5, 0.5))
    """
    kind = type(output)
    if kind is float and output - output == 0:  # neither NaN nor infinite
        return output, output
    if kind is Exactly:
        numerator, denominator = output
        if type(numerator) is int and type(denominator) is int and denominator:
            try:
                return output, numerator / denominator
            except OverflowError:
                pass
        output = _fraction(output)
    elif isinstance(output, int | np.integer):
        output = int(output)
        return (output, output) if isfinite(as_float(output)) else (as_float(output), as_float(output))
    elif not isinstance(output, Real | Decimal):
        output = NO_NUMBER
    elif isinstance(output, np.generic):
        output = float(output)
    value = as_float(output)
    return (output, value) if isfinite(value) else (value, value)


def _fraction(output: Exactly) -> Any:
    """Return a fraction of whole numbers; `NO_NUMBER` if it is none."""
    numerator, denominator = output
    if not all(isinstance(part, int | np.integer) for part in output) or not denominator:
        return NO_NUMBER
    return Exactly(int(numerator), int(denominator))


def as_float(output: Any) -> float:
    """Return a number as a float, infinite if it is too large."""
    try:
        value = float(output)
    except OverflowError:
        return inf if exact(output) > 0 else -inf
    return value if value == value else NO_NUMBER


def exact(output: Number) -> Fraction:
    """Return a finite output as an exact fraction."""
    return Fraction(*output) if isinstance(output, tuple) else Fraction(output)


def exact_parts(output: Number) -> tuple[int, int]:
    """Return numerator and denominator of a finite output, the latter above 0."""
    if type(output) is Exactly:
        numerator, denominator = output
        return (numerator, denominator) if denominator > 0 else (-numerator, -denominator)
    return output.as_integer_ratio()  # type: ignore[union-attr]


def relative_error(output: Number, items: int) -> float:
    """Return the signed relative error, infinite for an output that is no finite number."""
    value = as_float(output)
    if not isfinite(value):
        return -inf if value == -inf else inf
    if not items:
        return value * inf if value else 0.0
    numerator, denominator = exact_parts(output)
    away = numerator - items * denominator
    try:
        return away / (items * denominator)  # Python divides whole numbers of any size to the nearest float
    except OverflowError:
        return inf if away > 0 else -inf


def distance(output: object, truth: float) -> float:
    """Return the distance of an output from the truth, infinite for an output that is no finite number."""
    away = abs((output if type(output) is float else measured(output)[1]) - truth)
    return away if away < inf else inf


def plain(output: object, numerator: int, denominator: int) -> Any:
    """Return one of many outputs, each to be multiplied by the same fraction, as a single output."""
    number = output.item() if isinstance(output, np.generic) else output
    if numerator == denominator == 1 or not isinstance(number, int | float) or not isfinite(number):
        return number
    return Exactly(int(number) * numerator, denominator)


def scaled(outputs: Any, numerator: int, denominator: int) -> Any:
    """Return whole numbers, none of them negative, times a fraction: the nearest floats.

    A product of more than 53 bits is kept as the sum of two floats, and so is what the quotient leaves of it.
    """
    most = int(outputs.max())
    if max(most, numerator, denominator) >= 2**53:
        return (outputs.astype(object) * numerator / denominator).astype(float)
    numbers = outputs.astype(float)
    products = numbers * numerator
    quotients = products / denominator
    if most * numerator < 2**53:
        return quotients
    taken = quotients * denominator
    left = _lost(numbers, numerator, products) - _lost(quotients, denominator, taken)
    return quotients + ((products - taken) + left) / denominator


def _lost(one: Any, other: float, product: Any) -> Any:
    """Return what a product of floats lost in rounding, exactly.

    Source
    ------
    Dekker 1971, A floating-point technique for extending the available precision.
    """
    (high, low), (upper, lower) = _halves(one), _halves(float(other))
    return low * lower - (((product - high * upper) - low * upper) - high * lower)


def _halves(value: Any) -> tuple[Any, Any]:
    """Return a float as the sum of two floats of 26 bits."""
    moved = value * 134217729.0  # 2^27 + 1
    high = moved - (moved - value)
    return high, value - high


def reached(output: float | Exactly, level: int | Fraction) -> bool:
    """Return whether an output is at least a level, exactly; no number is at least any."""
    if isinstance(output, float) and not isfinite(output):
        return output > 0
    return exact(output) >= level
