"""Binomial and hypergeometric numbers as pure functions of a key, a place and their parameters.

A generator in sequence gives another number to whoever asks later. Here each draw has a *place*, two whole numbers,
and takes its uniform numbers from a counter-based generator at this place, so it is the same whenever it is asked for.

The functions are plain Python on numbers and are compiled as they stand, with the same results bit by bit: they use
whole numbers below 2^63, and of real numbers only ``+ - * /``, `sqrt`, `frexp` and `ldexp` in one fixed order, which
IEEE 754 rounds in one way. Logarithms and exponentials are written out, since those of libraries differ in last digits.

Error
-----
For numbers below 2^61 the distribution of a draw is within 2^-45 of the exact one in total variation. Probabilities are
taken in Loader's form, in which all large terms cancel on paper: a sum of deviances a·D(d/a), all of one sign, of the
distances d from the means a. d is exact up to its own rounding, since the mean is computed as a whole number and a
fraction (`_mean`). So the logarithm of a probability has a relative error of some 2^-51, and it is below 2^6 wherever a
draw ends but with probability 2^-80. Sums of inversion add a rounding of 2^-53 for each of at most some 60 terms.

Source
------
Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011), Philox4x32-10. Loader, "Fast and
accurate computation of binomial probabilities" (2000). Stadlober, "The ratio of uniforms approach for generating
discrete random variates" (1990).
"""

from __future__ import annotations

from math import frexp, ldexp, sqrt
from typing import Any, Final

from disttrack.mechanisms.compiler import large

Number = Any
"""A whole number, of Python or compiled."""

MASK: Final = 0xFFFFFFFF
MULTIPLIERS: Final = 0xD2511F53, 0xCD9E8D57
STEPS: Final = 0x9E3779B9, 0xBB67AE85
ROUNDS: Final = 10

FEW: Final = 16
"""Largest number of items whose draws are inverted from a product of ratios, of which none exceeds 2^1000."""
FEW_OF_SMALL, SMALL_TOTAL = 48, 2**20
"""The same number where the total is small."""
SMALL: Final = 12.0
"""Largest mean of draws that are inverted."""
WIDTH: Final = 1.7155277699214135
"""2 sqrt(2/e), of the hat of ratios of uniforms."""
MARGIN: Final = 0.8989161620588988
"""3 - 2 sqrt(3/e)."""

LIMB: Final = 31
"""Bits of the parts in which numbers are multiplied, so that no product has more than 63."""
REST: Final = 2**31 - 1
LN2_HIGH: Final = float.fromhex("0x1.62e42fee00000p-1")
LN2_LOW: Final = float.fromhex("0x1.a39ef35793c76p-33")
TWO_PI: Final = 6.283185307179586

STIRLING: Final = (
    -0.57236494292470008707, 0.08106146679532725822, 0.04134069595540929409, 0.02767792568499833915,
    0.02079067210376509311, 0.01664469118982119216, 0.01387612882307074800, 0.01189670994589177010,
    0.01041126526197209650, 0.00925546218271273292, 0.00833056343336287126, 0.00757367548795184079,
    0.00694284010720952987, 0.00640899418800420707, 0.00595137011275884774, 0.00555473355196280137,
)  # fmt: skip
"""log n! - (n + 1/2) log n + n - log sqrt(2 pi) for n = 1 … 15; for n = 0 with n replaced by 1/2 in the product."""


def philox(key: Number, other_key: Number, first: Number, second: Number, third: Number, fourth: Number) -> Any:
    """Return four words of 32 bits: Philox4x32-10 of a counter of four words under a key of two."""
    for _ in range(ROUNDS):
        one, two = MULTIPLIERS[0] * first, MULTIPLIERS[1] * third
        first, second = ((two >> 32) & MASK) ^ second ^ key, two & MASK
        third, fourth = ((one >> 32) & MASK) ^ fourth ^ other_key, one & MASK
        key, other_key = (key + STEPS[0]) & MASK, (other_key + STEPS[1]) & MASK
    return first, second, third, fourth


def uniforms(key: Number, time: Number, node: Number, attempt: Number) -> Any:
    """Return two numbers above 0 and below 1, of 53 bits, at a place.

    Parameters
    ----------
    key
        A whole number below 2^62.
    time, node
        The place: whole numbers below 2^62 and 2^32.
    attempt
        Which pair of this place.
    """
    one, two, three, four = philox(key & MASK, key >> 32, time & MASK, time >> 32, node, attempt)
    first = ((one >> 5) * 67108864.0 + (two >> 6) + 0.5) / 9007199254740992.0
    second = ((three >> 5) * 67108864.0 + (four >> 6) + 0.5) / 9007199254740992.0
    return first, second


@large
def hypergeometric(key: Number, time: Number, node: Number, good: Number, bad: Number, drawn: Number) -> Any:
    """Return the number of good items among those drawn without replacement, at a place.

    Parameters
    ----------
    key, time, node
        As for `uniforms`.
    good, bad, drawn
        Whole numbers, good + bad below 2^61 and drawn at most good + bad.
    """
    key, time, node, good, bad, drawn = int(key), int(time), int(node), int(good), int(bad), int(drawn)
    if drawn == 0 or good == 0:
        return 0
    if bad == 0:
        return drawn
    total = good + bad
    if drawn == total:
        return good
    # symmetries leave draws of at most half of the items, and good ones of at most half
    small, few = min(good, bad), min(drawn, total - drawn)
    got = _inverted_or_tried(key, time, node, min(small, few), max(small, few), total)
    if few != drawn:
        got = small - got
    return got if small == good else drawn - got


def binomial(key: Number, time: Number, node: Number, n: Number, share: Number, whole: Number) -> Any:
    """Return the number of n items that go to a part, each with probability share/whole, at a place.

    Parameters
    ----------
    key, time, node
        As for `uniforms`.
    n, share, whole
        Whole numbers below 2^61, share at most whole.
    """
    key, time, node, n, share, whole = int(key), int(time), int(node), int(n), int(share), int(whole)
    if n == 0 or share == 0:
        return 0
    if share == whole:
        return n
    first = uniforms(key, time, node, 0)
    small = min(share, whole - share)
    quotient, fraction = _mean(n, small, whole)
    p = small / whole
    mean = quotient + fraction
    got = _tried(key, time, node, first, n, 0, 0, quotient, fraction, mean, n * ((whole - small) / whole), 0.0, 0.0, p)
    return got if small == share else n - got


def _inverted_or_tried(key: Number, time: Number, node: Number, few: Number, more: Number, total: Number) -> Any:
    """Return how many of `few` drawn items are among `more` of `total` ones; neither exceeds half of the total."""
    first = uniforms(key, time, node, 0)  # early, so that a processor does it beside the rest
    if few <= FEW or (few <= FEW_OF_SMALL and total <= SMALL_TOTAL):
        above, below, rest = 1.0, 1.0, total - more
        for place in range(few):
            above *= rest - place
            below *= total - place
        return _inverted(first[0], above / below, few, more, rest - few)
    quotient, fraction = _mean(few, more, total)
    share, left = more / total, (total - more) / total
    others = total - few
    return _tried(
        key, time, node, first, few, more, others - more, quotient, fraction,
        quotient + fraction, few * left, others * share, others * left, share * (others / (total - 1)),
    )  # fmt: skip


@large
def _tried(
    key: Number, time: Number, node: Number, first: Any, few: Number, more: Number, rest: Number, quotient: Number,
    fraction: float, mean: float, second: float, third: float, fourth: float, share: float,
) -> Any:  # fmt: skip
    """Return a draw by inversion where the mean is small, by ratios of uniforms otherwise.

    Parameters
    ----------
    first
        The first uniform numbers of the place.
    few, more, rest
        The draw x is hypergeometric, with cells of x, few - x, more - x and rest + x items. Binomial if `more` is 0,
        with cells of x and few - x.
    quotient, fraction
        The mean, in two parts.
    mean, second, third, fourth
        The means of the cells.
    share
        The variance is share · second.
    """
    if mean <= SMALL:
        height = _height(0, few, more, rest, quotient, fraction, mean, second, third, fourth)
        if more:
            total = more + rest + few
            spread = mean * ((total - more) / total) * ((total - few) / total)
            scale = stirling(more) + stirling(total - more) + stirling(few) + stirling(total - few) - stirling(total)
        else:
            spread, scale = second * share, stirling(few)
        product = _product(0, few, more, rest) / _product_of(mean, second, third, fourth, more)
        none = exponential(height + scale - 0.5 * logarithm(TWO_PI * spread * product))
        if more:
            return _inverted(first[0], none, few, more, rest)
        return _inverted_binomial(first[0], none, few, mean / second)
    width = WIDTH * sqrt(second * share + 0.5) + MARGIN
    centre = fraction + 0.5
    half_inverse = 0.5 / mean + 0.5 / second + (0.5 / third + 0.5 / fourth if more else 0.0)
    least = -float(quotient)
    attempt, pair = -1, first
    while True:
        attempt += 1
        if attempt:
            pair = uniforms(key, time, node, attempt)
        x, y = pair
        offset = centre + width * (y - 0.5) / x
        if offset < least or offset >= few - quotient + 1:
            continue
        got = quotient + _floor(offset)
        apart = abs((got - quotient) - fraction)
        square = x * x
        if 8.0 * apart < mean:
            # the logarithm of the height lies within `slack` of that of a normal density, and that of `square`
            # between (square - 1/square)/2 and 2 (square - 1)/(square + 1)
            normal = -half_inverse * (apart * apart)
            slack = half_inverse * (apart * (0.36 * apart * (apart / mean) + 1.1) + 0.22)
            if 2.0 * (square - 1.0) <= (normal - slack) * (square + 1.0):
                return got
            if square * square - 1.0 > 2.0 * square * (normal + slack):
                continue
        if got <= few and _accepted(square, got, few, more, rest, quotient, fraction, mean, second, third, fourth):
            return got


@large
def _accepted(
    square: float, got: Number, few: Number, more: Number, rest: Number, quotient: Number, fraction: float,
    mean: float, second: float, third: float, fourth: float,
) -> Any:  # fmt: skip
    """Return whether a number is at most the height of a draw, beside that of the most likely one or a little more."""
    ratio = square * square * (_product(got, few, more, rest) / _product_of(mean, second, third, fourth, more))
    height = _height(got, few, more, rest, quotient, fraction, mean, second, third, fourth)
    return logarithm(ratio) <= 2.0 * (height - 0.01 / mean)


@large
def _height(
    got: Number, few: Number, more: Number, rest: Number, quotient: Number, fraction: float,
    mean: float, second: float, third: float, fourth: float,
) -> Any:  # fmt: skip
    """Return the logarithm of the probability of a draw, without the product of its cells and a constant."""
    apart = (got - quotient) - fraction
    height = deviance(got, mean, apart) + deviance(few - got, second, -apart) + stirling(got) + stirling(few - got)
    if more:
        height += deviance(more - got, third, -apart) + deviance(rest + got, fourth, apart)
        height += stirling(more - got) + stirling(rest + got)
    return -height


def _product(got: Number, few: Number, more: Number, rest: Number) -> Any:
    """Return the product of the cells, 1/2 standing for 0."""
    product = max(got, 0.5) * max(few - got, 0.5)
    if more:
        product *= max(more - got, 0.5) * max(rest + got, 0.5)
    return product


def _product_of(mean: float, second: float, third: float, fourth: float, more: Number) -> Any:
    """Return the product of the means of the cells."""
    return mean * second * (third * fourth) if more else mean * second


def _inverted(u: float, none: float, few: Number, more: Number, rest: Number) -> Any:
    """Return the hypergeometric draw at a quantile, whose probability of 0 is known."""
    got, p = 0, none
    while u > p and got < few and p > 0.0:
        u -= p
        p *= (few - got) * 1.0 * (more - got) / ((got + 1.0) * (rest + got + 1.0))
        got += 1
    return got


def _inverted_binomial(u: float, none: float, n: Number, odds: float) -> Any:
    """Return the binomial draw at a quantile, whose probability of 0 is known."""
    got, p = 0, none
    while u > p and got < n and p > 0.0:
        u -= p
        p *= (n - got) * odds / (got + 1.0)
        got += 1
    return got


def _mean(few: Number, more: Number, total: Number) -> Any:
    """Return few · more / total as a whole number and a fraction of 0 to 1, for numbers below 2^61.

    A quotient of real numbers is off by some 2^9; what is left of the product, exact in limbs, corrects it.
    """
    quotient = int(few * (more / total))
    few_high, few_low, more_high, more_low = few >> LIMB, few & REST, more >> LIMB, more & REST
    high, low, total_high, total_low = quotient >> LIMB, quotient & REST, total >> LIMB, total & REST
    top = few_high * more_high - high * total_high
    middle = few_high * more_low + few_low * more_high - (high * total_low + low * total_high)
    bottom = few_low * more_low - low * total_low
    upper = (top << LIMB) + middle
    change = _floor((upper * 2147483648.0 + bottom) / total)
    left = ((upper - change * total_high) << LIMB) + (bottom - change * total_low)
    while left < 0:
        left += total
        change -= 1
    while left >= total:
        left -= total
        change += 1
    return quotient + change, left / total


def _floor(value: float) -> Any:
    whole = int(value)
    return whole - 1 if whole > value else whole


@large
def deviance(count: Number, mean: float, apart: float) -> Any:
    """Return count · log(count/mean) + mean - count, with apart = count - mean known better than the two.

    Source: Loader 2000, equation (4), with ratio = apart/(count + mean): the powers of its series fall off fast.
    """
    if count == 0:
        return mean
    ratio = apart / (count + mean)
    if -0.1 < ratio < 0.1:
        square = ratio * ratio
        if square < 1e-5:
            series = square * (1 / 3 + square * (1 / 5 + square * (1 / 7)))
        else:
            series = square * (1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9 + square * (
                1 / 11 + square * (1 / 13 + square * (1 / 15 + square * (1 / 17))))))))  # fmt: skip
        return apart * ratio + 2.0 * count * ratio * series
    return count * logarithm(count / mean) - apart


@large
def stirling(n: Number) -> Any:
    """Return the error of Stirling's formula for log n!, see `STIRLING`."""
    if n < 16:
        return STIRLING[n]
    inverse = 1.0 / n
    if n > 1e6:
        return inverse / 12
    square = inverse * inverse
    return inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188)))))


@large
def logarithm(value: float) -> float:
    """Return the natural logarithm of a number above 0, within two units in the last place.

    With s = (m - 1)/(m + 1), log m = 2 (s + s^3/3 + s^5/5 + …) for m from sqrt(1/2) to sqrt(2).
    """
    part, power = frexp(value)
    if part < 0.7071067811865476:
        part, power = 2.0 * part, power - 1
    s = (part - 1.0) / (part + 1.0)
    square = s * s
    series = square * (1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9 + square * (1 / 11 + square * (
        1 / 13 + square * (1 / 15 + square * (1 / 17 + square * (1 / 19 + square * (1 / 21))))))))))  # fmt: skip
    return power * LN2_HIGH + (2.0 * s + (2.0 * s * series + power * LN2_LOW))


@large
def exponential(value: float) -> float:
    """Return e to the power of a number, within two units in the last place; 0 below -700."""
    if value < -700.0:
        return 0.0
    power = _floor(value / 0.6931471805599453 + 0.5)
    rest = (value - power * LN2_HIGH) - power * LN2_LOW
    series = 1.0
    for term in range(17, 0, -1):
        series = 1.0 + rest * series / term
    return ldexp(series, power)
