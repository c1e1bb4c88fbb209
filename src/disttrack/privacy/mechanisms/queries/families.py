"""Families of linear queries: sums over parts of the domain, intervals, marginals, random halves; and their names.

A data set is an array of counts, one per value of the domain. A query is a set of values, as a function f that is 1 for
them and 0 for others, and its answer the sum of f over the items. All answers of a family are one matrix times the
counts; a family with a faster method uses that.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.noise import Floats
from disttrack.nearest import nearest

Items = NDArray[np.int64]


class Family(ABC):
    """Queries f_1 ... f_number over the values 0 ... domain - 1.

    Parameters
    ----------
    domain
        Number of values, \\|X\\|.

    Raises
    ------
    ValueError
        If `domain` is not a whole number of at least 1.
    """

    kind: ClassVar[str] = ""
    """Name in scenario files."""

    def __init__(self, domain: int) -> None:
        whole("domain", domain)
        self.domain = domain

    @property
    @abstractmethod
    def number(self) -> int:
        """Number of queries, \\|Q\\|."""

    @abstractmethod
    def evaluate(self, counts: Floats) -> Floats:
        """Return the answers of all queries on a data set."""

    @abstractmethod
    def contain(self, queries: Items, items: Items) -> NDArray[np.bool_] | Floats:
        """Return f_q(x) for queries and items of shapes that fit each other, as truth values or numbers."""

    def values(self, items: Items) -> Floats:
        """Return f_q(x) for each of some items x, one row per item."""
        return self.contain(np.arange(self.number), items[:, None]).astype(np.float64)

    def row(self, query: int) -> Floats:
        """Return f(x) of one query for every x of the domain."""
        return self.contain(np.array(query), np.arange(self.domain)).astype(np.float64)

    @cached_property
    def l1(self) -> float:
        """Largest number of queries that contain a value: the contribution of one item to all answers together."""
        block = max(1, (1 << 20) // max(1, self.number))  # about a million numbers
        starts = range(0, self.domain, block)
        return float(max(self.values(np.arange(at, min(at + block, self.domain))).sum(axis=1).max() for at in starts))

    @property
    def l2(self) -> float:
        """Largest root of the sum of f_q(x)^2 over the queries, which is that of f_q(x)."""
        return math.sqrt(self.l1)


class Count(Family):
    """The number of items: one query, f = 1."""

    kind = "count"
    number = 1

    def evaluate(self, counts: Floats) -> Floats:
        return np.array([counts.sum()])

    def contain(self, queries: Items, items: Items) -> NDArray[np.bool_]:
        return np.equal(queries, 0 * items)


class Points(Family):
    """The number of items of each value, a histogram: an item is in one of them, so both sensitivities are 1."""

    kind = "points"

    @property
    def number(self) -> int:
        return self.domain

    def evaluate(self, counts: Floats) -> Floats:
        return np.array(counts, dtype=np.float64)

    def contain(self, queries: Items, items: Items) -> NDArray[np.bool_]:
        return np.equal(queries, items)

    @cached_property
    def l1(self) -> float:
        return 1.0


class Axes(Family):
    """Values are cells of a table, x = row * columns + column: the sums of its rows, then those of its columns.

    Parameters
    ----------
    domain
        Number of cells.
    rows
        Number of rows, which divides it.
    """

    kind = "axes"

    def __init__(self, domain: int, rows: int) -> None:
        super().__init__(domain)
        whole("rows", rows)
        if domain % rows:
            raise ValueError(f"domain must be a multiple of the {rows} rows of {self.kind}:{rows}; got {domain}")
        self.rows, self.columns = rows, domain // rows

    @property
    def number(self) -> int:
        return self.rows + self.columns

    def evaluate(self, counts: Floats) -> Floats:
        table = counts.reshape(self.rows, self.columns)
        return np.concatenate((table.sum(axis=1), table.sum(axis=0))).astype(np.float64)

    def contain(self, queries: Items, items: Items) -> NDArray[np.bool_]:
        place = np.where(queries < self.rows, items // self.columns, self.rows + items % self.columns)
        return np.equal(place, queries)


class Rows(Axes):
    """The sums of the rows of such a table alone: an item is in one of them, so both sensitivities are 1.

    Parameters
    ----------
    domain
        Number of cells.
    rows
        Number of rows, which divides it.
    """

    kind = "rows"

    @property
    def number(self) -> int:
        return self.rows

    def evaluate(self, counts: Floats) -> Floats:
        sums: Floats = counts.reshape(self.rows, self.columns).sum(axis=1)
        return sums

    def contain(self, queries: Items, items: Items) -> NDArray[np.bool_]:
        return np.equal(items // self.columns, queries)


MOST: Final = 1 << 22
"""Largest number of intervals of a family."""


class Intervals(Family):
    """The number of items in each interval a ... b of values: of all intervals, or of some drawn once.

    Parameters
    ----------
    domain
        Number of values.
    number
        Number of intervals; 0 for all domain (domain + 1) / 2 of them. They are drawn without replacement, and are the
        same for the same domain and number: queries are public.

    Raises
    ------
    ValueError
        If there are fewer intervals than `number`, or more than four million.
    """

    kind = "intervals"

    def __init__(self, domain: int, number: int = 0) -> None:
        super().__init__(domain)
        whole("number", number, 0)
        there = domain * (domain + 1) // 2
        if number > there or (number or there) > MOST:
            raise ValueError(
                f"number of intervals must be at most {min(there, MOST):,} for a domain of {domain:,} values;"
                f" got {number or there:,}"
            )
        if number:
            chosen = np.sort(np.random.default_rng((domain, number)).choice(there, number, replace=False))
        else:
            chosen = np.arange(there)
        # interval number i among those beginning at a: a (2 domain - a + 1) / 2 intervals begin before a
        before = np.arange(domain) * (2 * domain - np.arange(domain) + 1) // 2
        self.first = np.searchsorted(before, chosen, side="right") - 1
        self.last = self.first + chosen - before[self.first]

    @property
    def number(self) -> int:
        return len(self.first)

    def evaluate(self, counts: Floats) -> Floats:
        sums = np.concatenate(([0.0], np.cumsum(counts, dtype=np.float64)))
        answers: Floats = sums[self.last + 1] - sums[self.first]
        return answers

    def contain(self, queries: Items, items: Items) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = (self.first[queries] <= items) & (items <= self.last[queries])
        return inside

    @cached_property
    def l1(self) -> float:
        """Largest number of intervals that contain a value."""
        edges = np.bincount(self.first, minlength=self.domain + 1)
        edges -= np.bincount(self.last + 1, minlength=self.domain + 1)
        return float(np.cumsum(edges).max())


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


FAMILIES: Final[dict[str, type[Any]]] = {
    one.kind: one for one in (Count, Points, Axes, Rows, Intervals, Marginals, Halves)
}
"""The families by name."""
FORMS: Final = "count, points, axes:ROWS, rows:ROWS, intervals[:NUMBER], marginals[:ORDER], halves[:NUMBER]"


@lru_cache(maxsize=64)
def family(queries: str, domain: int) -> Family:
    """Return the family with this name, over the values 0 ... domain - 1.

    Parameters
    ----------
    queries
        A name, for some with a number behind a colon: the rows of `axes` and `rows`, the number of `intervals` (default
        all) or `halves` (100), the bits of `marginals` (2).
    domain
        Number of values.

    Raises
    ------
    ValueError
        There is no such family, or it does not fit the domain.

    Examples
    --------
    >>> family("halves:500", 1024).number
    500
    """
    if not isinstance(queries, str):
        raise ValueError(f"queries must be one of {FORMS}; got {queries!r}")
    kind, colon, argument = queries.partition(":")
    if kind not in FAMILIES:
        raise ValueError(f"queries must be one of {FORMS}; got {queries!r}{nearest(kind, FAMILIES)}")
    if (colon and (kind in ("count", "points") or not argument.isdecimal() or int(argument) < 1)) or (
        kind in ("axes", "rows") and not colon
    ):
        raise ValueError(f"queries must be one of {FORMS}; got {queries!r}")
    made: Family = FAMILIES[kind](domain, *([int(argument)] if colon else []))
    return made
