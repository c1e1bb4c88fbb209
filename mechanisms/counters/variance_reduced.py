"""The binary tree with its variance reduced: a node is estimated from itself and all nodes below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.counters.base import Counter, Run, noise_or_silence
from disttrack.mechanisms.counters.dyadic import BLOCK
from disttrack.mechanisms.noise import Draws, Floats, Laplace


def own_weight(height: int) -> float:
    """Return the weight of a node's own noisy sum in its refined estimate, 2^h / (2^(h+1) - 1)."""
    return 2.0**height / (2.0 ** (height + 1) - 1)


@dataclass(frozen=True)
class TreeVarianceReduced(Counter):
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
    Honaker 2015, estimation from below, over the tree of Chan, Shi, Song 2011.

    Examples
    --------
    >>> round(TreeVarianceReduced(epsilon=1.0, horizon=4).variance(4), 6)
    10.285714
    """

    kind = "tree-variance-reduced"
    source = "Honaker 2015, estimation from below"
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
        return self.levels / self.epsilon

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

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> TreeVarianceReducedRun:
        return TreeVarianceReducedRun(self, rng, silent)


class TreeVarianceReducedRun(Run):
    """A running variance-reduced tree.

    It keeps, for each set bit of t, the refined noise of the node and the sum of these so far; a left
    child is kept until its sibling closes. Step t draws for the nodes that close with it, from the leaf
    upwards.
    """

    __slots__ = ("_draws", "_nodes", "_one", "_sums", "_weights")

    def __init__(self, counter: TreeVarianceReduced, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        noise = noise_or_silence(Laplace(counter.scale), silent)
        self._draws = Draws(noise, rng, batch=min(2 * counter.steps, 1024))
        self._one = self._draws.one
        self._weights = [own_weight(height) for height in range(counter.levels)]
        self._nodes: list[float] = []
        self._sums = [0.0]

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        self.t = t
        self._total += x
        node = self._one()
        height = 0
        while not t >> height & 1:
            height += 1
            own = self._weights[height]
            node = self._draws.on_grid(own * self._one() + (1 - own) * (self._nodes.pop() + node))
            self._sums.pop()
        self._nodes.append(node)
        noise = self._sums[-1] + node
        self._sums.append(noise)
        return self._total + noise

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        out = np.empty(len(numbers))
        for at in range(0, len(numbers), BLOCK):
            block = self._prefixes(numbers[at : at + BLOCK])
            np.add(block, self._path(len(block)), out=out[at : at + BLOCK])
        return out

    def _path(self, size: int) -> Floats:
        """Return the noise of the next `size` steps, refining whole levels at a time."""
        before, after = self.t, self.t + size
        ends = np.arange(before + 1, after + 1)
        drawn = 2 * (ends - 1) - np.bitwise_count(ends - 1)  # draws before each step: 1 + trailing zeros each
        drawn -= drawn[0]
        last = int(drawn[-1]) + (after & -after).bit_length()
        draws = self._draws.many(last)
        old = {}  # refined noise of the nodes on the stack, and the sum up to them, by the step they end at
        end = before
        for node, total in zip(reversed(self._nodes), reversed(self._sums[1:]), strict=True):
            old[end] = (node, total)
            end &= end - 1
        refined = draws[drawn]
        levels = [refined]
        for height in range(1, after.bit_length()):
            width = 1 << height
            first = (before // width + 1) * width
            if first > after:
                break
            own = self._weights[height]
            mine = draws[drawn[first - before - 1 :: width] + height]
            right_at = first - before - 1
            below = levels[-1]  # nodes of height - 1 that end at multiples of width / 2 after `before`
            start = (before // (width // 2) + 1) * (width // 2)
            index = (right_at + before + 1 - start) // (width // 2)
            right = below[index::2][: len(mine)]
            if index == 0:
                left = np.concatenate(([old[first - width // 2][0]], below[1::2]))[: len(mine)]
            else:
                left = below[index - 1 :: 2][: len(mine)]
            levels.append(self._draws.on_grid(own * mine + (1 - own) * (left + right)))
        return self._add_up(levels, before, after, old)

    def _add_up(self, levels: list[Floats], before: int, after: int, old: dict[int, tuple[float, float]]) -> Floats:
        """Return the refined noise summed over the set bits of each step; update the stacks."""
        path = np.empty(after - before)
        for height in reversed(range(len(levels))):
            half = 1 << height
            first = (before // half + 1) * half
            nodes = levels[height]
            odd = (first // half) & 1 == 0  # the first node of this level may be a right child: skip it
            ends = range(first + odd * half, after + 1, 2 * half)
            if not len(ends):
                continue
            own = nodes[int(odd) :: 2][: len(ends)]
            places = path[ends[0] - before - 1 :: 2 * half]
            if ends[0] - half <= before:
                parent = old[ends[0] - half][1] if ends[0] - half else 0.0
                places[0] = parent + own[0]
                own, places = own[1:], places[1:]
                source = ends[0] + half
            else:
                source = ends[0] - half
            if len(places):
                places[:] = path[source - before - 1 :: 2 * half][: len(places)] + own
        self._settle(levels, path, before, after, old)
        return path

    def _settle(
        self,
        levels: list[Floats],
        path: Floats,
        before: int,
        after: int,
        old: dict[int, tuple[float, float]],
    ) -> None:
        """Update the stacks to step `after`."""
        nodes, sums = [], []
        end = after
        while end:
            height = (end & -end).bit_length() - 1
            if end <= before:
                node, total = old[end]
            else:
                first = (before // (1 << height) + 1) << height
                node = float(levels[height][(end - first) >> height])
                total = float(path[end - before - 1])
            nodes.append(node)
            sums.append(total)
            end &= end - 1
        self._nodes = nodes[::-1]
        self._sums = [0.0, *sums[::-1]]
        self.t = after
