"""Private threshold monitors: no answer below k / 2 ones, top from k ones on, and then they halt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from disttrack.mechanisms.above_threshold import AboveThreshold
from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.counters import counter as counter_called
from disttrack.mechanisms.faults import DRAWN
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
