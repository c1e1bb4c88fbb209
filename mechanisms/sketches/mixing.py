"""Keyed hash functions on whole numbers of 64 bits: a fast replacement for a random function.

SplitMix64's finaliser, twice, with a key added before each: every bit of the result depends on every bit of item and
key. Python numbers and numpy arrays give the same values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(item: int, key: int) -> int:
    """Return the 64-bit hash of an item under a key.

    Examples
    --------
    >>> mixed(7, 1) == int(mixed_all(np.array([7]), 1)[0]), mixed(7, 1) == mixed(7, 2)
    (True, False)
    """
    return _final(_final((item + key) & MASK) ^ (key * GOLDEN & MASK))


def _final(value: int) -> int:
    value = (value + GOLDEN) & MASK
    value = (value ^ value >> 30) * _FIRST & MASK
    value = (value ^ value >> 27) * _SECOND & MASK
    return value ^ value >> 31


def mixed_all(items: NDArray[np.int64], key: int) -> Bits:
    """Return the hashes of many items under a key."""
    with np.errstate(over="ignore"):
        first = _finals(items.astype(np.uint64) + np.uint64(key & MASK))
        return _finals(first ^ np.uint64(key * GOLDEN & MASK))


def _finals(values: Bits) -> Bits:
    values = values + np.uint64(GOLDEN)
    values = (values ^ values >> np.uint64(30)) * np.uint64(_FIRST)
    values = (values ^ values >> np.uint64(27)) * np.uint64(_SECOND)
    return values ^ values >> np.uint64(31)
