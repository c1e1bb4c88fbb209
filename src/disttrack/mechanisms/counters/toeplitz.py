"""Toeplitz factorisations of counting with normal noise: the common part of square-root, blt and unbounded."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.counters.linear import NormalCounter, UserLevelCounter
from disttrack.mechanisms.noise import Draws, Floats

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
