"""The hybrid counter for an unknown horizon: releases at powers of two, binary trees between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.counters.base import Counter, Run, noise_or_silence
from disttrack.mechanisms.counters.dyadic import BLOCK, extend_path
from disttrack.mechanisms.noise import Draws, Floats, Laplace


@dataclass(frozen=True)
class Hybrid(Counter):
    """Hybrid mechanism: no horizon is needed; the error grows with the logarithm of the steps so far.

    With P = 2^i the last power of two up to t, the estimate is the sum up to P with noise of i + 1
    epochs, Lap(2 / epsilon) each, plus a binary counter over the items since P, at epsilon / 2 and with
    max(1, i) levels. Var_t = 8 (i + 1) / epsilon^2 + 2 popcount(t - P) (2 max(1, i) / epsilon)^2.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most; None for no end.

    Source
    ------
    Chan, Shi, Song 2011, the hybrid mechanism; the item that ends an epoch enters the epoch's release
    only.

    Examples
    --------
    >>> [Hybrid(epsilon=1.0).variance(t) for t in (1, 2, 3, 7, 1000)]
    [8.0, 16.0, 24.0, 88.0, 3320.0]
    """

    kind = "hybrid"
    source = "Chan, Shi, Song 2011, hybrid mechanism; Qiu, Yi 2022, section 2"
    error = "sqrt(8 (i + 1) + 8 popcount(t - 2^i) i^2) / epsilon, i = floor(log2 t)"
    memory = "O(log t)"
    arithmetic = "grid"
    needs_horizon = False

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        power = t.bit_length() - 1
        rest = (t - (1 << power)).bit_count()
        return [(2 / self.epsilon, power + 1), (2 * max(1, power) / self.epsilon, rest)]

    def encoder(self, steps: int) -> Floats:
        rows = np.zeros((steps, steps))
        for t in range(1, steps + 1):
            power = t.bit_length() - 1
            since = t - (1 << power)
            if since:
                rows[t - 1, t - (since & -since) : t] = self.epsilon / (2 * max(1, power))
            else:
                rows[t - 1, t >> 1 : t] = self.epsilon / 2
        return rows

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> HybridRun:
        return HybridRun(self, rng, silent)


class HybridRun(Run):
    """A running hybrid counter: the stack of a binary counter, plus the noise of the epochs."""

    __slots__ = ("_draws", "_of_epochs", "_of_trees", "_one", "_power", "_silent", "_stack")

    def __init__(self, counter: Hybrid, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        of_epochs, self._of_trees = rng.spawn(2)
        self._silent = silent
        self._of_epochs = Draws(noise_or_silence(Laplace(2 / counter.epsilon), silent), of_epochs, batch=1)
        self._power = 0
        self._stack = [0.0]

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        self.t = t
        self._total += x
        since = t - self._power
        if since == self._power or t == 1:
            self._begin_epoch(t)
            return self._total + self._stack[0]
        stack = self._stack
        if not since & 1:
            del stack[1 - (since & -since).bit_length() :]
        noise = stack[-1] + self._one()
        stack.append(noise)
        return self._total + noise

    def _begin_epoch(self, t: int) -> None:
        """Release the sum up to t, a power of two, and start a fresh tree."""
        self._power = t
        self._stack = [self._stack[0] + self._of_epochs.one()]
        # a tree draws once per step, up to the end of its epoch; another scale needs another grid
        noise = noise_or_silence(Laplace(2 * max(1, t.bit_length() - 1) / self.epsilon), self._silent)
        self._draws = Draws(noise, self._of_trees.spawn(1)[0], batch=min(max(1, t - 1), 1024))
        self._one = self._draws.one

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        out = np.empty(len(numbers))
        at = 0
        while at < len(numbers):
            room = max(0, 2 * self._power - 1 - self.t)
            size = min(BLOCK, len(numbers) - at, room)
            if not size:
                out[at] = self.step(float(numbers[at]))
                at += 1
                continue
            noise = self._draws.many(size)
            self._stack = extend_path(noise, self.t - self._power, self._stack)
            self.t += size
            np.add(self._prefixes(numbers[at : at + size]), noise, out=out[at : at + size])
            at += size
        return out
