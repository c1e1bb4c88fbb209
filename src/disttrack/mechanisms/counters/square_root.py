"""The square-root factorisation: correlated normal noise, the best Toeplitz square root of counting."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.counters.toeplitz import Toeplitz, ToeplitzNoise
from disttrack.mechanisms.noise import Draws, Floats, RealGaussian


def square_root_coefficients(steps: int) -> Floats:
    """Return f(0), ..., f(steps - 1), f(m) = f(m - 1) (2m - 1) / (2m): the series of 1 / sqrt(1 - x).

    The lower-triangular Toeplitz matrix B of f has B B = the all-ones lower triangle.

    Examples
    --------
    >>> square_root_coefficients(4).tolist()
    [1.0, 0.5, 0.375, 0.3125]
    """
    ratios = np.arange(steps, dtype=np.float64)
    ratios[1:] = (2 * ratios[1:] - 1) / (2 * ratios[1:])
    ratios[0] = 1.0
    return np.multiply.accumulate(ratios)


def square_root_norm(steps: int) -> float:
    """Return sum f(m)^2 over m < steps, the squared norm of the first column of B.

    It tends to (ln steps + gamma + 4 ln 2) / pi = ln(steps) / pi + 1.0663.

    Examples
    --------
    >>> round(square_root_norm(1024), 5), round(square_root_norm(16384), 5), round(square_root_norm(2**20), 5)
    (3.27255, 4.15517, 5.47899)
    """
    whole("steps", steps)
    if steps <= 1 << 14:
        return float(np.sum(square_root_coefficients(steps) ** 2))
    from scipy import special  # imported here because scipy's parts take seconds to import

    head = float(np.sum(square_root_coefficients(1 << 14) ** 2))
    # f(m)^2 = (1 - 1/(4m) + 1/(32 m^2) + 1/(128 m^3) - ...) / (pi m); the sum of powers through psi and zeta
    low, high = 1 << 14, steps
    first = special.digamma(high) - special.digamma(low)
    second = special.zeta(2, low) - special.zeta(2, high)
    third = special.zeta(3, low) - special.zeta(3, high)
    return head + float(first - second / 4 + third / 32) / math.pi


@dataclass(frozen=True)
class SquareRoot(Toeplitz):
    """Square-root factorisation with normal noise: estimate = sum + sum over s of f(t - s) z_s.

    z has standard deviation sigma \\|\\|f\\|\\|, where \\|\\|f\\|\\|^2 = sum f(m)^2 over the horizon is
    the squared L2 sensitivity of B x. The standard deviation at step t is sigma \\|\\|f\\|\\|_T
    \\|\\|f\\|\\|_t, at most sigma (ln(T) / pi + 1.0663).

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

    Source
    ------
    Fichtenberger, Henzinger, Upadhyay 2023.
    Bennett 1977 for the matrix; the norm is exact, not the rounder published bound.

    Examples
    --------
    >>> counter = SquareRoot(epsilon=1.0, horizon=1024, delta=1e-6)
    >>> round(counter.variance(1024) ** 0.5 / counter.sigma, 5)
    3.27255
    """

    kind = "square-root"
    slowness = 6.0
    error = "sigma (ln(horizon) / pi + 1.0663), sigma = sqrt(2 ln(1.25 / delta)) / epsilon"
    memory = "O(horizon)"
    remembers_steps = True

    def coefficients(self, steps: int) -> Floats:
        return square_root_coefficients(steps)

    def column_norm(self, steps: int) -> float:
        return square_root_norm(steps) if self.entries == 1 else super().column_norm(steps)

    def row_norm(self, t: int) -> float:
        return square_root_norm(t)  # both factors are the same matrix

    def noise(self, rng: np.random.Generator) -> ToeplitzNoise:
        return ToeplitzNoise(square_root_coefficients, self.steps, Draws(RealGaussian(self.std), rng))
