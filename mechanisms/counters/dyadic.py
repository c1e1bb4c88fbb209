"""The noise path of a binary tree: W(t) = W(t without its lowest set bit) + the noise of the node that ends at t.

Write W(t) for the noise in the estimate of step t. The dyadic intervals of t are those of t without its
lowest set bit, and one more that ends at t. So the state is a stack of W at the prefixes of t.
"""

from __future__ import annotations

from disttrack.mechanisms.counters.linear import NoisePath
from disttrack.mechanisms.noise import Floats


class DyadicNoise:
    """The noise W of a binary tree.

    With i the number of trailing zeros of t, Algorithm 3 of Xiong, Zhu, Huang 2023 forgets the noisy sums of the levels
    below i, draws that of level i, and adds up those of the set bits of t.

    Parameters
    ----------
    nodes
        Noise of the longest dyadic interval that ends at each step.
    """

    __slots__ = ("_next_node", "_nodes", "_stack", "_t")

    def __init__(self, nodes: NoisePath) -> None:
        self._nodes, self._next_node = nodes, nodes.one
        self._stack = [0.0]  # W at the prefixes of t: the value at index j belongs to the j highest set bits
        self._t = 0

    def one(self) -> float:
        self._t = t = self._t + 1
        stack = self._stack
        if not t & 1:
            del stack[1 - (t & -t).bit_length() :]  # levels below i: the intervals that the new one contains
        noise = stack[-1] + self._next_node()
        stack.append(noise)
        return noise

    def many(self, size: int) -> Floats:
        path, before, after = self._nodes.many(size), self._t, self._t + size
        for level in reversed(range(after.bit_length())):
            half = 1 << level
            first = (((before >> level) + 1) | 1) << level  # the first odd multiple of 2^level after `before`
            if first > after:
                continue
            if first - half <= before:
                path[first - before - 1] += self._stack[(first - half).bit_count()]
                first += 2 * half
            if first <= after:
                children = path[first - before - 1 :: 2 * half]
                children += path[first - half - before - 1 :: 2 * half][: len(children)]
        prefixes = []
        prefix = after
        while prefix:
            known = prefix <= before
            prefixes.append(self._stack[prefix.bit_count()] if known else float(path[prefix - before - 1]))
            prefix &= prefix - 1
        self._stack, self._t = [0.0, *reversed(prefixes)], after
        return path
