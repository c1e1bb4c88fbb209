"""The probability that a round of memoryless coins fails: that its walk crosses one of two lines.

The probabilities of crossing each line are sums in closed form, and are added. The paths that cross both lines are
counted twice; they are subtracted in the same proportion as for Brownian motion. Short rounds of heavy coins are
computed toss by toss. `docs/proofs.md` derives the sums and states their errors.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from math import erfc, exp, log, sqrt
from typing import Final

import numpy as np

from disttrack.mechanisms.roots import root
from disttrack.protocols.rounds.hits import ROUNDING, Bounds, bounds_of
from disttrack.protocols.rounds.walk import COARSE, Walk, failures_by, of_consecutive, too_high, too_low

FEW: Final = 40
"""Signals up to which a round of light coins is computed toss by toss: with few signals, whole items matter."""
SHORT: Final = 2000
"""The same for heavy coins."""
HEAVY: Final = 0.7
"""From this bias on the sums are less accurate, so that longer rounds are also computed toss by toss:"""
LONG: Final = 20_000
_RARELY_BOTH: Final = 4e-4
"""If the product of the lines' probabilities is below this, the probability of crossing both is below 1e-3 of each."""
_SMALL: Final = 8.0
"""Offset, in signals, below which single signals matter."""
_REACH: Final = 3
"""Signals on either side of the expected number for which bounds are computed together."""
_WINDOWS: Final = 6
"""Such computations before the search is left to single numbers,"""
_CHORDS: Final = 7
"""and numbers of which one is computed before the interval is halved every other time."""
_NEAR: Final = 24
"""Part of the first number tried by which the second one differs."""
_CLEAR: Final = 1.05
"""Factor of a failure probability beyond all errors of the sums: with fewer signals it is not larger than with it."""
_MANY: Final = 8192
"""Signals up to which the sums of a light coin are added for consecutive numbers."""
_LIGHT: Final = 1e-7
"""Bias at which the recursion is as accurate as a Poisson process."""


def failure(walk: Walk, signals: int) -> float:
    """Return the probability that a round of `signals` signals fails."""
    if signals < 1 or walk.p >= 1:
        return 0.0
    if _by_tosses(walk, signals):
        return float(failures_by(walk, decisive(walk, signals))[-1])
    return min(1.0, by_sums(walk, signals))


@lru_cache(maxsize=8192)
def _answers(alpha: float, p: float, allowed: float) -> tuple[list[float], list[int]]:
    """Return the offsets for which the largest number of signals is known, in order, and these numbers."""
    return [], []


def most_signals(walk: Walk, allowed: float, most: int, near: int | None = None) -> int:
    """Return the largest number of signals up to `most` with failure probability at most `allowed`.

    The search begins at `near`, or at the number for a near offset; neither changes the result. The number grows with
    the offset, since the lines are farther away. So between two offsets with the same number it is this number.
    """
    offsets, counts = _answers(walk.alpha, walk.p, allowed)
    place = bisect_left(offsets, walk.offset)
    if place < len(offsets) and (offsets[place] == walk.offset or (place and counts[place - 1] == counts[place])):
        return min(counts[place], most)
    tossed = _by_tosses(walk, most)
    if counts and tossed:  # where the bounds hold to the last digit, wherever the search begins
        near = counts[min(place, len(counts) - 1)]
    count = _most_signals(walk, allowed, most, near)
    if count < most and (walk.p <= COARSE or tossed):
        offsets.insert(place, walk.offset)
        counts.insert(place, count)
    return count


@lru_cache(maxsize=8192)
def _most_signals(walk: Walk, allowed: float, most: int, near: int | None) -> int:
    """Return the same by a search; it is kept, as games of one seed have the same rounds against all adversaries."""
    if walk.p >= 1:
        return most
    first = decisive(walk, most) if _by_tosses(walk, most) else most
    count = _by_bounds(walk, allowed, first, near or first)
    if count is None and _by_tosses(walk, most):
        count = int(np.searchsorted(failures_by(walk, first, allowed), allowed, side="right"))
    if count is not None:
        return most if count == first else count
    low, high, target = 0, most + 1, log(allowed)
    tried: dict[int, float] = {}
    middle = min(near or most, most)
    if middle < most and failure(walk, most) * _CLEAR <= allowed:
        return most  # then all numbers that the search would try are safe
    while high - low > 1:
        tried[middle] = log(max(failure(walk, middle), 1e-300))
        low, high = (middle, high) if tried[middle] <= target else (low, middle)
        middle = _between(low, high, tried, target)
    return low


def _by_bounds(walk: Walk, allowed: float, most: int, near: int) -> int | None:
    """Return the same if close bounds for some consecutive numbers of signals decide, or None."""
    target = log(allowed)
    for _ in range(_WINDOWS):
        near = min(max(near, 1), most)
        reach = _REACH + near // 64
        first, last = max(1, near - reach), min(most, near + reach)
        bounds = _bounds(walk, first, last, allowed)
        if bounds is None:
            return None
        safe, unsafe = (int(bound.searchsorted(allowed, side="right")) for bound in (bounds.above, bounds.below))
        if safe != unsafe:
            return None
        if (safe or first == 1) and (safe < last - first + 1 or last == most):
            return first + safe - 1
        ends = {number: log(max(bounds.above[number - first], 1e-300)) for number in (first, last)}
        near = max(_chord(first, last, ends, target), near // 3) if ends[first] < ends[last] else 2 * near
    return None


def _bounds(walk: Walk, first: int, last: int, about: float) -> Bounds | None:
    """Return close bounds of `failure` for rounds of `first` to `last` signals, or None if that takes long."""
    if _by_tosses(walk, last):
        return bounds_of(walk, first, last, about)
    if walk.p > COARSE or last > _MANY:
        return None
    if not _by_tosses(walk, first):
        return _sums(walk, first, last)
    few, more = bounds_of(walk, first, FEW, about), _sums(walk, FEW + 1, last)
    if few is None or more is None or few.above[-1] > more.below[0]:
        return None
    return Bounds(np.concatenate((few.below, more.below)), np.concatenate((few.above, more.above)))


def _sums(walk: Walk, first: int, last: int) -> Bounds | None:
    low, high = of_consecutive(walk, first, last)
    if low[-1] * high[-1] >= _RARELY_BOTH:
        return None
    return Bounds((low + high) * (1 - ROUNDING), (low + high) * (1 + ROUNDING))


def _between(low: int, high: int, log_failures: dict[int, float], target: float) -> int:
    """Return the next number to try: by the chord through the nearest ones, or in the middle if that takes long."""
    middle = (low + high) // 2
    if len(log_failures) == 1:  # it was close to the number
        middle = low + low // _NEAR if low else high - max(1, high // _NEAR)
    elif len(log_failures) > 1 and (len(log_failures) < _CHORDS or len(log_failures) % 2):
        first, last = sorted(sorted(log_failures, key=lambda number: abs(log_failures[number] - target))[:2])
        if log_failures[first] < log_failures[last]:
            middle = _chord(first, last, log_failures, target)
    return min(max(middle, low + 1), high - 1)


def _chord(first: int, last: int, log_failures: dict[int, float], target: float) -> int:
    """Return where the chord of ln failure against 1/signals reaches the target."""
    part = (target - log_failures[first]) / (log_failures[last] - log_failures[first])
    return round(1 / max(1 / first + part * (1 / last - 1 / first), 1e-9))


def decisive(walk: Walk, signals: int) -> int:
    """Return the number of signals after which a failure is negligible.

    The lines open faster than the walk spreads. The probability of being beyond a line at the j-th signal is less than
    exp(-j (ln(1 + alpha) - alpha / (1 + alpha)) / (1 - p)) (Chernoff), which adds up to less than 1e-14 from here on.
    """
    return min(signals, 200 + int(100 * (1 - walk.p) / walk.alpha**2))


def _by_tosses(walk: Walk, signals: int) -> bool:
    if walk.p <= COARSE:
        return walk.p > 0 and signals <= FEW
    return decisive(walk, signals) <= (LONG if walk.p > HEAVY else SHORT)


# ---------------------------------------------------------------------- both lines


def by_sums(walk: Walk, signals: int) -> float:
    """Return the failure probability: that of crossing either line, less that of both."""
    if walk.p <= COARSE and signals <= _MANY:
        low, high = (float(line[0]) for line in of_consecutive(walk, signals, signals))
    else:
        low, high = too_low(walk, signals), too_high(walk, signals)
    if low * high < _RARELY_BOTH:
        return low + high
    if walk.offset >= _SMALL:
        return low + high - _both_lines(walk, signals, sqrt(low * high))
    # with few decisive signals Brownian motion is inaccurate, and early signals show whether both lines are crossed
    coin, first = walk._replace(p=walk.p or _LIGHT), min(signals, SHORT, 200 + int(100 / walk.alpha**2))
    return low + high - (too_low(coin, first) + too_high(coin, first) - float(failures_by(coin, first)[-1]))


def _both_lines(walk: Walk, signals: int, each: float) -> float:
    """Return the probability that Brownian motion of the same slope and length crosses both lines, each with `each`."""
    # its variance is 1 - p per unit of time; rescaled to 1
    slope, length = walk.alpha / (1 - walk.p), signals * (1 - walk.p)
    each, most = min(each, 0.999), 1.0
    while one_line(most, slope, length) > each:
        most *= 2
    offset = root(lambda offset: one_line(offset, slope, length) - each, 0.0, most)
    return 2 * each - either_line(offset, slope, length)


def _tail(x: float) -> float:
    return 0.5 * erfc(x / sqrt(2))


def one_line(offset: float, slope: float, length: float) -> float:
    """Return the probability that Brownian motion crosses offset + slope t by time `length`."""
    root = sqrt(length)
    return _tail((offset + slope * length) / root) + exp(-2 * offset * slope) * _tail((offset - slope * length) / root)


def either_line(offset: float, slope: float, length: float) -> float:
    """Return the probability that it crosses either of ±(offset + slope t): images at even multiples of the offset.

    Source
    ------
    Anderson 1960, A modification of the sequential probability ratio test, section 4.
    """
    end, root, inside, number = offset + slope * length, sqrt(length), 0.0, 0
    while True:
        place = 2 * number * offset
        weight = exp(-2 * offset * slope * number**2) * (1 if number == 0 else 2)
        part = weight * (_tail((-end - place) / root) - _tail((end - place) / root))
        inside += part if number % 2 == 0 else -part
        if part < 1e-9 or number > 10_000:
            return 1 - inside
        number += 1
