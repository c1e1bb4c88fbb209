"""Independent noise on every answer: Laplace noise (pure), normal noise (approximate)."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import NormalDist

import numpy as np

from disttrack.mechanisms.checks import FromZero
from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.mechanisms.laplace_sums import laplace_sum_quantile
from disttrack.mechanisms.noise import Floats, Gaussian, Laplace, Noise
from disttrack.privacy.mechanisms.static.base import Paid, Parts, StaticMechanism


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
