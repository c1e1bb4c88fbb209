"""The k-ary tree with negative digits: fewer levels than a binary tree, and subtraction halves the nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disttrack.mechanisms.counters.base import Counter, Run, noise_or_silence
from disttrack.mechanisms.counters.dyadic import BLOCK
from disttrack.mechanisms.noise import Draws, Floats, Laplace


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
class KAry(Counter):
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

    base: int = 19

    def __post_init__(self) -> None:
        super().__post_init__()
        odd = isinstance(self.base, int) and not isinstance(self.base, bool) and self.base % 2
        if not odd or self.base < 3:
            raise ValueError(f"base must be an odd whole number of at least 3; got {self.base!r}")

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

    def encoder(self, steps: int) -> Floats:
        rows: list[Floats] = []
        half = self.base // 2
        for t in range(1, steps + 1):
            reached = t  # the number given by the digits from this level on
            for level, digit in enumerate(balanced_digits(t, self.base)):
                size = self.base**level
                nodes = [reached - size]  # starts of the nodes that get their noise now
                if digit == -half:
                    nodes = [reached + (half - m) * size for m in range(1, half + 1)]
                elif digit <= 0:
                    break
                reached -= digit * size
                for start in nodes:
                    row = np.zeros(steps)
                    row[start : start + size] = 1 / self.scale
                    rows.append(row)
                if digit != -half:
                    break
        return np.array(rows)

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> KAryRun:
        return KAryRun(self, rng, silent)


class KAryRun(Run):
    """A running k-ary counter: for each digit its value, its noise, and the noises still to be subtracted."""

    __slots__ = ("_above", "_base", "_digits", "_draws", "_half", "_noises", "_one", "_pending")

    def __init__(self, counter: KAry, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        noise = noise_or_silence(Laplace(counter.scale), silent)
        self._draws = Draws(noise, rng, batch=min(2 * counter.steps, 1024))
        self._one = self._draws.one
        self._base = counter.base
        self._half = counter.base // 2
        levels = counter.levels
        self._digits = [0] * levels
        self._noises = [0.0] * levels
        self._pending: list[list[float]] = [[] for _ in range(levels)]
        self._above = 0.0

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        self.t = t
        self._total += x
        digit = self._digits[0]
        if digit == self._half:
            self._carry()
        else:
            self._digits[0] = digit + 1
            if digit >= 0:
                self._noises[0] += self._one()
            else:
                self._noises[0] = self._pending[0].pop()
        return self._total + (self._noises[0] + self._above)

    def _carry(self) -> None:
        """Reset every full digit to the lowest value, and raise the first digit that is not full."""
        level = 0
        half, one = self._half, self._one
        while self._digits[level] == half:
            # digit -m uses the last m nodes before the carry's point; they are subtracted, the furthest first
            noises = [0.0]
            for _ in range(half):
                noises.append(noises[-1] - one())
            self._noises[level] = noises.pop()
            self._pending[level] = noises
            self._digits[level] = -half
            level += 1
        self._digits[level] += 1
        if self._digits[level] > 0:
            self._noises[level] += one()
        else:
            self._noises[level] = self._pending[level].pop()
        self._above = sum(self._noises[1:])

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        out = np.empty(len(numbers))
        for at in range(0, len(numbers), BLOCK):
            block = self._prefixes(numbers[at : at + BLOCK])
            np.add(block, self._path(len(block)), out=out[at : at + BLOCK])
        return out

    def _path(self, size: int) -> Floats:
        """Return the noise of the next `size` steps, one level of digits after the other."""
        half, before, after = self._half, self.t, self.t + size
        moves: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        drawn = np.zeros(size, dtype=np.int64)
        for level in range(len(self._digits)):
            width = self._base**level
            # a digit changes when all digits below it have just become lowest
            first = -(-(before + 1 + (width - 1) // 2) // width) * width - (width - 1) // 2
            places = np.arange(first, after + 1, width) - before - 1
            number = (places + before + 1 + (width - 1) // 2) // width
            digits = (number + half) % self._base - half
            drawn[places] += np.where(digits == -half, half, digits > 0)
            moves.append((places, digits))
        draws = self._draws.many(int(drawn.sum()))
        starts = np.cumsum(drawn) - drawn
        above = np.zeros(size)
        lowest = np.zeros(size)
        for level, (places, digits) in enumerate(moves):
            now = self._noises[level]
            noises = self._level_noises(level, digits, starts[places] + level * half, draws)
            lasting = np.diff(places, prepend=0, append=size)
            path = np.repeat(np.concatenate(([now], noises)), lasting)
            if level:
                above += path
            else:
                lowest = path
        self._above = float(sum(self._noises[1:]))
        self.t = after
        lowest += above
        return lowest

    def _level_noises(self, level: int, digits: NDArray[np.int64], starts: NDArray[np.int64], draws: Floats) -> Floats:
        """Return the noise of a level after each change of its digit, and update its state."""
        half = self._half
        noises = np.empty(len(digits))
        lowest = np.flatnonzero(digits == -half)
        head = int(lowest[0]) if len(lowest) else len(digits)
        for i in range(head):  # the rest of the present cycle
            if digits[i] > 0:
                self._noises[level] += float(draws[starts[i]])
            else:
                self._noises[level] = self._pending[level].pop()
            noises[i] = self._noises[level]
        if len(lowest):
            cycles, width = len(lowest), self._base
            taken = -draws[starts[lowest][:, None] + np.arange(half)]
            down = np.cumsum(np.concatenate((np.zeros((cycles, 1)), taken), axis=1), axis=1)
            up = np.zeros(cycles * width)
            rest = digits[head:] > 0
            up[: len(rest)][rest] = draws[starts[head:][rest]]
            up = np.cumsum(up.reshape(cycles, width)[:, half + 1 :], axis=1)
            whole = np.concatenate((down[:, :0:-1], down[:, :1], up), axis=1).ravel()
            noises[head:] = whole[: len(rest)]
            self._noises[level] = float(noises[-1])
            left = max(0, -int(digits[-1]))
            self._pending[level] = down[-1, :left].tolist()
        if len(digits):
            self._digits[level] = int(digits[-1])
        return noises
