"""The binary mechanism: noisy sums of dyadic intervals, one interval per set bit of t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.counters.base import Counter, Run, noise_or_silence
from disttrack.mechanisms.counters.dyadic import BLOCK, extend_path
from disttrack.mechanisms.noise import Draws, Floats, Laplace


@dataclass(frozen=True)
class Binary(Counter):
    """Binary mechanism: the estimate of step t adds up the noisy sums of popcount(t) dyadic intervals.

    Each entry lies in at most `levels` intervals, and each interval has noise Lap(levels / epsilon). So
    Var_t = 2 popcount(t) (levels / epsilon)^2. Entries may be any real numbers; neighbours differ by 1 in
    total.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most.
    literal
        True uses the published log2(horizon) as the number of levels. It is up to one level short, so
        the privacy loss is then more than `epsilon`; only for comparison with published variances.

    Raises
    ------
    ValueError
        If `epsilon` is not above 0, or `horizon` not a whole number of at least 1 (2 where `literal`).

    Source
    ------
    Chan, Shi, Song 2011; Algorithm 3 of Xiong, Zhu, Huang 2023. floor(log2 horizon) + 1 levels, derived.

    Examples
    --------
    >>> Binary(epsilon=1.0, horizon=1024).levels
    11
    >>> Binary(epsilon=1.0, horizon=4).variance(3)
    36.0
    """

    kind = "binary"
    source = "Chan, Shi, Song 2011; Xiong, Zhu, Huang 2023, Algorithm 3"
    error = "sqrt(2 popcount(t)) levels / epsilon, levels = floor(log2 horizon) + 1"
    memory = "O(log t)"
    arithmetic = "grid"

    literal: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.literal:
            whole("horizon", self.horizon, least=2)

    @property
    def levels(self) -> float:
        """Largest number of intervals that contain an entry (log2 of the horizon if `literal`)."""
        return math.log2(self.steps) if self.literal else self.steps.bit_length()

    @property
    def scale(self) -> float:
        """Scale of the noise of an interval."""
        return self.levels / self.epsilon

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, t.bit_count())]

    def encoder(self, steps: int) -> Floats:
        ends = np.arange(1, steps + 1)
        starts = ends & (ends - 1)
        return ((ends > starts[:, None]) & (ends <= ends[:, None])) / self.scale

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> BinaryRun:
        return BinaryRun(self, rng, silent)


class BinaryRun(Run):
    """A running binary counter; its state is the exact sum and a stack of noises, one per set bit of t."""

    __slots__ = ("_draws", "_one", "_stack")

    def __init__(self, counter: Binary, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        noise = noise_or_silence(Laplace(counter.scale), silent)
        self._draws = Draws(noise, rng, batch=min(counter.steps, 1024))
        self._one = self._draws.one
        self._stack = [0.0]

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        self.t = t
        self._total += x
        stack = self._stack
        if not t & 1:
            del stack[1 - (t & -t).bit_length() :]
        noise = stack[-1] + self._one()
        stack.append(noise)
        return self._total + noise

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        out = np.empty(len(numbers))
        for at in range(0, len(numbers), BLOCK):
            block = self._prefixes(numbers[at : at + BLOCK])
            noise = self._draws.many(len(block))
            self._stack = extend_path(noise, self.t, self._stack)
            self.t += len(block)
            np.add(block, noise, out=out[at : at + BLOCK])
        return out
