"""The k-ary tree with negative digits: fewer levels than a binary tree, and subtraction halves the nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mechanisms.counters.base import Counter, Run, law_or_silence
from mechanisms.noise import Draws, Floats, Laplace


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
    negative ones, which cover items after t as well; their exact sums cancel, their noise does not. With
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

    base: int = 19

    def __post_init__(self) -> None:
        super().__post_init__()
        odd = isinstance(self.base, int) and not isinstance(self.base, bool) and self.base % 2
        if not odd or self.base < 3:
            raise ValueError(f"base must be an odd whole number of at least 3; got {self.base!r}")

    @property
    def levels(self) -> int:
        """Digits of the horizon, which is also the number of nodes that an entry lies in at most."""
        return len(balanced_digits(self.steps, self.base))

    @property
    def scale(self) -> float:
        """Scale of the noise of a node."""
        return self.levels / self.epsilon

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, sum(map(abs, balanced_digits(t, self.base))))]

    def worst_steps(self, steps: int) -> Sequence[int]:
        # one digit of `steps` is lowered, by one or as far as can be, and all below it are as large as can be
        found, above = [steps], 0
        for level, digit in reversed(list(enumerate(balanced_digits(steps, self.base)))):
            size = self.base**level
            for lowered in {digit - 1, -(self.base // 2)}:
                if lowered < digit:
                    found.append(above + lowered * size + (size - 1) // 2)
            above += digit * size
        return [t for t in found if t >= 1]

    def encoder(self, steps: int) -> Floats:
        rows: list[Floats] = []
        half = self.base // 2
        for t in range(1, steps + 1):
            reached = t  # what the digits from this level on make up
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
    """A k-ary counter at work: for each digit its value, its noise, and the noises still to be taken back."""

    __slots__ = ("_above", "_digits", "_half", "_noises", "_one", "_pending")

    def __init__(self, counter: KAry, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        law = law_or_silence(Laplace(counter.scale), silent)
        self._one = Draws(law, rng, batch=min(2 * counter.steps, 1024)).one
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
        """Turn every digit that is full into the lowest, and raise the first that is not."""
        level = 0
        half, one = self._half, self._one
        while self._digits[level] == half:
            # digit -m uses the last m nodes before the carry's point; they are given back the furthest first
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
