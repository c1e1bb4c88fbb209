"""Keyed hash functions on whole numbers of 64 bits: a fast replacement for a random function.

SplitMix64's finaliser, twice, with a key added before each: every bit of the result depends on every bit of item and
key. Python numbers and numpy arrays, whose arithmetic is modulo 2^64, give the same values.
"""

from __future__ import annotations

from typing import Any

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(items: Any, key: int) -> Any:
    """Return the 64-bit hash of an item, or of each item of an array of uint64, under a key of at most 64 bits.

    Examples
    --------
    >>> import numpy as np
    >>> mixed(7, 1) == int(mixed(np.array([7], dtype=np.uint64), 1)[0]), mixed(7, 1) == mixed(7, 2)
    (True, False)
    """
    return _final(_final((items + key) & MASK) ^ (key * GOLDEN & MASK))


def _final(value: Any) -> Any:
    value = (value + GOLDEN) & MASK
    value = (value ^ value >> 30) * _FIRST & MASK
    value = (value ^ value >> 27) * _SECOND & MASK
    return value ^ value >> 31
