"""Toeplitz factorisations of counting with normal noise: the best square root, and one without a horizon."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.checks import at_most, whole
from disttrack.mechanisms.counters.linear import NormalCounter, UserLevelCounter
from disttrack.mechanisms.noise import Draws, Floats, RealGaussian

FIRST_BLOCK = 1024
"""Length of the first block of correlated noise; each later block is as long as all before it."""
KEPT = 1 << 20
"""Steps up to which the transforms of coefficients are kept: 32 megabytes for a horizon."""


def columns_norm(coefficients: Floats, entries: int, separation: int) -> float:
    """Return the squared norm of the sum of `entries` columns of C, 1, 1 + separation, ..., as far as there are any.

    Examples
    --------
    >>> columns_norm(np.array([1.0, 0.5, 0.25]), 2, 2)  # (1, 0.5, 0.25) + (0, 0, 1)
    2.8125
    """
    steps = len(coefficients)
    sums = np.zeros((-(-steps // separation), separation))
    sums.flat[:steps] = coefficients
    np.cumsum(sums, axis=0, out=sums)
    sums[entries:] -= sums[:-entries]
    return float(np.sum(sums.flat[:steps] ** 2))


@dataclass(frozen=True)
class Toeplitz(NormalCounter, UserLevelCounter):
    """A factorisation A = (A C^-1) C of the all-ones triangle A, C lower-triangular Toeplitz: A x + A C^-1 z.

    The draws z have standard deviation sigma times the L2 sensitivity of C x: the largest norm of a sum of columns of
    C, one for each entry of a user. The coefficients of C are not negative and do not increase, so that of the columns
    1, 1 + separation, 1 + 2 separation, ... has the largest norm, and changes of different signs have a smaller one.

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
    Several entries of one user: Kalinin, Lampert 2024, Theorem 2.
    """

    hooks = frozenset({"column_norm", "std"})

    @abstractmethod
    def coefficients(self, steps: int) -> Floats:
        """Return c(0), ..., c(steps - 1), the first column of C."""

    def column_norm(self, steps: int) -> float:
        """Return the squared L2 sensitivity of C x over this number of steps."""
        return columns_norm(self.coefficients(steps), self.entries, self.separation)

    @property
    def std(self) -> float:
        """Standard deviation of each draw."""
        return self.sigma * math.sqrt(self.column_norm(self.steps))

    def encoder(self, steps: int) -> Floats:
        lags = np.subtract.outer(np.arange(steps), np.arange(steps))
        return np.where(lags >= 0, self.coefficients(steps)[abs(lags)], 0.0) / self.std


def _transform(coefficients: Callable[[int], Floats], steps: int, size: int) -> NDArray[np.complex128]:
    """Return the Fourier transform of as many coefficients, with zeros up to a size."""
    from scipy import fft

    made: NDArray[np.complex128] = fft.rfft(coefficients(steps), size)
    return made


_kept = lru_cache(maxsize=12)(_transform)
"""The same, kept for the next runs of a counter whose coefficients are a function of a module."""


class ToeplitzNoise:
    """The noise A C^-1 z, computed ahead in blocks that double, each by one fast Fourier transform.

    This takes O(log t) per step on average.

    Parameters
    ----------
    coefficients
        Function that returns the first column of A C^-1, for a number of steps.
    horizon
        Number of steps at most; None for no end.
    draws
        The draws z.
    """

    __slots__ = ("_coefficients", "_draws", "_fresh", "_horizon", "_noise", "_t", "spacing")

    def __init__(self, coefficients: Callable[[int], Floats], horizon: int | None, draws: Draws) -> None:
        self._coefficients, self._horizon, self._draws = coefficients, horizon, draws
        self.spacing = draws.spacing
        self._fresh: Floats = np.empty(0)
        self._noise: Floats = np.empty(0)
        self._t = 0

    def one(self) -> float:
        t = self._t
        if t == len(self._noise):
            self._extend()
        self._t = t + 1
        return self._noise.item(t)

    def many(self, size: int) -> Floats:
        before, self._t = self._t, self._t + size
        while len(self._noise) < self._t:
            self._extend()
        return self._noise[before : self._t]

    def _extend(self) -> None:
        """Correlate the next block of noise."""
        from scipy import fft

        old = len(self._noise)
        new = max(FIRST_BLOCK, 2 * old)
        if self._horizon is not None:
            new = min(new, self._horizon)
        self._fresh = np.concatenate((self._fresh, self._draws.many(new - old)))
        size = fft.next_fast_len(2 * new - 1, real=True)
        product = fft.rfft(self._fresh, size)
        product *= (_kept if new <= KEPT else _transform)(self._coefficients, new, size)
        self._noise = np.concatenate((self._noise, self._draws.on_grid(fft.irfft(product, size)[old:new])))


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
