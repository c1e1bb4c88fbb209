"""Tails and quantiles of sums of independent Laplace variables, to about ten digits at any depth.

The estimate of a tree counter contains a few Laplace variables, often of different scales. The
published bounds for such sums are several times too wide; these are the exact numbers.

With M(s) = prod (1 - b_j^2 s^2)^(-n_j) the sum's moment generating function,
Pr[S > x] = 1/(2 pi i) int M(s) exp(-s x) / s ds along any path that crosses the real axis between 0 and
1 / max b_j. The path here is a parabola through the saddle point. Its curvature is small enough that a nearly
normal sum decays on it as on a straight line, and large enough that a few variables decay at all: the
trapezoidal rule then converges geometrically.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from disttrack.mechanisms.checks import positive, probability
from disttrack.mechanisms.grid import Floats
from disttrack.mechanisms.roots import root

Parts = Sequence[tuple[float, int]]
"""A sum of Laplace variables: pairs (scale, number of variables)."""


def laplace_sum_variance(parts: Parts) -> float:
    """Return the variance of the sum: 2 sum n_j b_j^2."""
    return 2.0 * math.fsum(count * scale**2 for scale, count in parts)


def laplace_sum_log_tail(parts: Parts, value: float) -> float:
    """Return ln Pr[S > value] for value >= 0.

    Parameters
    ----------
    parts
        Pairs (scale, count).
    value
        In the units of the scales.

    Source
    ------
    Saddle-point inversion after Rice 1980, "Distribution of quadratic forms in normal random variables:
    evaluation by numerical integration"; a single variable in closed form.

    Examples
    --------
    >>> round(laplace_sum_log_tail([(1.0, 1)], 3.0), 6)
    -3.693147
    """
    if value == 0:  # the sum is symmetric
        return math.log(0.5)
    positive("value", value)
    largest = max(scale for scale, _ in parts)
    x = value / largest
    squares = np.array([(scale / largest) ** 2 for scale, _ in parts])
    counts = np.array([count for _, count in parts], dtype=np.float64)
    if counts.sum() == 1:
        return math.log(0.5) - x

    saddle = _saddle_point(squares, counts, x)
    rest = 1 - squares * saddle**2
    curvature = float(np.sum(counts * 2 * squares * (1 + squares * saddle**2) / rest**2))
    width = 1 / math.sqrt(curvature + 1 / saddle**2)
    # A Gaussian has vanished at v = 9 / sqrt(curvature); so small a bend meets growth only far beyond.
    bend = 0.02 * math.sqrt(curvature)
    top = -float(np.sum(counts * np.log(rest))) - saddle * x - math.log(saddle)

    def trapezoid(step: float) -> float:
        total, at, size = 0.0, 0, 64
        while True:
            v = (at + np.arange(size)) * step
            s = saddle + bend * v * v + 1j * v
            exponent = -(counts @ np.log(1 - squares[:, None] * s * s)) - s * x - np.log(s) - top
            terms = (np.exp(exponent) * (2 * bend * v + 1j)).imag
            if at == 0:
                terms[0] *= 0.5
            total += float(terms.sum())
            at += size
            if abs(terms[-16:]).max() < 1e-17 or at > 200_000:
                return total * step / math.pi

    step = width / 3
    coarse = trapezoid(step)
    for _ in range(8):
        step /= 2
        fine = trapezoid(step)
        if abs(fine - coarse) <= 1e-10 * abs(fine):  # the error of `fine` is about the square of this
            break
        coarse = fine
    return top + math.log(fine)


def _saddle_point(squares: Floats, counts: Floats, x: float) -> float:
    """Return the point between 0 and the pole at 1 where the integrand of the inversion is flat."""

    def slope(s: float) -> float:
        return float(np.sum(counts * 2 * squares * s / (1 - squares * s * s))) - x - 1 / s

    return root(slope, 1e-12, 1 - 1e-15, 1e-12, 1e-15)


def laplace_sum_quantile(parts: Parts, beta: float) -> float:
    """Return the value that \\|S\\| exceeds with probability `beta` exactly.

    Parameters
    ----------
    parts
        Pairs (scale, count) of the independent Laplace variables in the sum S.
    beta
        Two-sided tail probability, between 0 and 1.

    Raises
    ------
    ValueError
        If `beta` is not between 0 and 1.

    Examples
    --------
    >>> round(laplace_sum_quantile([(1.0, 1)], 0.05), 6)
    2.995732
    """
    probability("beta", beta)
    parts = [(scale, count) for scale, count in parts if scale > 0 and count > 0]
    if not parts:
        return 0.0
    goal = math.log(beta / 2)
    std = math.sqrt(laplace_sum_variance(parts))
    high = std
    while laplace_sum_log_tail(parts, high) > goal:
        high *= 2
    low = high / 2
    while laplace_sum_log_tail(parts, low) < goal:
        low /= 2
        if low < 1e-9 * std:
            return low
    return root(lambda x: laplace_sum_log_tail(parts, x) - goal, low, high, 1e-11)
