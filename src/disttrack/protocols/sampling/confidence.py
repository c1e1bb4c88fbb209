"""Standard deviations that the sampling tracker needs to be right at all steps, on an input that does not react.

Let every site have many items. In time p n / k, in which each site reports once on average, the items since a site's
last report are k ages that grow at rate 1 and restart with each report: independent exponential variables, with the
sum Y, a Gamma variable of shape k. The estimate errs by (k - Y) / p, so it is right while Y is within u k of k
with u = alpha n p / k. Y goes up through a level y at the rate k f(y), f its density, and returns soon, since
reports are frequent. The number of such clusters matters. Near the level, Y rises at rate k and falls by
exponential jumps of mean m = y / k at rate k; a cluster goes on with probability 1/m above k and m below. So errors
begin at rates

    too low    k f(k (1 + u)) u / (1 + u)        too high    k f(k (1 - u)) u

and for many sites both are c phi(c), c = u sqrt k: that of the Gaussian process with the same covariance, exp(-time).
These rates are asymptotic and prove nothing; tests/protocols/sampling/test_confidence.py measures them.
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import sqrt
from typing import Any

import numpy as np

from disttrack.mechanisms.roots import root


def at_rest(k: int, deviation: Any) -> Any:
    """Return the probability that the estimate errs by more than `deviation` standard deviations at a given step."""
    from scipy.special import gammainc, gammaincc  # importing scipy.stats would take another second

    u = deviation / sqrt(k)
    return gammaincc(k, k * (1 + u)) + gammainc(k, k * np.maximum(1 - u, 0.0))


def rate(k: int, deviation: Any) -> Any:
    """Return the rate of errors beyond `deviation` standard deviations, per time in which every site reports once."""
    u = deviation / sqrt(k)
    low = _density(k * (1 + u), k) * u / (1 + u)
    high = _density(k * np.maximum(1 - u, 0.0), k) * np.where(u < 1, u, 0.0)
    return k * (low + high)


def _density(value: object, k: int) -> object:
    """Return the density of the sum of k exponential variables of mean 1."""
    from scipy.special import gammaln, xlogy

    return np.exp(xlogy(k - 1.0, value) - value - gammaln(k))


def spoilt(k: int, alpha: float, confidence: float, factor: float = 2.0) -> float:
    """Return the probability of an error while the items grow by `factor` and p is constant.

    At the start sqrt(k) / p is alpha n / c for the given c; later the error allowed grows with n.
    """
    nodes, weights = _quadrature()
    grown = 1 + (factor - 1) * (nodes + 1) / 2
    begin = rate(k, confidence * grown) @ weights * (factor - 1) / 2
    return float(at_rest(k, confidence) + begin * confidence / (alpha * sqrt(k)))


@cache
def _quadrature() -> tuple[Any, Any]:
    return np.polynomial.legendre.leggauss(40)


@lru_cache(maxsize=1024)
def confidence_for(k: int, alpha: float, allowed: float, factor: float = 2.0) -> float:
    """Return the least c for which growth by `factor` at one p fails with probability at most `allowed`."""
    high = 4.0
    while spoilt(k, alpha, high, factor) > allowed:
        high *= 1.5
    low = 0.5
    if spoilt(k, alpha, low, factor) <= allowed:
        return low
    return root(lambda c: spoilt(k, alpha, c, factor) - allowed, low, high, 1e-6)
