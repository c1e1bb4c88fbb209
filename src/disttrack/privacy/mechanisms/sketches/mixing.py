"""Keyed hash functions on whole numbers of 64 bits: a fast replacement for a random function.

SplitMix64's finaliser, twice, with a key added before each: every bit of the result depends on every bit of item and
key. Python numbers and numpy arrays, whose arithmetic is modulo 2^64, give the same values.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

BLOCK_BITS: Final = 8
"""Binary logarithm of the items whose hash values are computed at once."""
MOST_KEPT: Final = 1 << 14
"""Hash values that are kept of one key."""
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


class Hashes(dict[int, int]):
    """The hash values of items under a key, kept where items come in turn; in blocks they take a tenth of the time.

    An item is hashed alone unless the last one without a hash value was of its block.

    Examples
    --------
    >>> hashes = Hashes(5)
    >>> [hashes[item] == mixed(item, 5) for item in (1, 2, 3, 2**63 - 1, 2**80)]
    [True, True, True, True, True]
    """

    def __init__(self, key: int) -> None:
        super().__init__()
        self.key, self._missed = key, -1

    def __missing__(self, item: int) -> int:
        block = item >> BLOCK_BITS
        if block != self._missed or not 0 <= item < 1 << 63:
            self._missed = block
            return int(mixed(item, self.key))
        if len(self) >= MOST_KEPT:
            self.clear()
        items = np.arange(1 << BLOCK_BITS, dtype=np.uint64) + np.uint64(block << BLOCK_BITS)
        self.update(zip(items.tolist(), mixed(items, self.key).tolist(), strict=True))
        return self[item]
