"""A factorisation of counting without a horizon: the square root, with coefficients that can be summed up."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Final

import numpy as np

from disttrack.mechanisms.checks import at_most, whole
from disttrack.mechanisms.counters.toeplitz import Toeplitz, ToeplitzNoise, columns_norm
from disttrack.mechanisms.noise import Draws, Floats, RealGaussian

BEND: Final = 14.0
"""Logarithm of the number of steps from which the coefficients fall faster than the square root's."""
CUT: Final = 30.0
"""Logarithm of the inverse angle beyond which the norm's integrand is replaced by its limit, to one part in 1e13."""
MOST: Final = 1 << 16
"""Largest product of entries of a user and their separation; a larger separation has no use."""


def _bent(logarithm: Any) -> Any:
    """Return sqrt(1 + (l / 14)^3) of l = ln(1 / (1 - x)): the divisor of 1 / sqrt(1 - x) in C, the factor in A C^-1."""
    return np.sqrt(1.0 + (logarithm / BEND) ** 3)


@lru_cache(maxsize=8)
def _series(size: int, sign: int) -> Floats:
    """Return the first `size` coefficients of _bent(l)^sign / sqrt(1 - x), to about 1e-12.

    They are Cauchy's integrals over a circle of radius r, as one Fourier transform of 4 `size` values: the terms that
    fold back are r^(4 size) = 1e-14 smaller, and dividing by r^i enlarges rounding errors by 10^3.5 at most.
    """
    from scipy import fft

    count = 4 * size
    radius = 10 ** (-14 / count)
    x = radius * np.exp(-2j * math.pi / count * np.arange(count // 2 + 1))
    values = _bent(-np.log1p(-x)) ** sign / np.sqrt(1.0 - x)
    return np.asarray(fft.irfft(values, count)[:size] * radius ** -np.arange(size, dtype=np.float64))


def bent_coefficients(steps: int, sign: int) -> Floats:
    """Return the first column of C (sign -1) or of A C^-1 (sign 1); 1 / sqrt(1 - x) is bent down, or up."""
    return _series(1 << max(steps - 1, 1).bit_length(), sign)[:steps]


@lru_cache(maxsize=8)
def endless_norm(entries: int = 1, separation: int = 1) -> float:
    """Return the sum of c(i)^2 over all i, the squared norm of the first column of C without end.

    By Parseval it is (1 / pi) int |c(e^(i angle))|^2 over the angles from 0 to pi, with ln(1 / (1 - e^(i angle))) =
    -ln(2 sin(angle / 2)) + i (pi - angle) / 2. In s = -ln(angle) the integrand is smooth, and its tail falls like s^-3.

    For several entries, return a bound on the squared norm of the sum of their columns: the coefficients fall, so from
    some step on the sum is at most `entries` times the one of the last column. It is less than 0.3 % above where
    entries times separation is at most 65,536, which larger products count as.
    """
    if entries > 1:
        span = (entries - 1) * min(separation, MOST // entries)
        coefficients = bent_coefficients(16 * span, -1)
        beyond = endless_norm() - float(np.sum(coefficients[: 15 * span] ** 2))
        return columns_norm(coefficients, entries, span // (entries - 1)) + entries**2 * beyond
    from scipy.integrate import quad

    def near(s: float) -> float:
        angle = math.exp(-s)
        chord = 2.0 * math.sin(angle / 2.0)
        return angle / chord / float(abs(_bent(complex(-math.log(chord), (math.pi - angle) / 2.0)))) ** 2

    def far(part: float) -> float:
        return CUT / part**2 / float(abs(_bent(complex(CUT / part, math.pi / 2.0)))) ** 2

    head, _ = quad(near, -math.log(math.pi), CUT, epsabs=0, epsrel=1e-12, limit=500)
    tail, _ = quad(far, 0.0, 1.0, epsabs=0, epsrel=1e-12)
    return float(head + tail) / math.pi


def _answers(steps: int) -> Floats:
    """Return the first column of A C^-1."""
    return bent_coefficients(steps, 1)


@dataclass(frozen=True)
class Unbounded(Toeplitz):
    """Factorisation without a horizon: the squares of the coefficients of C have a finite sum.

    C has the generating function 1 / sqrt((1 - x) (1 + (l / 14)^3)), l = ln(1 / (1 - x)). One scale of
    noise covers streams of any length. The variance is below 1.5 times that of a square-root counter
    with a horizon of 2^24, at each of these steps; from step 2^16 to 2^24 also below 1.5 times that of
    a square-root counter whose horizon is the present step. It grows like log(t)^4.

    Parameters
    ----------
    epsilon, delta
        Privacy of all estimates together, however many.
    horizon
        Number of steps at most; None for no end. It has no influence on the noise for one participation.
    calibration
        Formula for sigma from epsilon and delta: classical (epsilon up to 1) or exact.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Jacobsen, Fawaz 2025.
    Theirs are logarithmic perturbations of 1 / sqrt(1 - x), and the norm by Parseval; this perturbation: derived here.

    Examples
    --------
    >>> counter = Unbounded(epsilon=1.0)
    >>> round(counter.variance(2**20) ** 0.5 / counter.sigma, 3)  # of the square root with this horizon: 5.479
    6.473
    """

    kind = "unbounded"
    slowness = 25.0
    error = "below sqrt(1.5) of square-root's with a horizon of 2^24, up to there; O(log(t)^2)"
    memory = "O(t)"
    needs_horizon = False
    remembers_steps = True

    participations: Annotated[int, whole, at_most(MOST)] = field(default=1, kw_only=True)

    @property
    def std(self) -> float:
        return self.sigma * math.sqrt(endless_norm(self.entries, self.separation))

    def coefficients(self, steps: int) -> Floats:
        return bent_coefficients(steps, -1)

    def row_norm(self, t: int) -> float:
        return float(np.sum(bent_coefficients(t, 1) ** 2))

    def noise(self, rng: np.random.Generator) -> ToeplitzNoise:
        draws = Draws(RealGaussian(self.std), rng)
        return ToeplitzNoise(_answers, self.horizon, draws)
