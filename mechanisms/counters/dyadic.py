"""The noise path of a binary tree: W(t) = W(t without its lowest set bit) + a fresh draw.

Write W(t) for the noise in the estimate of step t. The dyadic intervals of t are those of t without its
lowest set bit, and one more that ends at t. So the state is a stack of W at the prefixes of t.
"""

from __future__ import annotations

from disttrack.mechanisms.noise import Floats

BLOCK = 1 << 15
"""Steps processed at a time, so that they stay in the cache."""


def extend_path(fresh: Floats, before: int, stack: list[float]) -> list[float]:
    """Turn fresh draws into W at the steps after `before`, in place, and return the new stack.

    Parameters
    ----------
    fresh
        One draw per next step; afterwards W at these steps.
    before
        Steps taken so far.
    stack
        W at the prefixes of `before`: the value at index j belongs to its j highest set bits.
    """
    after = before + len(fresh)
    for level in reversed(range(after.bit_length())):
        half = 1 << level
        first = (((before >> level) + 1) | 1) << level  # the first odd multiple of 2^level after `before`
        if first > after:
            continue
        if first - half <= before:
            fresh[first - before - 1] += stack[(first - half).bit_count()]
            first += 2 * half
        if first <= after:
            children = fresh[first - before - 1 :: 2 * half]
            children += fresh[first - half - before - 1 :: 2 * half][: len(children)]
    prefixes = []
    prefix = after
    while prefix:
        known = prefix <= before
        prefixes.append(stack[prefix.bit_count()] if known else float(fresh[prefix - before - 1]))
        prefix &= prefix - 1
    return [stack[0], *reversed(prefixes)]
