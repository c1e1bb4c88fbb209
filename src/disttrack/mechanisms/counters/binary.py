"""Counters on trees: the binary mechanism, its smooth form, with its variance reduced, and the k-ary tree.

None has a rule for a single step: each states its nodes (`dyadic_nodes` follows the lines of the binary mechanism),
from which the noise of one step and of many is computed, so that the two cannot differ.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.checks import at_least, at_most, odd, whole
from disttrack.mechanisms.counters.linear import NodeCounter, NodeNoise, Nodes, UserLevelCounter, dyadic_nodes
from disttrack.mechanisms.noise import Ahead, Draws, Floats, Laplace


@dataclass(frozen=True)
class Binary(NodeCounter):
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
        the privacy loss is then more than `epsilon`; only for comparison with published variances, with one
        participation.

    Raises
    ------
    ValueError
        If `epsilon` is not above 0, or `horizon` not a whole number of at least 1 (2 where `literal`).

    Source
    ------
    Chan, Shi, Song 2011; Xiong, Zhu, Huang 2023, Algorithm 3.
    floor(log2 horizon) + 1 levels are derived.

    Examples
    --------
    >>> Binary(epsilon=1.0, horizon=1024).levels
    11
    >>> Binary(epsilon=1.0, horizon=4).variance(3)
    36.0
    """

    kind = "binary"
    error = "sqrt(2 popcount(t)) levels / epsilon, levels = floor(log2 horizon) + 1"
    memory = "O(log t)"

    literal: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.literal:
            whole("horizon", self.horizon, least=2)
            at_most(1)("participations", self.participations)

    @property
    def levels(self) -> float:
        """Largest number of intervals with an entry: log2 of the horizon if `literal`, as in Algorithm 3, l. 1."""
        return math.log2(self.steps) if self.literal else self.steps.bit_length()

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, t.bit_count())]

    def nodes(self, before: int, upto: int) -> Nodes:
        return dyadic_nodes(before, upto)


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
class KAry(NodeCounter):
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
    Andersson, Pagh, Steiner, Torkamani 2025.
    "Count on your elders: Laplace vs Gaussian noise".

    Examples
    --------
    >>> KAry(epsilon=1.0, horizon=1024).levels
    3
    """

    kind = "k-ary"
    slowness = 2.0
    error = "sqrt(2 sum of |digits of t|) levels / epsilon, levels = log_k(2 horizon + 1) rounded up"
    memory = "O(base log t)"
    arithmetic = "grid"

    base: Annotated[int, at_least(3), odd] = 19

    @property
    def levels(self) -> int:
        """Digits of the horizon, which is also the largest number of nodes that contain an entry."""
        return len(balanced_digits(self.steps, self.base))

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

    def nodes(self, before: int, upto: int) -> Nodes:
        """Return the nodes that get their noise in these steps.

        The digit of a level changes when all digits below it have just become the lowest one. The new digit adds a
        node; if it is the lowest one too, the nodes before the point of the carry are subtracted, the furthest longest.
        """
        half, width = self.base // 2, 1
        uses = np.arange(half, 0, -1)
        levels = []
        while (changed := (upto + width // 2) // width) > (unchanged := (before + width // 2) // width):
            numbers = np.arange(unchanged + 1, changed + 1)
            reached, steps, digits = numbers * width, numbers * width - width // 2, (numbers + half) % self.base - half
            added, carried = digits > 0, digits == -half
            until = steps + (half + 1 - digits) * width
            levels.append((steps[added], until[added], reached[added] - width, reached[added], digits[added] * 0 + 1))
            begin, beyond = (np.repeat(of[carried], half) for of in (steps, reached))
            use = np.tile(uses, np.count_nonzero(carried)) * width
            levels.append((begin, begin + use, beyond + use - width, beyond + use, use * 0 - 1))
            width *= self.base
        columns = [np.concatenate(parts) for parts in zip(*levels, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        return Nodes(*(column[order] for column in columns))

    def noise(self, rng: np.random.Generator) -> NodeNoise:
        return NodeNoise(self.nodes, Draws(Laplace(self.scale), rng, batch=min(2 * self.steps, 1024)))

    encoder = NodeCounter.encoder


@lru_cache(maxsize=128)
def balance(steps: int) -> tuple[int, int]:
    """Return the numbers of ones and zeros of least variance, ones zeros^2, with at least `steps` + 1 such leaves.

    Examples
    --------
    >>> balance(1024), balance(10**6)
    ((17, 3), (27, 6))
    """

    def fewest_ones(zeros: int) -> int:
        return bisect_left(range(steps + 1), steps + 1, key=lambda ones: comb(ones + zeros, zeros))

    pairs = [(fewest_ones(zeros), zeros) for zeros in range(1, steps.bit_length() + 1)]
    return min(pairs, key=lambda pair: pair[0] * pair[1] ** 2)


@dataclass(frozen=True)
class SmoothBinary(NodeCounter):
    """Smooth binary mechanism: every estimate adds the same number of nodes, so all have the same distribution.

    Step t belongs to leaf t, from 0, of those leaves of a binary tree whose path has `ones` ones and
    `zeros` zeros. The sum up to t is that of the left siblings along its path, one per one. An item is in
    one such node per zero, so each has Lap(zeros / epsilon), and Var_t = 2 ones (zeros / epsilon)^2.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most, up to 2^61.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Andersson, Pagh 2023, Algorithm 2.
    It has as many ones as zeros, and normal noise; the numbers that are best for Laplace noise are derived here.

    Examples
    --------
    >>> SmoothBinary(epsilon=1.0, horizon=1024).variance(7)
    306.0
    """

    kind = "smooth-binary"
    slowness = 8.0
    error = "sqrt(2 ones) zeros / epsilon at every step, where binomial(ones + zeros, zeros) > horizon"
    memory = "O(log horizon)"

    def __post_init__(self) -> None:
        super().__post_init__()
        at_most(1 << 61)("horizon", self.steps)

    @property
    def levels(self) -> int:
        """Zeros of a leaf's path, the number of nodes that an entry lies in at most."""
        return balance(self.steps)[1]

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, balance(self.steps)[0])]

    def nodes(self, before: int, upto: int) -> Nodes:
        """Return the nodes whose right sibling is entered in these steps, the root's children first.

        `base` leaves lie left of the node's sibling, `last` of them left of the node itself, and entry i is at leaf
        i - 1. The nodes of leaf 0 have no entries, and are drawn at step 1.
        """
        ones, zeros = balance(self.steps)
        steps = np.arange(before + 1, upto + 1)
        base, left = np.zeros_like(steps), np.full_like(steps, zeros)
        parts = []
        for bit in reversed(range(ones + zeros)):
            below = np.array([0, *(comb(bit, k) for k in range(zeros))])  # by the zeros left in this and the lower bits
            within = np.array([comb(bit + 1, k) for k in range(zeros + 1)])
            last = base + below[left]
            right = steps >= last
            entered = right & ((steps == last) | (steps == 1))
            parts.append([part[entered] for part in (steps, base + within[left], base, last)])
            base, left = np.where(right, last, base), left - ~right
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        return Nodes(*(column[order] for column in columns))


def own_weight(height: int) -> float:
    """Return the weight of a node's own noisy sum in its refined estimate, 2^h / (2^(h+1) - 1)."""
    return 2.0**height / (2.0 ** (height + 1) - 1)


@dataclass(frozen=True)
class TreeVarianceReduced(UserLevelCounter):
    """Binary tree whose nodes are refined from below: the best estimate from a node and its descendants.

    All nodes of the tree get noise Lap(levels / epsilon), of variance s^2. A node of height h weighs its
    own noisy sum with 2^h / (2^(h+1) - 1) and its children's refined sums with the rest, which leaves
    variance v_h = s^2 2^h / (2^(h+1) - 1): two thirds, four sevenths, ... towards a half. Var_t adds v_h
    over t's set bits.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most.

    Source
    ------
    Honaker 2015, estimation from below.
    Over the tree of Chan, Shi, Song 2011.

    Examples
    --------
    >>> round(TreeVarianceReduced(epsilon=1.0, horizon=4).variance(4), 6)
    10.285714
    """

    kind = "tree-variance-reduced"
    error = "about sqrt(1/2 + small) of the binary counter's"
    memory = "O(log t)"
    arithmetic = "grid"

    @property
    def levels(self) -> int:
        """Largest number of nodes that contain an entry."""
        return self.steps.bit_length()

    @property
    def scale(self) -> float:
        """Scale of the noise of a node."""
        return self.entries * self.levels / self.epsilon

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        parts = []
        for height in range(t.bit_length()):
            if not t >> height & 1:
                continue
            passed_down = self.scale
            for below in reversed(range(height + 1)):
                parts.append((passed_down * own_weight(below), 1 << (height - below)))
                passed_down *= 1 - own_weight(below)
        return parts

    def encoder(self, steps: int) -> Floats:
        rows = []
        for t in range(1, steps + 1):
            for height in range((t & -t).bit_length()):
                row = np.zeros(steps)
                row[t - (1 << height) : t] = 1 / self.scale
                rows.append(row)
        return np.array(rows)

    def noise(self, rng: np.random.Generator) -> NodeNoise:
        return NodeNoise(dyadic_nodes, RefinedNodes(Draws(Laplace(self.scale), rng, batch=min(2 * self.steps, 1024))))


class RefinedNodes(Ahead):
    """The refined noise of the longest dyadic interval that ends at each step.

    Step t draws for the nodes that end with it, from the leaf upwards. A node's left child is the last node of its
    height that was not a right child, so one refined noise per height is kept.
    """

    __slots__ = ("_draws", "_left", "_t", "spacing")

    def __init__(self, draws: Draws) -> None:
        super().__init__()
        self._draws = draws
        self.spacing = draws.spacing
        self._left: dict[int, float] = {}
        self._t = 0

    def ahead(self) -> Floats:
        """Return the nodes of the steps for which a batch of draws suffices."""
        steps = 0
        while not steps:
            left = self._draws.refill()
            steps = int(np.searchsorted(self._drawn(left + 1)[1:], left, side="right"))
        return self.fresh(steps)

    def _drawn(self, size: int) -> NDArray[np.int64]:
        """Return the number of draws before each of the next `size` steps, from the next one on."""
        steps = np.arange(self._t, self._t + size)
        drawn = 2 * steps - np.bitwise_count(steps)  # one, and one per trailing zero, each
        return np.asarray(drawn - drawn[0])

    def fresh(self, size: int) -> Floats:
        before, after = self._t, self._t + size
        drawn = self._drawn(size + 1)
        draws, drawn = self._draws.many(int(drawn[-1])), drawn[:-1]
        nodes = draws[drawn]
        for height in range(1, after.bit_length()):
            width, half = 1 << height, 1 << (height - 1)
            first = (before // width + 1) * width - before - 1  # place of the first node of this height
            right = nodes[first::width]  # the same steps' nodes of the height below
            if first >= half:
                left = nodes[first - half :: width][: len(right)]
            else:
                left = np.concatenate(([self._left[height - 1]], nodes[first + half :: width]))[: len(right)]
            own, mine = own_weight(height), draws[drawn[first::width] + height]
            right[:] = self._draws.on_grid(own * mine + (1 - own) * (left + right))
        for height in range(after.bit_length()):
            last = (((after >> height) - 1) | 1) << height  # the last odd multiple of 2^height up to `after`
            if last > before:
                self._left[height] = float(nodes[last - before - 1])
        self._t = after
        return nodes
