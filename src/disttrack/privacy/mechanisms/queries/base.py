"""Base class of families of linear queries: answers on a data set, and sensitivity to one item.

A data set is an array of counts, one per value of the domain. A query is a set of values, as a function f that is 1 for
them and 0 for others, and its answer the sum of f over the items. All answers of a family are one matrix times the
counts; a family with a faster method uses that.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.noise import Floats

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
    says: ClassVar[str] = ""
    """Description of the queries and of the cost of their evaluation."""

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
