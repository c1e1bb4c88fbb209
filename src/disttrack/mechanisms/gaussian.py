"""The normal noise that gives (epsilon, delta)-privacy to a vector of L2 sensitivity 1."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

from disttrack.mechanisms.checks import positive, probability

Calibration = Literal["classical", "exact"]


@lru_cache(maxsize=4096, typed=True)
def noise_multiplier(epsilon: float, delta: float, calibration: Calibration = "classical") -> float:
    """Return the standard deviation of the noise over the L2 sensitivity.

    Parameters
    ----------
    epsilon, delta
        The privacy guarantee.
    calibration
        classical: sqrt(2 ln(1.25 / delta)) / epsilon, proved for epsilon below 1, and so at 1, since the delta that
        noise spends is continuous in epsilon and its scale; exact: the least possible noise, for any epsilon.

    Raises
    ------
    ValueError
        If a parameter is out of range; among others if epsilon > 1 for the classical formula.

    Source
    ------
    Dwork, Roth 2014, Theorem A.1 (classical); Balle, Wang 2018, Theorem 8 (exact).

    Examples
    --------
    >>> round(noise_multiplier(1.0, 1e-6), 4), round(noise_multiplier(1.0, 1e-6, "exact"), 4)
    (5.2988, 4.2247)
    """
    positive("epsilon", epsilon)
    probability("delta", delta)
    if calibration == "classical":
        if epsilon > 1:
            raise ValueError(
                f"epsilon must be at most 1 for the classical calibration; got {epsilon!r}"
                " (calibration 'exact' takes any)"
            )
        return math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    if calibration != "exact":
        raise ValueError(f"calibration must be 'classical' or 'exact'; got {calibration!r}")

    from scipy import optimize  # a slow import, only needed by this function

    def excess(log_sigma: float) -> float:
        return delta_spent(math.exp(log_sigma), epsilon) - delta

    high = math.log(4 * math.sqrt(2 * math.log(1.25 / delta)) / min(epsilon, 1))
    return math.exp(float(optimize.brentq(excess, -12.0, high, xtol=1e-14)))


def concentrated(epsilon: float, delta: float) -> float:
    """Return the zero-concentrated budget rho with rho + 2 sqrt(rho ln(1 / delta)) = epsilon.

    Source
    ------
    Bun, Steinke 2016, Proposition 1.3.

    Examples
    --------
    >>> round(concentrated(1.0, 1e-6), 4)
    0.0175
    """
    log = math.log(1 / delta)
    return (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2


def delta_spent(sigma: float, epsilon: float) -> float:
    """Return the least delta that noise of this standard deviation, over the sensitivity, spends at this epsilon.

    Source
    ------
    Balle, Wang 2018, Theorem 8.

    Examples
    --------
    >>> round(delta_spent(1.0, 1.0), 4)
    0.1269
    """
    from scipy import special

    half, shift = 1 / (2 * sigma), epsilon * sigma
    return float(special.ndtr(half - shift)) - math.exp(epsilon + float(special.log_ndtr(-half - shift)))
