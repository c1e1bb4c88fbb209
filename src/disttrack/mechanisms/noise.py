"""Distributions of noise: Laplace and Gaussian, with draws taken from a generator in batches.

Laplace and Gaussian noise are drawn exactly on a public grid that contains the integers: the discrete Laplace and the
discrete Gaussian distribution. Sums of integers and noise are then exact in doubles, so every release on one data set
is possible on each neighbour, and the stated privacy is that of the released numbers. Variances, tails and
quantiles are those of the continuous distributions, from which the grid's differ by less than one part in 2^20.
A generator other than numpy's, as used by audits and faults, draws by its own methods `laplace` and `normal`.

A number that gets such noise is rounded to its grid first (`hide`): otherwise its last digits would show.

A single draw from a numpy generator costs about a microsecond, most of it overhead, so `Draws` draws
batches and returns the values one by one. It keeps the order: n calls of `one` and one call of
`many(n)` give the same numbers. A counter's `step` and `release` therefore agree to the last
bit.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import length_hint
from statistics import NormalDist
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disttrack.mechanisms.checks import Checked, Positive, array_of
from disttrack.mechanisms.grid import Floats as Floats
from disttrack.mechanisms.grid import discrete_gaussian, discrete_laplace, spacing

LARGEST: Final = sys.float_info.max
Numbers = TypeVar("Numbers", float, Floats)


def real_numbers(values: ArrayLike) -> Floats:
    """Return numbers as an array of floats; ValueError for texts, which numpy would convert, and for too large ones.

    Examples
    --------
    >>> real_numbers([1, 0.5, True]).tolist()
    [1.0, 0.5, 1.0]
    """
    given: NDArray[Any] = array_of("numbers that get noise", values)
    if given.dtype.kind in "iufb":
        return given.astype(np.float64, copy=False)
    numbers = [rounded(one, 0.0) for one in given.ravel().tolist()]  # whole numbers above 2^64, or what is refused
    return np.array(numbers, dtype=np.float64).reshape(given.shape)


def rounded(values: Numbers, spacing: float) -> Numbers:
    """Return a number, or an array, rounded to the multiples of `spacing`; unchanged if that is 0.

    Raises
    ------
    ValueError
        If a number is not finite: no noise hides it. If it is no real number.
    """
    if isinstance(values, np.ndarray):
        if not np.isfinite(values).all():
            raise ValueError(f"numbers that get noise must be finite; got {values[~np.isfinite(values)][0]}")
        return np.rint(values / spacing) * spacing if spacing else values
    if not isinstance(values, int | float | np.integer | np.floating):
        raise ValueError(f"numbers that get noise must be real; got {values!r}")
    if not abs(values) <= LARGEST:
        raise ValueError(f"numbers that get noise must be finite; got {values!r}")
    return values - math.remainder(values, spacing) if spacing else values


class GridNoise(Checked):
    """A distribution on a grid. Subclasses define `spacing`, its step, and `draw`."""

    spacing: float

    @abstractmethod
    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        """Return independent draws, by the generator's own method if it is not numpy's."""

    def grid(self, rng: np.random.Generator) -> float:
        """Return the step of the grid of the draws from a generator; 0 if they are on none, as those of audits."""
        return self.spacing if isinstance(rng, np.random.Generator) else 0.0

    def hide(self, values: Numbers, rng: np.random.Generator) -> Numbers:
        """Return a number, or each of an array, rounded to the grid and with a draw of noise."""
        values = rounded(values, self.grid(rng))
        if isinstance(values, np.ndarray):
            return values + self.draw(rng, values.size).reshape(values.shape)
        return values + float(self.draw(rng, 1)[0])


@dataclass(frozen=True)
class Laplace(GridNoise):
    """Laplace noise on a grid: the probability of x is in proportion to exp(-\\|x\\| / scale), the variance 2 scale^2.

    Parameters
    ----------
    scale
        Scale b, in the units of the number that it hides. For a number on the grid of L1 sensitivity s, it gives
        (s / b)-differential privacy; draws need b to be at most 2^40.

    Raises
    ------
    ValueError
        If `scale` is not a finite number above 0.

    Source
    ------
    Dwork, McSherry, Nissim, Smith 2006, Proposition 1; on a grid: Ghosh, Roughgarden, Sundararajan 2009.

    Examples
    --------
    >>> Laplace(scale=2.0).variance
    8.0
    """

    scale: Positive

    @property
    def spacing(self) -> float:  # type: ignore[override]
        return spacing(self.scale)

    @property
    def variance(self) -> float:
        """Variance of one draw."""
        return 2.0 * self.scale**2

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        if not isinstance(rng, np.random.Generator):
            return np.asarray(rng.laplace(0.0, self.scale, size))
        return self.spacing * discrete_laplace(rng, self.scale / self.spacing, size)

    def quantile(self, probability: float) -> float:
        """Return the value below which a draw lies with the given probability."""
        if probability < 0.5:
            return self.scale * math.log(2.0 * probability)
        return -self.scale * math.log(2.0 * (1.0 - probability))

    def tail(self, value: float) -> float:
        """Return the probability that a draw exceeds `value`."""
        if value < 0.0:
            return 1.0 - 0.5 * math.exp(value / self.scale)
        return 0.5 * math.exp(-value / self.scale)


@dataclass(frozen=True)
class Gaussian(GridNoise):
    """Normal noise of mean 0 on a grid: the discrete Gaussian distribution.

    Parameters
    ----------
    std
        Standard deviation, in the units of the number that it hides; draws need it to be at most 2^40.

    Raises
    ------
    ValueError
        If `std` is not a finite number above 0.

    Source
    ------
    Canonne, Kamath, Steinke 2020, with the zero-concentrated privacy of normal noise.

    Examples
    --------
    >>> Gaussian(std=3.0).variance
    9.0
    """

    std: Positive

    @property
    def spacing(self) -> float:  # type: ignore[override]
        return spacing(self.std)

    @property
    def variance(self) -> float:
        """Variance of one draw."""
        return self.std**2

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        if not isinstance(rng, np.random.Generator):
            return np.asarray(rng.normal(0.0, self.std, size))
        return self.spacing * discrete_gaussian(rng, self.std / self.spacing, size)

    def quantile(self, probability: float) -> float:
        """Return the value below which a draw lies with the given probability."""
        return self.std * NormalDist().inv_cdf(probability)


@dataclass(frozen=True)
class RealGaussian(Gaussian):
    """Normal noise in doubles, on no grid: for sums with real coefficients, which are on no grid.

    Its privacy is that of real numbers, which doubles only approximate. The caller rounds such a sum to the grid.

    Parameters
    ----------
    std
        Standard deviation, in the units of the number that it hides.
    """

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        return np.asarray(rng.normal(0.0, self.std, size))


Noise = Laplace | Gaussian
"""A distribution of noise."""


class Silence:
    """Generator for a run without noise: every draw is 0. For tests and comparisons; it gives no privacy."""

    def spawn(self, count: int) -> list[Silence]:
        """Return generators like this one."""
        return [self] * count

    def laplace(self, mean: float, scale: float, size: int) -> Floats:
        return np.zeros(size)

    normal = uniform = laplace


def or_silence(rng: np.random.Generator, silent: bool) -> Any:
    """Return the generator, or one without noise if `silent`."""
    return Silence() if silent else rng


class Ahead(ABC):
    """A stream of numbers that are computed in blocks and returned in order, one by one or several at a time.

    Attributes
    ----------
    one
        Function without arguments that returns the next number, as a Python float.
    """

    __slots__ = ("_rest", "one")

    def __init__(self) -> None:
        self._rest: Iterator[float] = iter(())
        self.one: Callable[[], float] = self._values().__next__

    @abstractmethod
    def fresh(self, size: int) -> Floats:
        """Compute the next `size` numbers."""

    @abstractmethod
    def ahead(self) -> Floats:
        """Compute the next block for `one`: one number or more."""

    def many(self, size: int) -> Floats:
        """Return the next `size` numbers: the rest of the present block first, then fresh ones."""
        left = np.fromiter(islice(self._rest, size), dtype=np.float64)
        if len(left) == size:
            return left
        fresh = self.fresh(size - len(left))
        return np.concatenate((left, fresh)) if len(left) else fresh

    def refill(self) -> int:
        """Compute a block after the rest of the present one, and return the count of both."""
        self._rest = iter([*self._rest, *self.ahead().tolist()])
        return length_hint(self._rest)

    def _values(self) -> Iterator[float]:
        while True:
            yield from self._rest
            if not length_hint(self._rest):
                self._rest = iter(self.ahead().tolist())


class Draws(Ahead):
    """A stream of independent draws from one distribution, drawn in batches and returned in order.

    Parameters
    ----------
    noise
        The distribution of each draw.
    rng
        Generator of the batches.
    batch
        Draws taken at a time by `one`. With 1 nothing is drawn ahead, so that no future noise is in memory, as
        a pan-private mechanism needs.
    """

    __slots__ = ("_batch", "_noise", "_rng", "spacing")

    def __init__(self, noise: Noise, rng: np.random.Generator, batch: int = 1024) -> None:
        super().__init__()
        self._noise = noise
        self._rng = rng
        self._batch = max(1, batch)
        self.spacing = noise.grid(rng) if isinstance(noise, GridNoise) else 0.0
        """Step of the grid of the draws; 0 if they are on none."""
        if batch <= 1:
            self.one = self._single

    def on_grid(self, values: Numbers) -> Numbers:
        """Return a number, or an array, rounded to the grid of the noise; unchanged if there is no grid."""
        return rounded(values, self.spacing)

    def hide(self, value: float) -> float:
        """Return a number, rounded to the grid, with the next draw."""
        return self.on_grid(value) + self.one()

    def fresh(self, size: int) -> Floats:
        return self._noise.draw(self._rng, size)

    def ahead(self) -> Floats:
        return self.fresh(self._batch)

    def _single(self) -> float:
        return float(self._noise.draw(self._rng, 1).item())
