"""A private threshold monitor: an alarm clock that runs the faster the more ones have come."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Whole
from disttrack.mechanisms.faults import TOSSED
from disttrack.mechanisms.shortcuts import Shortcut
from disttrack.privacy.mechanisms.halting import Ones, runs_of_constant_sum
from disttrack.privacy.mechanisms.monitors import HALTING

FASTEST: Final = 300.0
"""Largest exponent of the clock's speed: a cap costs no privacy, and keeps its time finite."""


def silence(time: float) -> float:
    """Return the probability that the alarm is set to a later time: 1 - x up to x = 1/2, then 1 / (4 x)."""
    return 1 - time if time <= 0.5 else 0.25 / time


def _speed(k: int, epsilon: float, count: int) -> float:
    """Return the speed of the clock after some ones, 1 at the last count at which an alarm is too early."""
    return math.exp(min(epsilon * (count + 1 - math.ceil(k / 2)), FASTEST))


def largest_failure(k: int, epsilon: float, horizon: int, rate: float) -> float:
    """Return the probability of an error on the worst stream of `horizon` steps.

    This stream has ceil(k / 2) - 1 ones first, and the others in its last steps. For an alarm is early if the clock
    reads E before the ceil(k / 2)-th one, and late if it reads E + L at the k-th: 1 - s(E) + s(E + L). L is least if
    these ones come one after the other, and s falls ever more slowly, so that the sum grows with E.
    """
    speeds, half = [_speed(k, epsilon, count) for count in range(k + 1)], math.ceil(k / 2)
    first = rate * sum(speeds[1 : min(half, horizon + 1)])
    never = 1 - silence(first + rate * max(0, horizon + 1 - half))
    if horizon < k:
        return never
    early = first + rate * (horizon - k)
    return max(never, 1 - silence(early) + silence(early + rate * sum(speeds[half:])))


@lru_cache(maxsize=256)
def best_rate(k: int, epsilon: float, horizon: int) -> float:
    """Return the rate with the smallest largest failure."""
    from scipy import optimize  # a slow import, only needed by this function

    def failure(log_rate: float) -> float:
        return largest_failure(k, epsilon, horizon, math.exp(log_rate))

    lowest = -math.log(horizon) - epsilon * k
    found = optimize.minimize_scalar(failure, bounds=(lowest, 1.0), method="bounded", options={"xatol": 1e-6})
    return float(math.exp(found.x))


@dataclass(frozen=True)
class ClockMonitor(Mechanism):
    """Threshold monitor with an alarm at a random time of a clock, which each 1 makes e^epsilon times as fast.

    The alarm is later than time x with probability s(x) = 1 - x up to x = 1/2, and 1 / (4 x) from there on. It is
    epsilon-private for streams of any length. Of neighbouring streams the one with the additional one has, from there
    on, e^epsilon times the speed, and a clock that reads between 1 and e^epsilon times the other. So the density of
    the alarm is between e^(-2 epsilon) and 1 times that of the other, and their product, the chance to halt in a step,
    between e^-epsilon and e^epsilon times; and s(e^epsilon x) >= e^-epsilon s(x), for never to halt.

    With m = k - ceil(k / 2) + 1 and A = e^epsilon + ... + e^(m epsilon) it errs with probability sqrt(T / A) at most,
    about. None errs with less than n / (n + A), n = T - k + 1, as the windows in which the last m ones may come show.
    So k = (2 / epsilon) ln(T) is necessary and enough, up to a constant in k.

    Parameters
    ----------
    k
        The threshold, in ones.
    epsilon
        Privacy loss.
    horizon
        Number of steps, for which the rate is chosen.
    rate
        Time that passes on the clock in a step, at the last count at which an alarm is too early; None for the one
        with the smallest failure probability on the worst stream.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    derived here, from the solutions of `exact-monitor`; the problem is Problem 1.6 of Cohen, Lyu, Nelson, Sarlos,
    Stemmer 2024.
    """

    kind = "clock-monitor"
    error = "right for k = (2 / epsilon) (ln(T) + 2 ln(1 / beta))"
    arithmetic = "coins"
    faults: ClassVar = TOSSED
    shortcuts: ClassVar = {**HALTING, "failure": Shortcut(None)}

    k: Whole
    epsilon: Positive
    horizon: Whole
    rate: Positive | None = None

    @property
    def failure(self) -> float | None:
        """Probability of an error on the worst stream."""
        return largest_failure(self.k, self.epsilon, self.horizon, self._rate())

    def halting_times(self, rng: np.random.Generator | None = None) -> ClockMonitor:
        """Return the exact distribution of the halting step, computed by this object's `halting`."""
        return self

    def halting(self, ones: Ones, first: int, last: int) -> float:
        """Return the probability that it halts in one of the steps `first` ... `last`."""
        return silence(self._time(ones, first - 1)) - silence(self._time(ones, last)) if first <= last else 0.0

    def halt(self, ones: Ones, steps: int, rng: np.random.Generator) -> int | None:
        """Play the monitor on a stream and return the step at which it answers top; None for never."""
        later = 1 - rng.random()  # the probability of a later alarm, above 0
        alarm = 1 - later if later >= 0.5 else 0.25 / later
        time = 0.0
        for count, first, last in runs_of_constant_sum(ones, steps):
            speed = self._rate() * _speed(self.k, self.epsilon, count)
            if time + (last - first + 1) * speed >= alarm:
                return min(last, first + max(1, math.ceil((alarm - time) / speed)) - 1)
            time += (last - first + 1) * speed
        return None

    def _rate(self) -> float:
        return best_rate(self.k, self.epsilon, self.horizon) if self.rate is None else self.rate

    def _time(self, ones: Ones, step: int) -> float:
        """Return the time on the clock after a step."""
        runs = runs_of_constant_sum(ones[: bisect_right(ones, step)], step)
        speeds = ((last - first + 1) * _speed(self.k, self.epsilon, count) for count, first, last in runs)
        return self._rate() * sum(speeds)
