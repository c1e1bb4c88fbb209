"""The smooth binary mechanism: a tree of which only leaves with the same number of ones are used."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

from disttrack.mechanisms.checks import at_most
from disttrack.mechanisms.counters.linear import NodeCounter, Nodes


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
