"""Private threshold monitors: no answer below k / 2 ones, top from k ones on, and then they halt."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, Literal

import numpy as np

from disttrack.mechanisms.above_threshold import AboveThreshold
from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.counters import counter as counter_called
from disttrack.mechanisms.faults import DRAWN, TOSSED
from disttrack.mechanisms.shortcuts import Shortcut, state
from disttrack.privacy.mechanisms.faults import TESTED, TwiceDelta
from disttrack.privacy.mechanisms.halting import (
    AboveThresholdHalting,
    HaltingTimes,
    Ones,
    SampledHalting,
    runs_of_constant_sum,
)


def verdict(ones: Ones, k: int, halt: int | None) -> Literal["right", "early", "late"]:
    """Return whether a monitor that answered top at step `halt` (None: never) was right.

    It must not do so before the sum reaches k / 2, and must have done so when it reaches k.

    Source
    ------
    Problem 1.6 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024.
    """
    half = math.ceil(k / 2)
    if halt is not None and (len(ones) < half or halt < ones[half - 1]):
        return "early"
    if len(ones) >= k and (halt is None or halt > ones[k - 1]):
        return "late"
    return "right"


def _no_halting_times(monitor: Mechanism, rng: np.random.Generator | None = None) -> HaltingTimes:
    raise NotImplementedError(f"{monitor.kind} states no halting_times")


HALTING = {"halting_times": Shortcut(_no_halting_times)}
"""The shortcut of monitors, which adversaries read: the distribution of `halt`."""


@lru_cache(maxsize=256)
def quiet_cut(epsilon: float, steps: int, false_alarm: float) -> float:
    """Return the threshold at which a sparse-vector test fires on `steps` zeros with probability `false_alarm`."""

    from scipy import optimize  # a slow import, only needed by this function

    def excess(cut: float) -> float:
        halting_times = AboveThresholdHalting(AboveThreshold(epsilon, cut), most_ones=0)
        return halting_times.halting((), 1, steps) - false_alarm

    # P(noise of a query less that of the threshold > x) < 2/3 exp(-epsilon x / 4): half of this suffices at both ends
    most = 8 / epsilon * math.log(4 * steps / min(false_alarm, 1 - false_alarm))
    return float(optimize.brentq(excess, -most, most, xtol=1e-6))


@dataclass(frozen=True)
class SparseVectorMonitor(Mechanism):
    """Threshold monitor by the sparse vector technique on the prefix sums.

    Right with probability 1 - beta if k >= (8 / epsilon) ln(2 / beta) + (16 / epsilon) ln(2 T / beta),
    about 32 ln(T) / epsilon.

    Parameters
    ----------
    k
        The threshold, in ones.
    epsilon
        Privacy loss.
    cut
        Threshold of the test; None for 3k / 4.
    horizon, false_alarm
        If given, the cut is set so that the monitor halts on `horizon` zeros with probability
        `false_alarm`.

    Raises
    ------
    ValueError
        If a parameter is out of range, or both a cut and a false alarm rate are given.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, Observation 1.8.
    """

    kind = "sparse-vector-monitor"
    error = "right for k >= (8 / epsilon) ln(2 / beta) + (16 / epsilon) ln(2 T / beta)"
    arithmetic = "real"
    faults: ClassVar = TESTED
    shortcuts: ClassVar = HALTING

    k: Whole
    epsilon: Positive
    cut: float | None = None
    horizon: Whole | None = None
    false_alarm: Share | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.false_alarm is not None:
            if self.cut is not None:
                raise ValueError(f"cut and false_alarm exclude each other; got {self.cut!r} and a rate")
            if self.horizon is None:
                raise ValueError("horizon must be given with false_alarm")
        self.test()

    def test(self) -> AboveThreshold:
        """Return the sparse-vector test inside."""
        if self.false_alarm is not None and self.horizon is not None:
            return AboveThreshold(self.epsilon, quiet_cut(self.epsilon, self.horizon, self.false_alarm))
        return AboveThreshold(self.epsilon, 0.75 * self.k if self.cut is None else self.cut)

    def halting_times(self, rng: np.random.Generator | None = None) -> AboveThresholdHalting:
        """Return the exact distribution of the step at which it halts."""
        return AboveThresholdHalting(self.test(), most_ones=self.k)

    def halt(self, ones: Ones, steps: int, rng: np.random.Generator) -> int | None:
        """Play the monitor on a stream and return the step at which it answers top; None for never.

        While the sum does not change, the time to the next false alarm is geometric, so such a run of steps
        costs one draw.
        """
        test = self.test()
        hidden = test.threshold + float(test.threshold_noise.draw(rng, 1).item())
        for count, first, last in runs_of_constant_sum(ones, steps):
            fires = test.query_noise.tail(hidden - count)
            wait = math.inf  # if fewer than one in a billion runs fire
            if fires > 1e-18:
                wait = int(rng.geometric(fires))
            elif fires * (last - first + 1) > 1e-9:  # numpy's geometric numbers end at 2^63
                wait = max(1, math.ceil(rng.exponential() / fires))
            if first + wait - 1 <= last:
                return int(first + wait - 1)
        return None


@dataclass(frozen=True)
class ReleaseMonitor(Mechanism):
    """Threshold monitor that reveals each 1 with probability delta and answers top at 3k delta / 4 of them.

    It is (0, delta)-private whatever the length of the stream, and right only if k is of the order of 1
    / delta.

    Parameters
    ----------
    k
        The threshold, in ones.
    delta
        Probability with which a one is revealed.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, Observation 1.8.
    """

    kind = "release-monitor"
    error = "right for k of the order of 1 / delta"
    arithmetic = "coins"
    faults: ClassVar = {"half-noise": TwiceDelta}
    shortcuts: ClassVar = HALTING

    k: Whole
    delta: Share

    @property
    def needed(self) -> int:
        """Revealed ones at which it answers top."""
        return max(1, math.ceil(0.75 * self.k * self.delta))

    def halting_times(self, rng: np.random.Generator | None = None) -> ReleaseMonitor:
        """Return the exact distribution of the halting step, computed by this object's `halting`."""
        return self

    def halting(self, ones: Ones, first: int, last: int) -> float:
        """Return the probability that it halts in one of the steps `first` ... `last`."""
        before = sum(one < first for one in ones)
        upto = sum(one <= last for one in ones)
        # it halts by the j-th one if at least `needed` of the first j are revealed
        return self._enough_of(upto) - self._enough_of(before)

    def _enough_of(self, count: int) -> float:
        """Return the probability that enough of `count` ones are revealed."""
        from scipy.special import bdtrc

        return float(bdtrc(self.needed - 1, count, self.delta)) if count >= self.needed else 0.0

    def halt(self, ones: Ones, steps: int, rng: np.random.Generator) -> int | None:
        """Play the monitor on a stream and return the step at which it answers top; None for never."""
        revealed = np.flatnonzero(rng.random(len(ones)) < self.delta)
        return ones[revealed[self.needed - 1]] if len(revealed) >= self.needed else None


@dataclass(frozen=True)
class CounterMonitor(Mechanism):
    """Threshold monitor on top of a private counter: top when the estimate reaches the cut.

    Parameters
    ----------
    k
        The threshold, in ones.
    epsilon
        Privacy loss.
    horizon
        Number of steps.
    counter
        Kind of the counter.
    cut
        Estimate at which it answers top; None for 3k / 4.
    runs
        Simulated runs from which `halting_times` is estimated.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, after Problem 1.6.
    """

    kind = "counter-monitor"
    error = "right if the counter errs by k / 4 at most"
    arithmetic = "grid"
    faults: ClassVar = DRAWN
    shortcuts: ClassVar = HALTING

    k: Whole
    epsilon: float
    horizon: int
    counter: str = "binary"
    cut: float | None = None
    runs: Whole = 10_000

    def __post_init__(self) -> None:
        super().__post_init__()
        counter = counter_called(self.counter, self.epsilon, self.horizon)
        state(self, CounterMonitor, "arithmetic", counter.arithmetic)

    def halting_times(self, rng: np.random.Generator | None = None) -> HaltingTimes:
        """Return the distribution of the halting step from simulated runs."""
        if rng is None:
            raise ValueError("rng must be given: the halting step of a counter monitor is simulated")
        return SampledHalting(lambda ones, gen: self.halt(ones, self.horizon, gen), self.runs, rng)

    def halt(self, ones: Ones, steps: int, rng: np.random.Generator) -> int | None:
        """Play the monitor on a stream and return the step at which it answers top; None for never."""
        bits = np.zeros(steps)
        bits[np.array(ones, dtype=np.int64) - 1] = 1
        run = counter_called(self.counter, self.epsilon, self.horizon).start(rng)
        reached = run.release(bits) >= (0.75 * self.k if self.cut is None else self.cut)
        place = int(reached.argmax())
        return place + 1 if reached[place] else None


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
