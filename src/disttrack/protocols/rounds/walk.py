"""A round of memoryless coins as a walk between two lines, and the probability that it leaves them, toss by toss.

A round begins with N0 items. Each further item is signalled with probability p, and after n of them and B signals the
output is N0 + B/p. The round fails if it leaves N0 + n by more than alpha (N0 + n) before the last signal is sent.
With a = alpha N0 p, and in units of 1/p items, that is so if for some j below the number of signals

    the (j+1)-th signal comes after  (j + a) / (1 - alpha)     the output is too low just before it, or
    the j-th signal comes before     (j - a) / (1 + alpha)     the output is too high just after it.

The site of an item does not matter: the coins are one sequence of independent tosses, and all that an adversary can do
is to stop it.
"""

from __future__ import annotations

from math import expm1, log, log1p, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

POISSON: Final = 1e-6
"""A smaller bias is treated as a Poisson process: ln of the failure probability moves by less than 50 p."""


_OFTEN: Final = 32
"""Signals between two looks at what may still fail."""


class Walk(NamedTuple):
    """The coins of a round, and the two lines.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).
    offset
        a = alpha N0 p: the error allowed at the start, in signals.
    p
        Probability of a signal per item; 0 for the limit of small ones, in which time is continuous.
    """

    alpha: float
    offset: float
    p: float

    def late(self, j: Any) -> Any:
        """Return the time, in units of 1/p items, at which an output of j signals is first too low."""
        if not self.p:
            return (j + self.offset) / (1 - self.alpha)
        return self.p * (np.floor((j + self.offset) / (self.p * (1 - self.alpha))) + 1)

    def early(self, j: Any) -> Any:
        """Return the last time at which a j-th signal makes the output too high."""
        if not self.p:
            return (j - self.offset) / (1 + self.alpha)
        return self.p * (np.ceil((j - self.offset) / (self.p * (1 + self.alpha))) - 1)


def walk_of(alpha: float, total: float, p: float) -> Walk:
    """Return the walk of a round that begins with `total` items; a very small p is replaced by its limit."""
    return Walk(alpha, alpha * total * p, p if p > POISSON else 0.0)


def failures_by(walk: Walk, signals: int, allowed: float | None = None) -> Floats:
    """Return the failure probabilities of rounds of 1, 2, …, `signals` signals, by recursion over the tosses.

    If `allowed` is given, they are computed until it is certain which of them are at most `allowed`: up to the first
    that is larger, or without later failures that cannot make one larger.

    It goes from one time at which a line is tested to the next, and keeps the probability of each number of signals
    without failure. A failure at `j` signals counts for rounds of more than j. It takes about 10 µs per signal; p must
    be above 0.
    """
    if walk.p >= 1:
        return np.zeros(signals)
    numbers = np.arange(signals)
    late = np.rint(walk.late(numbers) / walk.p).astype(np.int64)
    early = np.rint(walk.early(numbers) / walk.p).astype(np.int64)
    times = np.concatenate((late, early[1:]))
    order = np.argsort(times, kind="stable")
    failed, total = np.zeros(signals), 0.0
    laws: dict[int, Floats] = {}
    alive, least, now = np.ones(1), 0, 0  # probabilities of least, least + 1, … signals
    for place in order[np.searchsorted(times[order], 0, side="right") :].tolist():
        number, high = (place, False) if place < signals else (place - signals + 1, True)
        items = int(times[place]) - now
        if items:
            if items not in laws:
                laws[items] = _signals_in(items, walk.p)
            alive, now = np.convolve(alive, laws[items]), now + items
            if now > early[-1]:
                alive = alive[: max(0, signals - least)]  # the others have sent their last signal
        if high:
            failed[number] += alive[max(0, number - least) :].sum()
            alive = alive[: max(0, number - least)]
        elif least <= number < least + len(alive):
            failed[number] += alive[number - least]
            alive, least = alive[number - least + 1 :], number + 1
        if allowed is not None and not high:
            total += failed[number]  # the upper line has been tested with this number before
            if total > allowed:
                return np.cumsum(failed[: number + 1])
            if number % _OFTEN == 0 and failed.sum() + _later(walk, alive, least, now) < allowed * (1 - 1e-9):
                break
        if not len(alive):
            break
    return np.cumsum(failed)


def _later(walk: Walk, alive: Floats, least: int, items: int) -> float:
    """Return a bound of the probability of failures after `items` items, from those of `least`, … signals by then.

    With B signals after n items, exp(t (B - (1 + alpha) p n)) does not grow on average for a small t > 0, and is at
    least exp(t a) where the output is too high; the same holds for exp(t ((1 - alpha) p n - B)) where it is too low.
    """
    numbers, bound = np.arange(least, least + len(alive)), 0.0
    for sign in (1, -1):
        slope = (1 + sign * walk.alpha) * walk.p
        tilt = min(4 * walk.alpha / (1 - walk.p), 30.0)
        while log1p(walk.p * expm1(sign * tilt)) > sign * tilt * slope:
            tilt *= 0.97
        bound += float(alive @ np.exp(tilt * (sign * (numbers - slope * items) - walk.offset)))
    return bound


def _signals_in(items: int, p: float) -> Floats:
    """Return the probabilities of 0, 1, … signals in `items` items, up to where they are negligible."""
    mean = items * p
    most = min(items, int(mean + 12 * sqrt(mean) + 40))
    number = np.arange(most)
    ratios = np.log((items - number) / (number + 1.0)) + log(p) - log1p(-p)
    law: Floats = np.exp(log1p(-p) * items + np.concatenate(([0.0], np.cumsum(ratios))))
    return law
