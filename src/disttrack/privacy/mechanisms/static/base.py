"""One private release of all answers: its base class, and independent noise on every answer.

Dynamic mechanisms consist of many of them with budgets of different sizes, and add their answers; so each class
also states the error of a sum of releases on disjoint data sets (alpha^(k) in Qiu, Yi 2022).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from statistics import NormalDist
from typing import ClassVar, Literal, Self

import numpy as np

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import FromZero, Positive, Whole, probability
from disttrack.mechanisms.faults import DRAWN
from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.mechanisms.laplace_sums import laplace_sum_quantile
from disttrack.mechanisms.noise import Floats, Gaussian, Laplace, Noise
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


@dataclass(frozen=True)
class _Noisy(StaticMechanism):
    """Adds a draw of one distribution to each answer."""

    @property
    @abstractmethod
    def noise(self) -> Noise:
        """Noise on each answer."""

    def release(self, counts: Floats | None, rng: np.random.Generator, paid: Paid | None = None) -> Floats:
        number = self.family.number
        return self.noise.hide(np.zeros(number) if counts is None else self.family.evaluate(counts), rng)


@dataclass(frozen=True)
class LaplaceQueries(_Noisy):
    """Laplace noise on every answer, in proportion to one item's contribution to all answers together.

    The scale is s / epsilon with s the family's exact L1 sensitivity: \\|Q\\| for the worst family, 1 for a histogram.
    The stated error is exact up to a union bound over the queries: for one release of one query
    (1 / epsilon) ln(1 / beta).

    Parameters
    ----------
    epsilon, delta
        Privacy of a release; delta is not used.
    queries
        The family of queries, by name.
    domain
        Number of values that an item may have.

    Source
    ------
    Dwork, McSherry, Nissim, Smith 2006; Qiu, Yi 2022, Appendix A.
    """

    kind = "laplace"
    error = "(s / epsilon) ln(|Q| / beta), s the L1 sensitivity"
    arithmetic = "grid"

    @cached_property
    def noise(self) -> Laplace:
        return Laplace(self.family.l1 / self.epsilon)

    def error_of_sum(self, parts: Parts, items: float, beta: float) -> float:
        scales = tuple((part.family.l1 / part.epsilon, count) for part, count in parts if count)
        return _laplace_quantile(scales, beta / self.family.number) if scales else 0.0


@dataclass(frozen=True)
class GaussianQueries(_Noisy):
    """Normal noise on every answer, in proportion to the L2 norm of one item's contribution to the answers.

    The standard deviation is the least for (epsilon, delta), not the classical one.

    Parameters
    ----------
    epsilon, delta
        Privacy of a release.
    queries
        The family of queries, by name.
    domain
        Number of values that an item may have.

    Source
    ------
    Dwork, Roth 2014; Balle, Wang 2018; Qiu, Yi 2022, Appendix A.
    The exact calibration: Balle, Wang 2018, Theorem 8.
    """

    kind = "gaussian"
    error = "sigma sqrt(2 ln(2 |Q| / beta)), sigma about s sqrt(2 ln(1.25 / delta)) / epsilon, s the L2 sensitivity"
    arithmetic = "grid"
    privacy = "approximate"

    delta: FromZero = 1e-6

    @cached_property
    def noise(self) -> Gaussian:
        return Gaussian(self.family.l2 * noise_multiplier(self.epsilon, self.delta, "exact"))

    def error_of_sum(self, parts: Parts, items: float, beta: float) -> float:
        stds = ((part.family.l2 * noise_multiplier(part.epsilon, part.delta, "exact"), count) for part, count in parts)
        variance = sum(count * std**2 for std, count in stds)
        return math.sqrt(variance) * -NormalDist().inv_cdf(beta / (2 * self.family.number))


_laplace_quantile = lru_cache(maxsize=4096)(laplace_sum_quantile)
