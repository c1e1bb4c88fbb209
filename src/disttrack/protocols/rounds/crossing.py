"""The probability that a round of memoryless coins fails: that its walk crosses one of two lines.

The probabilities of crossing each line are sums in closed form, and are added. The paths that cross both lines are
counted twice; they are subtracted in the same proportion as for Brownian motion. Short rounds of heavy coins are
computed toss by toss. `docs/martingale.md` derives the sums and states their errors.
"""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, log, sqrt
from typing import Final

import numpy as np

from disttrack.protocols.rounds.passages import COARSE, too_high, too_low
from disttrack.protocols.rounds.walk import Walk, failures_by

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
_LIGHT: Final = 1e-7
"""Bias at which the recursion is as accurate as a Poisson process."""


def failure(walk: Walk, signals: int) -> float:
    """Return the probability that a round of `signals` signals fails."""
    if signals < 1 or walk.p >= 1:
        return 0.0
    if _by_tosses(walk, signals):
        return float(failures_by(walk, decisive(walk, signals))[-1])
    return min(1.0, by_sums(walk, signals))


@lru_cache(maxsize=65536)
def most_signals(walk: Walk, allowed: float, most: int) -> int:
    """Return the largest number of signals up to `most` with failure probability at most `allowed`."""
    if walk.p >= 1:
        return most
    if _by_tosses(walk, most):
        first = decisive(walk, most)
        count = int(np.searchsorted(failures_by(walk, first), allowed, side="right"))
        return most if count == first else count
    low, high, target = 0, most + 1, log(allowed)
    tried: dict[int, float] = {}
    middle = most
    while high - low > 1:
        tried[middle] = log(max(failure(walk, middle), 1e-300))
        low, high = (middle, high) if tried[middle] <= target else (low, middle)
        middle = _between(low, high, tried, target)
    return low


def _between(low: int, high: int, log_failures: dict[int, float], target: float) -> int:
    """Return the next number to try: on the chord of ln failure against 1/signals, every third time in the middle."""
    if low in log_failures and high in log_failures and len(log_failures) % 3:
        part = (target - log_failures[low]) / (log_failures[high] - log_failures[low])
        middle = round(1 / (1 / low + part * (1 / high - 1 / low)))
    else:
        middle = (low + high) // 2
    return min(max(middle, low + 1), high - 1)


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
    from scipy.optimize import brentq

    # its variance is 1 - p per unit of time; rescaled to 1
    slope, length = walk.alpha / (1 - walk.p), signals * (1 - walk.p)
    each, most = min(each, 0.999), 1.0
    while one_line(most, slope, length) > each:
        most *= 2
    offset = float(brentq(lambda offset: one_line(offset, slope, length) - each, 0.0, most))
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
