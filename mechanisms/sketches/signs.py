"""Random signs for linear sketches: a column of +1 and -1 for each item, the same whenever it is asked for.

Dense signs are independent, drawn in blocks from a counter-based generator: a block is a function of the key and its
number, so that any part of an endless matrix can be drawn again, and only some blocks are kept. Hashed signs are
4-wise independent, from a polynomial of degree 3 for each row, and need four words a row.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from mechanisms.sketches.base import Floats, Whole, key_of

SignKind = Literal["dense", "hashed"]

PRIME: Final = (1 << 31) - 1
"""Modulus of the hash functions, a Mersenne prime: a remainder is two shifts and a sum."""
_BLOCK: Final = 1 << 17
"""Signs in a block."""
_KEPT: Final = 1 << 24
"""Signs that are kept, 128 MB of them."""


class Signs(Protocol):
    """The columns of a sign matrix."""

    words: int

    def column(self, item: int) -> Floats:
        """Return the signs of an item, a row each. Not to be written to."""
        ...

    def columns(self, items: Whole) -> Floats:
        """Return the signs of many items, a row of the result for each."""
        ...


def signs_of(kind: SignKind, rows: int, rng: np.random.Generator) -> Signs:
    """Return fresh signs of a kind."""
    return DenseSigns(rows, rng) if kind == "dense" else HashedSigns(rows, rng)


class DenseSigns:
    """Independent signs, drawn again block by block (Philox, keyed with a draw of `rng`)."""

    words = 0

    def __init__(self, rows: int, rng: np.random.Generator) -> None:
        self._rows = rows
        self._key = key_of(rng)
        self._size = max(1, _BLOCK // rows)
        self._kept: OrderedDict[int, Floats] = OrderedDict()
        self._most = max(2, _KEPT // (self._size * rows))

    def column(self, item: int) -> Floats:
        block, place = divmod(item, self._size)
        signs = self._kept.get(block)
        column: Floats = (self._block(block) if signs is None else signs)[place]
        return column

    def columns(self, items: Whole) -> Floats:
        blocks, places = np.divmod(items, self._size)
        numbers = np.unique(blocks)
        if len(numbers) == 1:
            only: Floats = self._block(int(numbers[0]))[places]
            return only
        found = np.empty((len(items), self._rows))
        for number in numbers.tolist():
            here = blocks == number
            found[here] = self._block(number)[places[here]]
        return found

    def _block(self, number: int) -> Floats:
        signs = self._kept.get(number)
        if signs is None:
            generator = np.random.Generator(np.random.Philox(key=np.array([self._key, number], dtype=np.uint64)))
            total = self._size * self._rows
            bits = np.unpackbits(np.frombuffer(generator.bytes((total + 7) // 8), dtype=np.uint8), count=total)
            signs = (bits.reshape(self._size, self._rows) * 2.0) - 1.0
            while len(self._kept) >= self._most:
                self._kept.popitem(last=False)
            self._kept[number] = signs
        return signs


class HashedSigns:
    """4-wise independent signs: the lowest bit of a random polynomial of degree 3 modulo 2^31 - 1.

    The prime is odd, so that a sign is +1 with probability 1/2 + 1 / (2 p): a bias of 2^-32.
    """

    def __init__(self, rows: int, rng: np.random.Generator) -> None:
        self._coefficients = rng.integers(PRIME, size=(4, rows), dtype=np.uint64)
        self.words = 4 * rows

    def column(self, item: int) -> Floats:
        return self._signs(np.uint64(item % PRIME))

    def columns(self, items: Whole) -> Floats:
        return self._signs((items % PRIME).astype(np.uint64)[:, None])

    def _signs(self, item: NDArray[np.uint64] | np.uint64) -> Floats:
        value = self._coefficients[0]
        for coefficient in self._coefficients[1:]:
            value = _remainder(value * item + coefficient)
        return 1.0 - 2.0 * (value & np.uint64(1)).astype(np.float64)


def _remainder(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return value modulo 2^31 - 1, for values below 2^62 + 2^31."""
    value = (value & np.uint64(PRIME)) + (value >> np.uint64(31))
    value = (value & np.uint64(PRIME)) + (value >> np.uint64(31))
    return np.where(value >= PRIME, value - np.uint64(PRIME), value)
