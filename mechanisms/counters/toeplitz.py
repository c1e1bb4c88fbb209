"""Toeplitz factorisations of counting with normal noise: the common part of square-root and blt."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import Share, probability, whole
from disttrack.mechanisms.counters.linear import LinearCounter
from disttrack.mechanisms.gaussian import Calibration, noise_multiplier
from disttrack.mechanisms.noise import Floats, Gaussian


@dataclass(frozen=True)
class Toeplitz(LinearCounter):
    """A factorisation A = (A C^-1) C of the all-ones triangle A, C lower-triangular Toeplitz: A x + A C^-1 z.

    The draws z have standard deviation sigma times the largest norm of a column of C, its L2 sensitivity.

    Parameters
    ----------
    epsilon, delta
        Privacy of all estimates together.
    horizon
        Number of steps at most.
    calibration
        Formula for sigma from epsilon and delta: classical (epsilon up to 1) or exact.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    privacy = "approximate"

    delta: Share = 1e-6
    calibration: Calibration = "classical"

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.sigma

    @abstractmethod
    def coefficients(self, steps: int) -> Floats:
        """Return c(0), ..., c(steps - 1), the first column of C."""

    @abstractmethod
    def column_norm(self, steps: int) -> float:
        """Return the squared norm of the first column of C, the largest, for this number of steps."""

    @abstractmethod
    def row_norm(self, t: int) -> float:
        """Return the squared norm of row `t` of A C^-1."""

    @property
    def sigma(self) -> float:
        """Noise multiplier: standard deviation of the noise over the L2 sensitivity."""
        return noise_multiplier(self.epsilon, self.delta, self.calibration)

    @property
    def std(self) -> float:
        """Standard deviation of each draw."""
        return self.sigma * math.sqrt(self.column_norm(self.steps))

    def variance(self, t: int) -> float:
        whole("t", t)
        return self.std**2 * self.row_norm(t)

    def error_bound(self, t: int, beta: float) -> float:
        probability("beta", beta)
        return Gaussian(math.sqrt(self.variance(t))).quantile(1 - beta / 2)

    def encoder(self, steps: int) -> Floats:
        lags = np.subtract.outer(np.arange(steps), np.arange(steps))
        return np.where(lags >= 0, self.coefficients(steps)[abs(lags)], 0.0) / self.std
