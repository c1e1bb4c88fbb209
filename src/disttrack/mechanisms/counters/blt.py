"""Buffered linear Toeplitz noise: nearly the square-root factorisation, from a few buffers of memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated

import numpy as np

from disttrack.mechanisms.checks import at_most, whole
from disttrack.mechanisms.counters.linear import BLOCK
from disttrack.mechanisms.counters.toeplitz import Toeplitz
from disttrack.mechanisms.noise import Ahead, Draws, Floats, RealGaussian

STRIDE = 1.5
"""Distance of the quadrature's nodes: its relative error is about 2 exp(-pi^2 / stride), 0.3 %."""


@dataclass(frozen=True)
class Buffers:
    """The coefficients of a buffered Toeplitz factorisation A = (A C^-1) C of the all-ones triangle A.

    C is Toeplitz with c(0) = 1 and c(i) = sum_j weight_j decay_j^(i - 1). Then C^-1 has the same form,
    with decays of its own, and A C^-1 has b(i) = level + sum_j height_j inverse_decay_j^i. The generating
    function of c is prod (1 - inverse_decay_j x) / prod (1 - decay_j x).
    """

    decays: Floats
    weights: Floats
    inverse_decays: Floats

    def coefficients(self, steps: int) -> Floats:
        """Return c(0), ..., c(steps - 1)."""
        tail = self.weights @ self.decays[:, None] ** np.arange(steps - 1)
        return np.concatenate(([1.0], tail))

    def tempered(self, decay: float) -> Buffers:
        """Return buffers with c(i) decay^i instead of c(i)."""
        return Buffers(decay * self.decays, decay * self.weights, decay * self.inverse_decays)

    def inverse_coefficients(self, steps: int) -> Floats:
        """Return b(0), ..., b(steps - 1)."""
        decays, heights = self.modes
        return np.asarray(heights @ decays[:, None] ** np.arange(steps))

    @cached_property
    def fading(self) -> Floats:
        """The remaining share of each buffer after 0, 1, ... steps, for a block of steps."""
        fading: Floats = self.decays[:, None] ** np.arange(BLOCK)
        return fading

    def column_norm(self, steps: int, entries: int = 1, separation: int = 1) -> float:
        """Return the squared L2 sensitivity, in closed form: sum c(i)^2 over i < steps for one entry of a user.

        The entries are those of the steps 1, 1 + separation, .... Row j of the heights holds the exponentials that the
        first j + 1 entries have left at the step after the last of them; the next entry adds c(0) = 1 to these.
        """
        heights = self.weights * np.cumsum(self.decays ** (separation * np.arange(entries)[:, None]), axis=0)
        before, rest = heights[:-1], steps - 1 - (entries - 1) * separation
        between = before @ _sums(self.decays, separation) * before + 2.0 * before * self.decays ** (separation - 1)
        return entries + float(np.sum(between)) + _energy(self.decays, heights[-1], rest)

    def row_norm(self, steps: int) -> float:
        """Return sum b(i)^2 over i < steps, the squared norm of row `steps` of A C^-1, in closed form."""
        return _energy(*self.modes, steps)

    @cached_property
    def modes(self) -> tuple[Floats, Floats]:
        """Return decays and heights of b(i) = sum_j height_j decay_j^i; the last decay is 1."""
        # b(x) = 1 / ((1 - x) c(x)), in partial fractions
        level = 1.0 / (1.0 + float(np.sum(self.weights / (1.0 - self.decays))))
        heights = _residues(self.inverse_decays, self.decays) / (1.0 - 1.0 / self.inverse_decays)
        return np.append(self.inverse_decays, 1.0), np.append(heights, level)


def _residues(poles: Floats, zeros: Floats) -> Floats:
    """Return h with prod (1 - zero_j x) / prod (1 - pole_j x) = constant + sum_j h_j / (1 - pole_j x)."""
    residues = []
    for i, pole in enumerate(poles):
        others = np.delete(poles, i)
        residues.append(np.prod(1.0 - zeros / pole) / np.prod(1.0 - others / pole))
    return np.array(residues)


def _energy(decays: Floats, heights: Floats, steps: int) -> float:
    """Return the sum over i < steps of (sum_j heights_j decays_j^i)^2, in closed form."""
    return float(heights @ _sums(decays, steps) @ heights)


def _sums(decays: Floats, steps: int) -> Floats:
    """Return the sums over i < steps of (decays_j decays_k)^i, one for each j and k."""
    logs = np.log(np.maximum(decays, 1e-300))
    exponents = logs[:, None] + logs
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(exponents > -1e-15, float(steps), np.expm1(steps * exponents) / np.expm1(exponents))


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
    # One step of C^-1: out = z - weights . s and s' = decays s + out, so s' = (D - 1 w^T) s + 1 z.
    return Buffers(decays, weights, np.sort(np.linalg.eigvals(np.diag(decays) - weights).real))


@lru_cache(maxsize=128)
def optimised_buffers(steps: int, count: int, entries: int = 1, separation: int = 1) -> Buffers:
    """Return `count` buffers of the least maximum loss over `steps` steps, found numerically.

    The maximum loss is the squared sensitivity times the largest variance for noise of variance 1: the product of
    `column_norm` and `row_norm`. The decays of C and of C^-1 alternate; the logits of all of them, the first and the
    logarithms of their gaps, are free variables. They start evenly spaced, from 1 / steps to the lags of one step; for
    several entries also from 1 / separation: between the entries of a user the best noise may forget, and descent from
    one side ends in a local minimum up to a tenth above it. Gaps stay between exp(-12) and a share of 60: for many
    entries, the best decays may coincide or be 0. Of 64 settings none was 0.02 % above the best of 20 to 50 random
    starts.

    Source
    ------
    Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024; McMahan, Xu, Zhang 2024, also for several entries of a user.
    Both kinds of decays as variables: McMahan, Pillutla 2025. The start: derived here.
    """
    from scipy import optimize  # a slow import, only needed by this function

    def buffers(variables: Floats) -> Buffers:
        gaps = np.exp(np.clip(variables[1:], -12.0, math.log(60.0 / (2 * count - 1))))
        logits = variables[0] + np.append(0.0, np.cumsum(gaps))
        decays = 1.0 / (1.0 + np.exp(logits))
        return Buffers(decays[::2], _residues(decays[::2], decays[1::2]) * decays[::2], decays[1::2])

    def log_loss(variables: Floats) -> float:
        made = buffers(variables)
        return math.log(made.column_norm(steps, entries, separation)) + math.log(made.row_norm(steps))

    def descent(longest: int) -> optimize.OptimizeResult:
        first = -math.log(longest) - 0.5
        gap = math.log((1.0 - first) / (2 * count - 1))
        start = np.array([first, *([gap] * (2 * count - 1))])
        # the loss is known to nine digits, so gradients need differences over more than the usual 1e-8
        return optimize.minimize(log_loss, start, method="BFGS", options={"eps": 1e-6, "gtol": 1e-6})

    end = descent(steps)
    if entries > 1 and (other := descent(separation)).fun < end.fun - 1e-6:  # and not the same minimum again
        end = other
    return buffers(end.x)


@dataclass(frozen=True)
class Blt(Toeplitz):
    """Buffered linear Toeplitz counter: nearly the square root's error from O(log T) numbers of state.

    Parameters
    ----------
    epsilon, delta
        Privacy of all estimates together.
    horizon
        Number of steps at most.
    calibration
        Formula for sigma from epsilon and delta: classical (epsilon up to 1) or exact.
    buffers
        Number of buffers, at most 10; their parameters minimise the maximum loss over the horizon for this number of
        participations, as far as descent from two starts finds it. None for the buffers of a quadrature: more of them,
        within 1 % of the square root's error at every horizon.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024.
    Buffered form of McMahan, Xu, Zhang 2024.

    Examples
    --------
    >>> counter = Blt(epsilon=1.0, horizon=10_000, buffers=3)
    >>> round(counter.variance(10_000) ** 0.5 / counter.sigma, 3)  # of the square root: 3.998
    4.033
    """

    kind = "blt"
    slowness = 2.0
    error = "within 1 % of square-root; with 3 buffers 0.9 % above it at 10,000 steps, with 5 0.4 % at 1,000,000"
    memory = "buffers, or O(log horizon)"

    buffers: Annotated[int, whole, at_most(10)] | None = None

    @property
    def factors(self) -> Buffers:
        """The numbers of the factorisation."""
        if not self.buffers:
            return quadrature_buffers(self.steps)
        return optimised_buffers(self.steps, self.buffers, self.entries, self.separation)

    def coefficients(self, steps: int) -> Floats:
        return self.factors.coefficients(steps)

    def column_norm(self, steps: int) -> float:
        return self.factors.column_norm(steps, min(self.entries, -(-steps // self.separation)), self.separation)

    def row_norm(self, t: int) -> float:
        return self.factors.row_norm(t)

    def noise(self, rng: np.random.Generator) -> BufferedNoise:
        return BufferedNoise(self.factors, Draws(RealGaussian(self.std), rng, min(self.steps, 1024)))


class BufferedNoise(Ahead):
    """The buffers, and the noise of the present estimate.

    Step t draws z and takes out = z - weights . s, the noise C^-1 z; the buffers become s = decays s + out, and the
    estimate's noise, A C^-1 z, grows by out.
    """

    __slots__ = ("_buffers", "_draws", "_noise", "_states", "spacing")

    def __init__(self, buffers: Buffers, draws: Draws) -> None:
        super().__init__()
        self._buffers, self._draws = buffers, draws
        self.spacing = draws.spacing
        self._states = np.zeros(len(buffers.weights))
        self._noise = 0.0

    def ahead(self) -> Floats:
        return self.fresh(self._draws.refill())

    def fresh(self, size: int) -> Floats:
        """Return the noise of several steps.

        The content of the buffers is first subtracted as if it were input; C^-1, from rest, then has the
        coefficients height (decay - 1) decay^(i - 1), summed over the modes of A C^-1.
        """
        draws, fading = self._draws.many(size), self._buffers.fading[:, :size]
        held = self._buffers.weights * self._states
        draws -= (held[:, None] * fading).sum(axis=0)  # a matrix product would differ between processors
        from scipy.signal import lfilter  # a slow import, only needed here

        shaped = draws.copy()
        decays, heights = self._buffers.modes
        for decay, height in zip(decays[:-1], heights[:-1], strict=True):
            shaped += height * (decay - 1.0) * lfilter([0.0, 1.0], [1.0, -decay], draws)
        self._states = self._states * fading[:, -1] * self._buffers.decays + (fading[:, ::-1] * shaped).sum(axis=1)
        shaped[0] += self._noise
        np.cumsum(shaped, out=draws)
        self._noise = float(draws[-1])
        return self._draws.on_grid(draws)
