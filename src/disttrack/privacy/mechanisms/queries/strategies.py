"""What to measure of a data set so that least squares answers a family of queries well.

Noise is added to the measurements M y of the counts y, not to the answers W y. The answers are then W M^+ of the noisy
measurements, M^+ the pseudo-inverse: exact without noise if each query is a combination of measurements. One item
changes the measurements by a column of M, and the noise of a query is a row of W M^+ times that of the measurements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal

import numpy as np

from disttrack.mechanisms.checks import one_of
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.queries.families import Family, family

ARITIES: Final = (2, 4, 8, 16)
"""Children of a node of the hierarchies that are tried."""
DENSE: Final = 1024
"""Values of a domain up to which matrices of the domain are inverted."""
MOST: Final = 1 << 24
"""Entries of a matrix of queries up to which it is formed."""
STRATEGIES: Final = ("best", "points", "answers", "spectral", *(f"hierarchy:{arity}" for arity in ARITIES))


@dataclass(frozen=True, eq=False)
class Strategy:
    """Measurements for a family of queries.

    Attributes
    ----------
    name
        One of `STRATEGIES`, but for best.
    family
        The queries.
    matrix
        M, one row per measurement; None for the counts of all values.
    """

    name: str
    family: Family
    matrix: Floats | None = None

    @property
    def rows(self) -> int:
        """Number of measurements."""
        return self.family.domain if self.matrix is None else len(self.matrix)

    @cached_property
    def inverse(self) -> Floats:
        """M^+, one row per value of the domain."""
        assert self.matrix is not None
        return np.asarray(np.linalg.pinv(self.matrix), dtype=np.float64)

    def measure(self, counts: Floats) -> Floats:
        """Return M y."""
        return counts if self.matrix is None else self.matrix @ counts

    def answers(self, measured: Floats) -> Floats:
        """Return the answers to all queries from noisy measurements."""
        return self.family.evaluate(measured if self.matrix is None else self.inverse @ measured)

    def sensitivity(self, norm: Literal[1, 2]) -> float:
        """Return the largest L1 or L2 norm of a column of M: what one item changes."""
        return 1.0 if self.matrix is None else float(np.linalg.norm(self.matrix, norm, axis=0).max())

    @cached_property
    def gain(self) -> tuple[float, float]:
        """The largest squared norm of a row of W M^+, and its largest entry."""
        if self.matrix is None:  # a query is 1 for some values and 0 for the others
            return float(self.family.evaluate(np.ones(self.family.domain)).max()), 1.0
        squares, largest = np.zeros(self.family.number), 0.0
        for column in self.inverse.T:
            answers = self.family.evaluate(column)
            squares += answers**2
            largest = max(largest, float(np.abs(answers).max()))
        return float(squares.max()), largest

    def loss(self, norm: Literal[1, 2]) -> float:
        """Return the largest squared error of a query for noise of variance 1 at sensitivity 1."""
        return self.sensitivity(norm) ** 2 * self.gain[0]


@lru_cache(maxsize=64)
def strategy(name: str, queries: str, domain: int, norm: Literal[1, 2]) -> Strategy:
    """Return the strategy with this name for a family; best is the one of the least `loss`.

    The spectral strategy has M^T M = (W^T W)^(1/2), which minimises the mean squared error for the mean squared L2
    sensitivity; where all columns of M have the same norm, as for marginals, no strategy has less L2 loss. Families of
    more than 1,024 values, unless they are points, have only the strategy points.

    Parameters
    ----------
    name
        One of `STRATEGIES`.
    queries, domain
        The family: see `privacy.mechanisms.queries.family`.
    norm
        1 for Laplace noise, 2 for normal noise.

    Raises
    ------
    ValueError
        There is no such strategy for this family.

    Source
    ------
    Li, Miklau, Hay, McGregor, Rastogi 2015 (the matrix mechanism); Hay, Rastogi, Miklau, Suciu 2010 (hierarchies).

    Examples
    --------
    >>> strategy("best", "intervals", 64, 1).name, strategy("best", "intervals", 64, 2).name
    ('hierarchy:8', 'spectral')
    """
    one_of("strategy", name, STRATEGIES)
    there = {one.name: one for one in _strategies(family(queries, domain))}
    if name == "best":
        return min(there.values(), key=lambda one: one.loss(norm))
    one_of("strategy", name, ("best", *there))
    return there[name]


def _strategies(of: Family) -> Iterator[Strategy]:
    """Yield the strategies for a family, the simplest first."""
    yield Strategy("points", of)
    if of.domain > DENSE or of.kind == "points":
        return
    if of.number * of.domain <= MOST:
        queries = of.values(np.arange(of.domain)).T
        yield Strategy("answers", of, queries)
        powers, vectors = np.linalg.eigh(queries.T @ queries)
        there = powers > 1e-9 * powers.max()
        yield Strategy("spectral", of, powers[there, None] ** 0.25 * vectors[:, there].T)
    for arity in ARITIES:
        yield Strategy(f"hierarchy:{arity}", of, _hierarchy(of.domain, arity))


def _hierarchy(domain: int, arity: int) -> Floats:
    """Return the indicators of the nodes of a tree over the values, level by level from the leaves to the root."""
    values, size, levels = np.arange(domain), 1, []
    while True:
        levels.append(values // size == np.arange(-(-domain // size))[:, None])
        if size >= domain:
            return np.vstack(levels).astype(np.float64)
        size *= arity
