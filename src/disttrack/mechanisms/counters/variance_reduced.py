"""The binary tree with its variance reduced: a node is estimated from itself and all nodes below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.counters.linear import NodeNoise, UserLevelCounter, dyadic_nodes
from disttrack.mechanisms.noise import Ahead, Draws, Floats, Laplace


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
