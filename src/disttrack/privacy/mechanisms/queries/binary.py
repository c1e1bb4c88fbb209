"""Queries on values written in bits: marginals of some bits, and random halves of the domain."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.queries.base import Family, Items


class Marginals(Family):
    """All marginals of `order` bits: for each choice of bits a table of 2^order counts.

    An item is in one cell of each table, so the L1 sensitivity is the number of tables.

    Parameters
    ----------
    domain
        2 to the number of bits.
    order
        Bits of a marginal.

    Raises
    ------
    ValueError
        If the domain is no power of two, or has fewer bits.
    """

    kind = "marginals"
    says: ClassVar[str] = "the tables of all choices of some bits; |X| a table, not |X| a cell"

    def __init__(self, domain: int, order: int = 2) -> None:
        super().__init__(domain)
        whole("order", order)
        self.bits = domain.bit_length() - 1
        if domain != 1 << self.bits or self.bits < order:
            raise ValueError(
                f"domain must be a power of two of at least {1 << order} for marginals:{order}; got {domain}"
            )
        self.order = order
        self.tables = tuple(combinations(range(self.bits), order))

    @property
    def number(self) -> int:
        return len(self.tables) << self.order

    def evaluate(self, counts: Floats) -> Floats:
        cube = np.asarray(counts, dtype=np.float64).reshape((2,) * self.bits)
        every = range(self.bits)
        sums = [cube.sum(axis=tuple(bit for bit in every if bit not in kept)).ravel() for kept in self.tables]
        return np.concatenate(sums)

    def contain(self, queries: Items, items: Items) -> NDArray[np.bool_]:
        """Return whether the items' bits are those of the cell; bit 0 is the highest, as in the axes of `evaluate`."""
        tables, cells = np.divmod(queries, 1 << self.order)
        inside: NDArray[np.bool_] = np.array(True)
        for place, bits in enumerate(np.array(self.tables)[tables].T):
            inside = inside & ((items >> (self.bits - 1 - bits) & 1) == (cells >> (self.order - 1 - place) & 1))
        return inside

    @cached_property
    def l1(self) -> float:
        return float(comb(self.bits, self.order))


class Halves(Family):
    """Random halves: each query contains each value with probability 1/2, drawn once.

    The hardest of these families: there is no faster method than the matrix.

    Parameters
    ----------
    domain
        Number of values.
    number
        Number of queries.
    """

    kind = "halves"
    says: ClassVar[str] = "the items in random halves of the domain; |X| |Q|, there is no shorter way"

    def __init__(self, domain: int, number: int = 100) -> None:
        super().__init__(domain)
        whole("number", number)
        # one row per query: the answers are one product of this matrix with the counts
        self.matrix = np.random.default_rng((domain, number)).integers(0, 2, (number, domain)).astype(np.float64)

    @property
    def number(self) -> int:
        return len(self.matrix)

    def evaluate(self, counts: Floats) -> Floats:
        answers: Floats = self.matrix @ counts
        return answers

    def contain(self, queries: Items, items: Items) -> Floats:
        return self.matrix[queries, items]
