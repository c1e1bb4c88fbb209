"""Base class of static mechanisms: a budget, a family of queries, one private release of all answers.

Dynamic mechanisms consist of many of them with budgets of different sizes, and add their answers; so each class
also states the error of a sum of releases on disjoint data sets (alpha^(k) in Qiu, Yi 2022).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import numpy as np

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import FromZero, Positive, Whole, probability
from disttrack.mechanisms.faults import DRAWN
from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.shortcuts import Shortcut
from disttrack.privacy.mechanisms.queries import Family, family

Parts = Sequence[tuple["StaticMechanism", int]]
"""A sum of releases: pairs (mechanism, count), all of one class and family."""


@dataclass(frozen=True)
class Paid:
    """A private number of items whose privacy cost is already paid.

    Attributes
    ----------
    value
        The number.
    scale
        Scale of its Laplace noise.
    """

    value: float
    scale: float


@dataclass(frozen=True)
class StaticMechanism(Mechanism, ABC):
    """Parameters of a static mechanism; neighbouring data sets differ by the presence of one item.

    Parameters
    ----------
    epsilon, delta
        Privacy of a release.
    queries
        The family of queries, by name: see `privacy.mechanisms.queries.family`.
    domain
        Number of values that an item may have.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    privacy: ClassVar[Literal["pure", "approximate"]] = "pure"
    """Pure: delta may be 0; approximate: it must not."""
    faults: ClassVar = DRAWN

    epsilon: Positive
    delta: FromZero = 0.0
    queries: str = "count"
    domain: Whole = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.privacy == "approximate" and self.delta == 0:
            raise ValueError(f"delta must be above 0 for {self.kind}; got 0")
        family(self.queries, self.domain)

    @property
    def family(self) -> Family:
        """The family of queries."""
        return family(self.queries, self.domain)

    def at(self, epsilon: float, delta: float) -> Self:
        """Return the same mechanism with another budget."""
        return replace(self, epsilon=epsilon, delta=delta)

    @abstractmethod
    def release(self, counts: Floats | None, rng: np.random.Generator, paid: Paid | None = None) -> Floats:
        """Return private answers to all queries.

        Parameters
        ----------
        counts
            The data set, one count per value; None for an empty one.
        rng
            Generator of all noise.
        paid
            A private number of items that is already paid for, if there is one; only some mechanisms need it.
        """

    @abstractmethod
    def error_of_sum(self, parts: Parts, items: float, beta: float) -> float:
        """Return a bound that the largest error over the family of a sum of releases exceeds with probability `beta`.

        Parameters
        ----------
        parts
            The releases; their data sets are disjoint.
        items
            Items in all of them together.
        beta
            Probability.
        """

    def error_bound(self, items: float, beta: float, releases: int = 1) -> float:
        """Return a bound that the largest error over the family of `releases` summed releases exceeds with `beta`.

        alpha^(k)(epsilon, delta, beta, n) of Qiu, Yi 2022, section 1.2: `items` is n, `releases` is k.
        """
        probability("beta", beta)
        return self.error_of_sum([(self, releases)], items, beta)

    def _no_error_of_sum(self, parts: Parts, items: float, beta: float) -> float:
        raise NotImplementedError(f"{self.kind} states no error bound")

    shortcuts: ClassVar = {"error_of_sum": Shortcut(_no_error_of_sum)}
    descriptions = frozenset({"error_bound", "privacy"})
