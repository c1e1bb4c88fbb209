"""Tails and quantiles of sums of independent Laplace variables, and of the largest of many such sums.

The estimate of a tree counter contains a few Laplace variables, often of different scales. The
published bounds for such sums are several times too wide; these are the exact numbers.

With M(s) = prod (1 - b_j^2 s^2)^(-n_j) the sum's moment generating function,
Pr[S > x] = 1/(2 pi i) int M(s) exp(-s x) / s ds along any path that crosses the real axis between 0 and
1 / max b_j. The path here is a parabola through the saddle point. Its curvature is small enough that a nearly
normal sum decays on it as on a straight line, and large enough that a few variables decay at all: the
trapezoidal rule then converges geometrically.

An estimate at step t contains a sum S_t of independent Laplace variables. The bound x for all of them solves
sum_t Pr[S_t > x] = beta. The tails need not be computed one by one: the left side is linear
in the moment generating functions, so a single contour integral of sum_t M_t(s) exp(-s x) / s gives it.
"""

from __future__ import annotations

import math
from collections import Counter as Multiset
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import positive, probability
from disttrack.mechanisms.noise import Floats
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


@dataclass(frozen=True, eq=False)
class NoiseUnion:
    """A family of sums of Laplace variables, each with the number of steps at which it occurs.

    Parameters
    ----------
    scales
        The distinct scales.
    counts
        One row per sum: the number of variables of each scale.
    weights
        Number of steps with this sum.
    """

    scales: tuple[float, ...]
    counts: Floats
    weights: Floats

    @classmethod
    def of(cls, sums: Iterable[Parts]) -> NoiseUnion:
        """Return the family of these sums; equal ones are merged, empty ones omitted.

        Examples
        --------
        >>> NoiseUnion.of([[(2.0, 1)], [(2.0, 1)], [(2.0, 2)]]).weights.tolist()
        [2.0, 1.0]
        """
        multiset: Multiset[tuple[tuple[float, int], ...]] = Multiset()
        for parts in sums:
            joined: dict[float, int] = {}
            for scale, count in parts:
                joined[scale] = joined.get(scale, 0) + count
            if joined:
                multiset[tuple(sorted(joined.items()))] += 1
        scales = sorted({scale for key in multiset for scale, _ in key})
        place = {scale: number for number, scale in enumerate(scales)}
        counts = np.zeros((len(multiset), len(scales)))
        for row, key in enumerate(multiset):
            for scale, count in key:
                counts[row, place[scale]] = count
        return cls(tuple(scales), counts, np.array(list(multiset.values()), dtype=np.float64))

    def log_moment(self, s: Floats) -> Floats:
        """Return ln sum_t E exp(s S_t), for real s below 1 / the largest scale."""
        squares = np.square(self.scales)
        exponents = -np.log1p(-squares * np.square(s)[:, None]) @ self.counts.T + np.log(self.weights)
        top = exponents.max(axis=1)
        return np.asarray(top + np.log(np.exp(exponents - top[:, None]).sum(axis=1)))

    def chernoff(self, beta: float) -> tuple[float, float]:
        """Return a value that any of the sums exceeds with probability at most `beta`, and the s of this bound."""
        if not self.scales:
            return 0.0, 0.0
        s = np.linspace(0.02, 0.98, 97) / max(self.scales)
        values = (self.log_moment(s) - math.log(beta)) / s
        best = int(values.argmin())
        return float(values[best]), float(s[best])

    def quantile(self, beta: float) -> float:
        """Return the x with sum_t Pr[S_t > x] = beta: one-sided, over all the steps.

        Raises
        ------
        ValueError
            If `beta` is not between 0 and 1.

        Examples
        --------
        >>> round(NoiseUnion.of([[(1.0, 1)], [(1.0, 1)]]).quantile(0.05), 6)  # ln(2 / (2 · 0.05))
        2.995732
        """
        return self._quantile(beta)[0]

    def shortfall(self, beta: float) -> float:
        """Return the expected shortfall at `beta`: the x of `quantile`, and sum_t E max(0, S_t - x) over beta.

        It is the least y with sum_t E max(0, S_t - a) <= beta (y - a) for some a. So if a step t is chosen on an event
        such that the mean of S_t, given the event, is at least y, then the event has a probability of at most beta.

        Raises
        ------
        ValueError
            If `beta` is not between 0 and 1.

        Examples
        --------
        >>> round(NoiseUnion.of([[(1.0, 1)], [(1.0, 1)]]).shortfall(0.05), 6)  # memoryless beyond the quantile
        3.995732
        """
        x, tail = self._quantile(beta)
        return x if tail is None else x + tail.excess(x) / beta

    def _quantile(self, beta: float) -> tuple[float, Tail | None]:
        """Return the quantile, and the tail from which it is computed; None if it is Chernoff's bound."""
        probability("beta", beta)
        high, s = self.chernoff(beta)
        if not self.scales:
            return 0.0, None
        tail = Tail(self, s, least=high / 10)
        low = high / 10
        if not tail(low) > beta > tail(high):  # beta is so large that Chernoff's bound is far off; it holds anyway
            return high, None
        return root(lambda x: math.log(max(tail(x), 1e-300) / beta), low, high, 1e-10), tail


class Tail:
    """The function x -> sum_t Pr[S_t > x], for x from `least` on.

    The integral is taken along the parabola s + bend v^2 + i v, on which exp(-s x) decays like a normal
    density, by the trapezoidal rule, which converges geometrically. The path crosses the real axis
    between the poles 0 and 1 / the largest scale, at s; it is most accurate if exp(-s x) sum_t M_t(s) is
    near its minimum.

    Parameters
    ----------
    union
        The sums.
    s
        Crossing point of the path.
    least
        The smallest argument x.

    Source
    ------
    As `mechanisms.laplace_sums`, for many sums at once.
    """

    __slots__ = ("_beyond", "_integrand", "_path", "_s", "_step")

    def __init__(self, union: NoiseUnion, s: float, least: float) -> None:
        positive("least", least)
        largest = max(union.scales)
        self._s = s = min(max(s, 0.1 / largest), 0.9 / largest)
        bend = 0.3 * largest
        self._step = min(s, 1 / largest - s) / 8
        v = np.arange(0, math.sqrt(40 / (bend * least)), self._step)
        self._beyond = bend * v * v + 1j * v
        self._path = path = s + self._beyond
        logs = np.log(1 - np.square(union.scales) * np.square(path)[:, None])
        # times -1: unlike a negative, it ends the state in which BLAS leaves a processor, and exp takes a tenth
        moments = np.exp((logs @ union.counts.T) * -1.0) @ union.weights
        self._integrand = moments / path * (2 * bend * v + 1j)
        self._integrand[0] *= 0.5

    def __call__(self, x: float) -> float:
        return self._integral(self._integrand, x)

    def excess(self, x: float) -> float:
        """Return sum_t E max(0, S_t - x), the integral of the tail beyond x."""
        return self._integral(self._integrand / self._path, x)

    def _integral(self, integrand: object, x: float) -> float:
        wave = np.exp(-self._beyond * x)
        return float(np.sum((integrand * wave).imag)) * self._step / math.pi * math.exp(-self._s * x)
