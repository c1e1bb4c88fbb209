"""Keyed hash functions and random signs for sketches, the same at every request.

Hash functions are SplitMix64's finaliser, twice, with a key added before each: every bit of the result depends on every
bit of item and key. Python numbers and numpy arrays, whose arithmetic is modulo 2^64, give the same values.

Dense signs are independent, drawn in blocks from a counter-based generator: a block is a function of the key and its
number, so that any part of an infinite matrix can be drawn again, and only some blocks are kept. Hashed signs are
4-wise independent, from a polynomial of degree 3 for each row, and need four words per row.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from disttrack.privacy.mechanisms.sketches.base import Whole, key_of

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


Columns = NDArray[np.float32]

SignKind = Literal["dense", "hashed"]

PRIME: Final = (1 << 31) - 1
"""Modulus of the hash functions, a Mersenne prime: a remainder is two shifts and a sum."""
_LOW, _BITS = np.uint64(PRIME), np.uint64(31)
_BLOCK: Final = 1 << 17
"""Signs in a block."""
_KEPT: Final = 1 << 25
"""Signs kept in memory, 128 MB of them."""
EIGHT: Final = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
"""The eight signs encoded by each byte, 1 for + and 0 for -."""
_EIGHT: Final[Columns] = 2 * EIGHT.astype(np.float32) - 1
"""The same as numbers."""


class DenseSigns:
    """Independent signs, drawn again block by block (Philox, keyed with a draw of `rng`)."""

    def __init__(self, rows: int, rng: np.random.Generator) -> None:
        self._rows, self.size = rows, max(1, _BLOCK // rows)
        """Items of a block."""
        most = max(2, _KEPT // (self.size * rows))
        self._generator = np.random.Philox(key=np.array([key_of(rng), 0], dtype=np.uint64))
        self._begun = self._generator.state
        self._block = lru_cache(most)(self._signs)

    def column(self, item: int) -> Columns:
        """Return the signs of an item, one per row. Not to be written to."""
        block, place = divmod(item, self.size)
        column: Columns = self._block(block)[place]
        return column

    def columns(self, items: Whole) -> Columns:
        """Return the signs of many items, one row of the result per item."""
        blocks, places = np.divmod(items, self.size)
        if (blocks == blocks[0]).all():
            return self._block(int(blocks[0]))[places]
        values = np.empty((len(items), self._rows), dtype=np.float32)
        for number in np.unique(blocks).tolist():
            here = blocks == number
            values[here] = self._block(number)[places[here]]
        return values

    def _signs(self, number: int) -> Columns:
        """Return a block of signs, one row per item."""
        signs: Columns = _EIGHT.take(self.octets(number), axis=0).reshape(-1)[: self.size * self._rows]
        return signs.reshape(self.size, self._rows)

    def octets(self, number: int) -> NDArray[np.uint8]:
        """Return the same block as bytes, eight signs each."""
        self._begun["state"]["key"][1] = number
        self._generator.state = self._begun  # a new generator takes five times as long
        size = (self.size * self._rows + 7) // 8
        # those of `Generator.bytes`, in half the time
        return self._generator.random_raw(-(-size // 8)).astype("<u8", copy=False).view(np.uint8)[:size]


class HashedSigns:
    """4-wise independent signs: the lowest bit of a random polynomial of degree 3 modulo 2^31 - 1.

    The prime is odd, so that a sign is +1 with probability 1/2 + 1 / (2 p): a bias of 2^-32.

    Raises
    ------
    ValueError
        If an item is not below the prime: modulo the prime it would be another item, with the same signs in all rows.
    """

    def __init__(self, rows: int, rng: np.random.Generator) -> None:
        self._coefficients = rng.integers(PRIME, size=(4, rows), dtype=np.uint64)

    def column(self, item: int) -> Columns:
        """Return the signs of an item, one per row."""
        return self._signs(np.uint64(_below_prime(item)))

    def columns(self, items: Whole) -> Columns:
        """Return the signs of many items, one row of the result per item."""
        for extreme in (items.min(initial=0), items.max(initial=0)):
            _below_prime(int(extreme))
        return self._signs(items.astype(np.uint64)[:, None])

    def _signs(self, item: NDArray[np.uint64] | np.uint64) -> Columns:
        value = self._coefficients[0]
        for coefficient in self._coefficients[1:]:
            value = value * item + coefficient  # below 2^32 · 2^31 + 2^31: no overflow
            value = (value & _LOW) + (value >> _BITS)
        value = (value & _LOW) + (value >> _BITS)
        # the remainder is below 2^31 + 1, and the prime itself is equivalent to 0
        bits = np.where(value >= _LOW, value - _LOW, value) & np.uint64(1)
        signs: Columns = 1 - 2 * bits.astype(np.float32)
        return signs


def _below_prime(item: int) -> int:
    if not 0 <= item < PRIME:
        raise ValueError(f"hashed signs take items from 0 to {PRIME - 1:,}; got {item:,}")
    return item


Signs = DenseSigns | HashedSigns


def signs_of(kind: SignKind, rows: int, rng: np.random.Generator) -> Signs:
    """Return fresh signs of a kind."""
    return DenseSigns(rows, rng) if kind == "dense" else HashedSigns(rows, rng)
