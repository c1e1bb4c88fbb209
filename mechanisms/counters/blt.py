"""Buffered linear Toeplitz noise: the square-root factorisation with a few buffers of memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import mul

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.checks import number, probability, whole
from disttrack.mechanisms.counters.base import Counter, Run, noise_or_silence
from disttrack.mechanisms.counters.dyadic import BLOCK
from disttrack.mechanisms.gaussian import Calibration, noise_multiplier
from disttrack.mechanisms.noise import Draws, Floats, Gaussian, RealGaussian

STRIDE = 1.5
"""Distance of the quadrature's nodes: its relative error is about 2 exp(-pi^2 / stride), 0.3 %."""


@dataclass(frozen=True)
class Buffers:
    """The coefficients of a buffered Toeplitz factorisation A = (A C^-1) C of the all-ones triangle A.

    C is Toeplitz with c(0) = 1 and c(i) = sum_j weight_j decay_j^(i - 1). Then C^-1 has the same form,
    with its own coefficients, and A C^-1 has b(i) = level + sum_j height_j inverse_decay_j^i.
    """

    decays: Floats
    weights: Floats

    def coefficients(self, steps: int) -> Floats:
        """Return c(0), ..., c(steps - 1)."""
        tail = self.weights @ self.decays[:, None] ** np.arange(steps - 1)
        return np.concatenate(([1.0], tail))

    @cached_property
    def fading(self) -> Floats:
        """The remaining share of each buffer after 0, 1, ... steps, for a block of steps."""
        fading: Floats = self.decays[:, None] ** np.arange(BLOCK)
        return fading

    def column_norm(self, steps: int) -> float:
        """Return sum c(i)^2 over i < steps, the squared L2 sensitivity, in closed form."""
        return 1.0 + _energy(self.decays, self.weights, steps - 1)

    def row_norm(self, steps: int) -> float:
        """Return sum b(i)^2 over i < steps, the squared norm of row `steps` of A C^-1, in closed form."""
        return _energy(*self.modes, steps)

    def response(self, steps: int) -> Floats:
        """Return b(0), ..., b(steps - 1): the contribution of one draw to the noise that many steps later."""
        decays, heights = self.modes
        response: Floats = heights @ decays[:, None] ** np.arange(steps)
        return response

    @cached_property
    def modes(self) -> tuple[Floats, Floats]:
        """Return decays and heights of b(i) = sum_j height_j decay_j^i; the last decay is 1."""
        # One step of C^-1: out = z - weights . s and s' = decays s + out, so s' = (D - 1 w^T) s + 1 z.
        roots = np.sort(np.linalg.eigvals(np.diag(self.decays) - self.weights).real)
        level = 1.0 / (1.0 + float(np.sum(self.weights / (1.0 - self.decays))))
        # b(x) = 1 / ((1 - x) c(x)) = prod (1 - decay x) / ((1 - x) prod (1 - root x)), in partial fractions
        heights = []
        for i, root in enumerate(roots):
            others = np.delete(roots, i)
            heights.append(float(np.prod(1.0 - self.decays / root) / np.prod(1.0 - others / root)) / (1.0 - 1.0 / root))
        return np.append(roots, 1.0), np.append(heights, level)


def _energy(decays: Floats, heights: Floats, steps: int) -> float:
    """Return the sum over i < steps of (sum_j heights_j decays_j^i)^2, in closed form."""
    logs = np.log(np.maximum(decays, 1e-300))
    exponents = logs[:, None] + logs
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = np.where(exponents > -1e-15, float(steps), np.expm1(steps * exponents) / np.expm1(exponents))
    return float(heights @ sums @ heights)


@lru_cache(maxsize=128)
def quadrature_buffers(steps: int, stride: float = STRIDE) -> Buffers:
    """Return buffers whose coefficients follow those of 1 / sqrt(1 - x) up to lag `steps`.

    The coefficient of x^i is (1 / pi) int d(u)^i / cosh(u) du with d(u) = 1 / (1 + exp(2u)); the
    trapezoidal rule in u turns the integral into a sum of O(log steps) exponentials. The part left of
    the leftmost node decays over more than `steps` steps and is added to that node.

    Source
    ------
    The form: Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024. The nodes: derived here.
    """
    left = -0.5 * math.log(2.0 * steps)
    count = math.ceil((1.5 - left) / stride) + 1
    nodes = left + stride * np.arange(count)
    decays = 1.0 / (1.0 + np.exp(2.0 * nodes))
    weights = stride / math.pi * decays / np.cosh(nodes)
    weights[0] /= -math.expm1(-stride)
    return Buffers(decays, weights)


@dataclass(frozen=True)
class Blt(Counter):
    """Buffered linear Toeplitz counter: nearly the square root's error from O(log T) numbers of state.

    Parameters
    ----------
    epsilon, delta
        Privacy of all estimates together.
    horizon
        Number of steps at most.
    calibration
        Formula for sigma from epsilon and delta: classical (epsilon up to 1) or exact.
    stride
        Distance of the quadrature's nodes; smaller means more buffers and an error closer to the square
        root's.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024; buffered form of McMahan, Xu, Zhang 2024.
    """

    kind = "blt"
    source = "Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024"
    error = "within 1 % of square-root"
    memory = "O(log horizon)"
    privacy = "approximate"

    delta: float = 1e-6
    calibration: Calibration = "classical"
    stride: float = STRIDE

    def __post_init__(self) -> None:
        super().__post_init__()
        noise_multiplier(self.epsilon, self.delta, self.calibration)
        number("stride", self.stride, "from 0.1 to 3", lambda stride: 0.1 <= stride <= 3)

    @property
    def buffers(self) -> Buffers:
        """The numbers of the factorisation."""
        return quadrature_buffers(self.steps, self.stride)

    @property
    def sigma(self) -> float:
        """Noise multiplier: standard deviation of the noise over the L2 sensitivity."""
        return noise_multiplier(self.epsilon, self.delta, self.calibration)

    @property
    def std(self) -> float:
        """Standard deviation of each fresh draw."""
        return self.sigma * math.sqrt(self.buffers.column_norm(self.steps))

    def variance(self, t: int) -> float:
        whole("t", t)
        return self.std**2 * self.buffers.row_norm(t)

    def error_bound(self, t: int, beta: float) -> float:
        probability("beta", beta)
        return Gaussian(math.sqrt(self.variance(t))).quantile(1 - beta / 2)

    def encoder(self, steps: int) -> Floats:
        lags = np.subtract.outer(np.arange(steps), np.arange(steps))
        return np.where(lags >= 0, self.buffers.coefficients(steps)[abs(lags)], 0.0) / self.std

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> BltRun:
        return BltRun(self, rng, silent)


class BltRun(Run):
    """A running buffered Toeplitz counter: the buffers, and the noise of the present estimate."""

    __slots__ = ("_buffers", "_decays", "_draws", "_modes", "_noise", "_one", "_states", "_weights")

    def __init__(self, counter: Blt, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        self._draws = Draws(noise_or_silence(RealGaussian(counter.std), silent), rng, min(counter.steps, 1024))
        self._one = self._draws.one
        buffers = counter.buffers
        self._modes = tuple(part[:-1].tolist() for part in buffers.modes)
        self._decays = buffers.decays.tolist()
        self._weights = buffers.weights.tolist()
        self._states = [0.0] * len(self._weights)
        self._buffers = buffers
        self._noise = 0.0

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        self.t = t
        self._total += x
        draw = self._one()
        states = self._states
        draw -= sum(map(mul, self._weights, states))
        self._states = [faded + draw for faded in map(mul, self._decays, states)]
        self._noise += draw
        return self._total + self._draws.on_grid(self._noise)

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        if not len(numbers):
            return numbers
        noise = self._draws.many(len(numbers))
        for at in range(0, len(noise), BLOCK):
            self._shape(noise[at : at + BLOCK])
        self.t += len(numbers)
        return self._prefixes(numbers) + self._draws.on_grid(noise)

    def _shape(self, draws: Floats) -> None:
        """Turn draws into the noise of the estimates, in place.

        The content of the buffers is first subtracted as if it were input; C^-1, from rest, then has the
        coefficients height (decay - 1) decay^(i - 1), summed over the modes of A C^-1.
        """
        fading = self._buffers.fading[:, : len(draws)]
        held = np.array(self._weights) * self._states
        draws -= (held[:, None] * fading).sum(axis=0)  # a matrix product would differ between processors
        from scipy.signal import lfilter  # a slow import, only needed by `release`

        shaped = draws.copy()
        for decay, height in zip(*self._modes, strict=True):
            shaped += height * (decay - 1.0) * lfilter([0.0, 1.0], [1.0, -decay], draws)
        faded = np.array(self._states) * fading[:, -1] * self._decays
        self._states = (faded + (fading[:, ::-1] * shaped).sum(axis=1)).tolist()
        shaped[0] += self._noise
        np.cumsum(shaped, out=draws)
        self._noise = float(draws[-1])
