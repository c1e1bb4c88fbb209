"""Linear counters with normal noise: their privacy, its calibration, and the error that follows."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

from disttrack.mechanisms.checks import Share, probability, whole
from disttrack.mechanisms.counters.linear import LinearCounter
from disttrack.mechanisms.gaussian import Calibration, noise_multiplier
from disttrack.mechanisms.noise import Gaussian


@dataclass(frozen=True)
class NormalCounter(LinearCounter):
    """A linear counter whose draws are normal.

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

    @property
    def sigma(self) -> float:
        """Noise multiplier: standard deviation of the noise over the L2 sensitivity."""
        return noise_multiplier(self.epsilon, self.delta, self.calibration)

    @property
    @abstractmethod
    def std(self) -> float:
        """Standard deviation of each draw."""

    @abstractmethod
    def row_norm(self, t: int) -> float:
        """Return the variance of the estimate of step `t`, for draws of variance 1."""

    def variance(self, t: int) -> float:
        whole("t", t)
        return self.std**2 * self.row_norm(t)

    def error_bound(self, t: int, beta: float) -> float:
        probability("beta", beta)
        return Gaussian(math.sqrt(self.variance(t))).quantile(1 - beta / 2)
