"""How large does the largest of many noise sums get? The union over all steps of their exact tails.

An estimate at step t carries a sum S_t of independent Laplace variables. What all of them stay below is
found from sum_t Pr[S_t > x] = beta. The tails need not be computed one by one: the left side is linear
in the moment generating functions, so a single contour integral of sum_t M_t(s) exp(-s x) / s gives it.
"""

from __future__ import annotations

import math
from collections import Counter as Multiset
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize

from mechanisms.checks import positive, probability
from mechanisms.laplace_sums import Parts
from mechanisms.noise import Floats


@dataclass(frozen=True)
class NoiseUnion:
    """A family of sums of Laplace variables, each with the number of steps at which it stands.

    Parameters
    ----------
    scales
        The scales that occur.
    counts
        A row a sum: how many variables of each scale it has.
    weights
        How many steps have this sum.
    """

    scales: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, sums: Iterable[Parts]) -> NoiseUnion:
        """Return the family of these sums; equal ones are put together, empty ones left out.

        Examples
        --------
        >>> NoiseUnion.of([[(2.0, 1)], [(2.0, 1)], [(2.0, 2)]]).weights
        (2, 1)
        """
        multiset: Multiset[tuple[tuple[float, int], ...]] = Multiset()
        for parts in sums:
            joined: Multiset[float] = Multiset()
            for scale, count in parts:
                joined[scale] += count
            if joined:
                multiset[tuple(sorted(joined.items()))] += 1
        scales = sorted({scale for key in multiset for scale, _ in key})
        counts = tuple(tuple(dict(key).get(scale, 0) for scale in scales) for key in multiset)
        return cls(tuple(scales), counts, tuple(multiset.values()))

    @cached_property
    def _counts(self) -> Floats:
        return np.array(self.counts, dtype=np.float64).reshape(len(self.counts), len(self.scales))

    @cached_property
    def _weights(self) -> Floats:
        return np.array(self.weights, dtype=np.float64)

    def log_moment(self, s: Floats) -> Floats:
        """Return ln sum_t E exp(s S_t), for real s below 1 / the largest scale."""
        squares = np.square(self.scales)
        exponents = -np.log1p(-squares * np.square(s)[:, None]) @ self._counts.T + np.log(self._weights)
        top = exponents.max(axis=1)
        return np.asarray(top + np.log(np.exp(exponents - top[:, None]).sum(axis=1)))

    def chernoff(self, beta: float) -> tuple[float, float]:
        """Return a value that all sums exceed with probability at most `beta` together, and the s that shows it."""
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
        probability("beta", beta)
        high, s = self.chernoff(beta)
        if not self.scales:
            return 0.0
        tail = self.tail_near(s)
        low = high / 2
        while low > 1e-9 * high and tail(low) < beta:
            low /= 2
        if tail(high) >= beta:  # beta so large that the sums are hardly rarer than their bound
            return high
        return float(optimize.brentq(lambda x: math.log(max(tail(x), 1e-300) / beta), low, high, rtol=1e-9))

    def tail_near(self, s: float) -> _Tail:
        """Return x -> sum_t Pr[S_t > x], best where exp(-s x) sum_t M_t(s) is near its least in s."""
        positive("s", s)
        return _Tail(self, s)


class _Tail:
    """The sum of the tails, by the trapezoidal rule along the line through s parallel to the imaginary axis.

    The rule with step 2 pi / period adds to the tail at x those at x + m period, damped by exp(s m period), for all
    whole m other than 0 (Poisson's formula). The period is chosen so that these are below 1e-13 of what is integrated.
    """

    __slots__ = ("_integrand", "_s", "_step", "_v")

    def __init__(self, union: NoiseUnion, s: float) -> None:
        largest = max(union.scales)
        # any s does; away from the ends of its range the period may be short
        self._s = s = min(max(s, 0.1 / largest), 0.9 / largest)
        self._step = 2 * math.pi / (32 / min(s, 1 / largest - s))
        # the integrand falls like v^-3 at the slowest, beside the much larger sums that matter
        self._v = np.arange(0, 60 / largest, self._step)
        line = s + 1j * self._v
        logs = np.log(1 - np.square(union.scales) * np.square(line)[:, None])
        moments = np.exp(-(logs @ union._counts.T)) @ union._weights
        self._integrand = moments / line
        self._integrand[0] *= 0.5

    def __call__(self, x: float) -> float:
        wave = np.exp(-1j * self._v * x)
        return float(np.sum((self._integrand * wave).real)) * self._step / math.pi * math.exp(-self._s * x)
