"""Families whose answers are sums over disjoint parts of the domain: all items, each value, each axis, each row."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.queries.base import Family, Items


class Count(Family):
    """The number of items: one query, f = 1."""

    kind = "count"
    says: ClassVar[str] = "the number of items; |X| additions"

    @property
    def number(self) -> int:
        return 1

    def evaluate(self, counts: Floats) -> Floats:
        return np.array([counts.sum()])

    def contain(self, queries: Items, items: Items) -> NDArray[np.bool_]:
        return np.equal(queries, 0 * items)


class Points(Family):
    """The number of items of each value, a histogram: an item is in one of them, so both sensitivities are 1."""

    kind = "points"
    says: ClassVar[str] = "the number of items of each value; nothing to add up"

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
    says: ClassVar[str] = "the sums of the rows and of the columns of a table of values; 2 |X| additions"

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
    says: ClassVar[str] = "the sums of the rows of a table of values; |X| additions"

    @property
    def number(self) -> int:
        return self.rows

    def evaluate(self, counts: Floats) -> Floats:
        sums: Floats = counts.reshape(self.rows, self.columns).sum(axis=1)
        return sums

    def contain(self, queries: Items, items: Items) -> NDArray[np.bool_]:
        return np.equal(items // self.columns, queries)
