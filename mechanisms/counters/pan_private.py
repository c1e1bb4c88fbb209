"""The event-level pan-private counter: its state stays private even if somebody looks into it once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.counters.base import Counter, Run, law_or_silence
from mechanisms.counters.dyadic import BLOCK
from mechanisms.noise import Draws, Floats, Laplace


@dataclass(frozen=True)
class PanPrivate(Counter):
    """Pan-private counter: a noisy count, plus the noise of the h segments that contain the step.

    With 2^h the horizon, rounded up, segments have lengths 2^(h-1), ..., 1. All h + 1 noises are Lap((1
    + h) / epsilon), so the variance is 2 (1 + h) ((1 + h) / epsilon)^2 at every step: the law of the
    noise never changes. The noise of a segment is drawn when the segment begins and erased when it ends;
    one look at the state costs no more than epsilon.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates and of one view of the state together.
    horizon
        Number of steps at most.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010, Figure 1 and Theorem 4.1; the variance is derived.

    Examples
    --------
    >>> round(PanPrivate(epsilon=1.0, horizon=64).variance(5) ** 0.5, 2)
    26.19
    """

    kind = "pan-private"
    source = "Dwork, Naor, Pitassi, Rothblum 2010, Figure 1"
    error = "sqrt(2 (1 + h)^3) / epsilon at every step, h = log2(horizon) rounded up"
    memory = "O(log horizon)"
    pan_private = True

    @property
    def levels(self) -> int:
        """Levels of segments, h."""
        return (self.steps - 1).bit_length()

    @property
    def scale(self) -> float:
        """Scale of each noise."""
        return (1 + self.levels) / self.epsilon

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, 1 + self.levels)]

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> PanPrivateRun:
        return PanPrivateRun(self, rng, silent)


class PanPrivateRun(Run):
    """A pan-private counter at work.

    The noise is drawn one by one when it is needed: noise drawn ahead would lie in memory, and who
    looks at it would know what the next outputs are going to hide.
    """

    __slots__ = ("_draws", "_levels", "_one", "_segments", "_sums")

    def __init__(self, counter: PanPrivate, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        self._draws = Draws(law_or_silence(Laplace(counter.scale), silent), rng, batch=1)
        self._one = self._draws.one
        self._levels = counter.levels
        self._total = self._one()
        self._segments: list[float] = []  # the noises in force, longest segment first
        self._sums = [0.0]  # their running sums

    def step(self, x: float = 1) -> float:
        t = self.t
        if t >= self._left:
            self._past_horizon(t + 1)
        self._total += x
        sums = self._sums
        while len(sums) <= self._levels:
            noise = self._one()
            self._segments.append(noise)
            sums.append(sums[-1] + noise)
        estimate = self._total + sums[-1]
        self.t = t = t + 1
        ended = min((t & -t).bit_length(), self._levels)
        if ended:
            del sums[-ended:], self._segments[-ended:]
        return estimate

    def state(self) -> dict[str, object]:
        """Return what an intruder finds between two steps: the noisy count and the noises in force.

        The noises stand in the order of their segments, longest first; those of segments that have ended
        are gone.
        """
        return {"step": self.t, "count": self._total, "noise": tuple(self._segments)}

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        out = np.empty(len(numbers))
        for at in range(0, len(numbers), BLOCK):
            block = self._prefixes(numbers[at : at + BLOCK])
            np.add(block, self._path(len(block)), out=out[at : at + BLOCK])
        return out

    def _path(self, size: int) -> Floats:
        """Return the sum of the segments' noises at the next `size` steps, whole levels at a time."""
        before, after = self.t, self.t + size
        steps = np.arange(before, after)
        top = self._levels
        if not top:
            self.t = after
            return np.zeros(size)
        drawn = np.zeros(size, dtype=np.int64)  # draws before each step, counted from `before`
        for level in range(top):
            drawn += (steps + (1 << level) - 1) >> level
        drawn -= drawn[0]
        begun = [-(-after >> level) - (-(-before >> level)) for level in range(top)]
        draws = self._draws.many(sum(begun))
        sums, segments = np.zeros(1), [np.empty(0)] * top
        for level in reversed(range(top)):
            first = -(-before >> level)  # the first segment of this level that begins in the block
            opening = np.arange(first, first + begun[level]) << level
            depth = np.minimum(np.bitwise_count((opening & -opening) - 1), top - 1)
            depth[opening == 0] = top - 1
            noise = draws[drawn[opening - before] + depth - level]
            carried = (before >> level) << level < before
            above = np.repeat(sums, 2)[(before >> level) & 1 if level < top - 1 else 0 :]
            if level == top - 1:
                above = np.zeros(len(noise) + carried)
            if carried:
                place = top - 1 - level
                sums = np.concatenate(([self._sums[place + 1]], above[1 : len(noise) + 1] + noise))
                noise = np.concatenate(([self._segments[place]], noise))
            else:
                sums = above[: len(noise)] + noise
            segments[level] = noise
        self._settle(segments, after)
        return sums

    def _settle(self, segments: list[Floats], after: int) -> None:
        """Keep the segments that go on after step `after`, and erase the rest."""
        self.t = after
        ended = min((after & -after).bit_length(), self._levels)
        self._segments = [float(segments[level][-1]) for level in reversed(range(ended, self._levels))]
        self._sums = [0.0]
        for noise in self._segments:
            self._sums.append(self._sums[-1] + noise)
