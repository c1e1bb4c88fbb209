"""The k-ary tree with negative digits: fewer levels than a binary tree, and subtraction halves the nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.checks import at_least, odd
from disttrack.mechanisms.counters.linear import LinearCounter
from disttrack.mechanisms.noise import Draws, Floats, Laplace

Steps = NDArray[np.int64]


Node = tuple[int, int, int, int]
"""A node with noise: its first item, from 0, its size, the step from which it is not used any more, and its sign."""


def balanced_digits(number: int, base: int) -> list[int]:
    """Return the digits of `number` in an odd base, each from -(base - 1)/2 to (base - 1)/2, lowest first.

    Examples
    --------
    >>> balanced_digits(18, 19), balanced_digits(10, 3)
    ([-1, 1], [1, 0, 1])
    """
    digits = []
    half = base // 2
    while number:
        digit = (number + half) % base - half
        digits.append(digit)
        number = (number - digit) // base
    return digits


@dataclass(frozen=True)
class KAry(LinearCounter):
    """k-ary tree with negative digits: t is written with digits from -(k-1)/2 to (k-1)/2.

    The estimate of step t adds the noisy nodes of the positive digits and subtracts those of the
    negative ones, which also cover items after t; their exact sums cancel, their noise does not. With
    h digits an entry lies in h nodes, so each has Lap(h / epsilon) and Var_t = 2 (sum of \\|digits\\|)
    (h / epsilon)^2. At k = 19 the mean is about 8 times less than the binary counter's for long streams.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most.
    base
        Children of a node, k: odd, at least 3.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Andersson, Pagh, Steiner, Torkamani 2025, "Count on your elders: Laplace vs Gaussian noise".

    Examples
    --------
    >>> KAry(epsilon=1.0, horizon=1024).levels
    3
    """

    kind = "k-ary"
    source = "Andersson, Pagh, Steiner, Torkamani 2025"
    error = "sqrt(2 sum of |digits of t|) levels / epsilon, levels = log_k(2 horizon + 1) rounded up"
    memory = "O(base log t)"
    arithmetic = "grid"

    base: Annotated[int, at_least(3), odd] = 19

    @property
    def levels(self) -> int:
        """Digits of the horizon, which is also the largest number of nodes that contain an entry."""
        return len(balanced_digits(self.steps, self.base))

    @property
    def scale(self) -> float:
        """Scale of the noise of a node."""
        return self.levels / self.epsilon

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, sum(map(abs, balanced_digits(t, self.base))))]

    def worst_steps(self, steps: int) -> Sequence[int]:
        # one digit of `steps` is lowered, by one or as far as possible, and all digits below it are maximal
        candidates, above = [steps], 0
        for level, digit in reversed(list(enumerate(balanced_digits(steps, self.base)))):
            size = self.base**level
            for lowered in {digit - 1, -(self.base // 2)}:
                if lowered < digit:
                    candidates.append(above + lowered * size + (size - 1) // 2)
            above += digit * size
        return [t for t in candidates if t >= 1]

    def nodes(self, t: int) -> Iterator[Node]:
        """Return the nodes that get their noise at step `t`, in the order of the draws.

        The digit of a level changes when all digits below it have just become the lowest one.
        """
        half, size, reached = self.base // 2, 1, t
        digit = -half
        while digit == -half:
            digit = (reached // size + half) % self.base - half
            if digit == -half:  # the last nodes before the carry's point are subtracted, the furthest longest
                for uses in range(half, 0, -1):
                    yield reached + (uses - 1) * size, size, t + uses * size, -1
            elif digit > 0:
                yield reached - size, size, t + (half + 1 - digit) * size, 1
            reached -= digit * size  # the lowest digits of this number are 0
            size *= self.base

    def encoder(self, steps: int) -> Floats:
        items = np.arange(steps)
        nodes = [node for t in range(1, steps + 1) for node in self.nodes(t)]
        return np.array([(items >= start) & (items < start + size) for start, size, _, _ in nodes]) / self.scale

    def noise(self, rng: np.random.Generator) -> KAryNoise:
        return KAryNoise(self, Draws(Laplace(self.scale), rng, batch=min(2 * self.steps, 1024)))


class KAryNoise:
    """The noise of the nodes in use: each is added, or subtracted, from its draw until its digit has passed."""

    __slots__ = ("_counter", "_draws", "_ending", "_noise", "_one", "_t")

    def __init__(self, counter: KAry, draws: Draws) -> None:
        self._counter, self._draws, self._one = counter, draws, draws.one
        self._ending: defaultdict[int, float] = defaultdict(float)
        """Noise that is removed at a later step."""
        self._noise = 0.0
        self._t = 0

    def one(self) -> float:
        self._t = t = self._t + 1
        self._noise -= self._ending.pop(t, 0.0)
        for _, _, until, sign in self._counter.nodes(t):
            noise = sign * self._one()
            self._noise += noise
            self._ending[until] += noise
        return self._noise

    def many(self, size: int) -> Floats:
        before, after = self._t, self._t + size
        begin, until, noise = self._drawn(before, after)
        path = np.zeros(size)
        path += np.bincount(begin - before - 1, noise, size)
        ends = until <= after
        path -= np.bincount(until[ends] - before - 1, noise[ends], size)
        for t in [t for t in self._ending if t <= after]:
            path[t - before - 1] -= self._ending.pop(t)
        for t, left in zip(until[~ends].tolist(), noise[~ends].tolist(), strict=True):
            self._ending[t] += left
        path[0] += self._noise
        np.cumsum(path, out=path)
        self._noise, self._t = float(path[-1]), after
        return path

    def _drawn(self, before: int, after: int) -> tuple[Steps, Steps, Floats]:
        """Return the first step, the step of removal and the signed noise of the nodes of several steps."""
        base, half, width = self._counter.base, self._counter.base // 2, 1
        uses = np.arange(half, 0, -1)
        begin, until, signs = [], [], []
        while (changed := (after + width // 2) // width) > (unchanged := (before + width // 2) // width):
            numbers = np.arange(unchanged + 1, changed + 1)
            steps, digits = numbers * width - width // 2, (numbers + half) % base - half
            carries, positive = steps[digits == -half, None], digits > 0
            begin += [np.repeat(carries, half), steps[positive]]
            until += [(carries + uses * width).ravel(), steps[positive] + (half + 1 - digits[positive]) * width]
            signs += [np.full(carries.size * half, -1.0), np.ones(np.count_nonzero(positive))]
            width *= base
        first, noise = np.concatenate(begin), np.concatenate(signs)
        noise[np.argsort(first, kind="stable")] *= self._draws.many(len(first))
        return first, np.concatenate(until), noise
