"""The joint loss of several mechanisms: basic, advanced, and exact by privacy-loss distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Final

from disttrack.mechanisms.checks import probability

Loss = tuple[float, float]
"""A loss (epsilon, delta)."""
TAIL: Final = 1e-9
"""Delta at which pure losses are composed exactly: the accountant truncates tails, so delta 0 would give infinity."""


def basic(parts: Sequence[Loss]) -> Loss:
    """Return the sums of the epsilons and of the deltas.

    Source
    ------
    Dwork, Kenthapadi, McSherry, Mironov, Naor 2006; Qiu, Yi 2022, Theorem 2.

    Examples
    --------
    >>> basic([(0.5, 0.0), (0.25, 1e-6)])
    (0.75, 1e-06)
    """
    return math.fsum(epsilon for epsilon, _ in parts), math.fsum(delta for _, delta in parts)


def advanced(parts: Sequence[Loss], slack: float) -> Loss:
    """Return the loss of mechanisms chosen adaptively, with delta `slack` above the sum of their deltas.

    The least of the sum of the epsilons and sum e (exp(e) - 1) / (exp(e) + 1) + sqrt(2 ln(1 / slack) sum e^2).

    Source
    ------
    Kairouz, Oh, Viswanath 2017, Theorem 3.5; Qiu, Yi 2022, section 2.1, for the homogeneous form.

    Examples
    --------
    >>> round(advanced([(0.1, 0.0)] * 100, 1e-6)[0], 3), basic([(0.1, 0.0)] * 100)[0]
    (5.756, 10.0)
    """
    probability("slack", slack)
    epsilon, delta = basic(parts)
    most = math.fsum(drift(one) for one, _ in parts) + spread(math.fsum(one * one for one, _ in parts), slack)
    return (epsilon, delta) if epsilon <= most else (most, delta + slack)


def drift(epsilon: float) -> float:
    """Return the expected loss of the worst mechanism of that epsilon: e (exp(e) - 1) / (exp(e) + 1)."""
    return epsilon * math.tanh(epsilon / 2)


def spread(squares: float, slack: float) -> float:
    """Return the largest excess over the expected loss, except with probability `slack`, from sum epsilon^2."""
    return math.sqrt(2 * math.log(1 / slack) * squares)


def exact_available() -> bool:
    """Return whether dp-accounting, the extra `audit`, is installed."""
    return find_spec("dp_accounting") is not None


def exact_laplace(scales: Sequence[float], delta: float = TAIL) -> float:
    """Return the epsilon at `delta` of all Laplace draws of these scales together, each of sensitivity 1."""
    from dp_accounting import LaplaceDpEvent

    return _composed([LaplaceDpEvent(scale) for scale in scales], delta)


def exact_normal(deviations: Sequence[float], delta: float) -> float:
    """Return the epsilon at `delta` of all normal draws of these deviations together, each of sensitivity 1."""
    from dp_accounting import GaussianDpEvent

    return _composed([GaussianDpEvent(deviation) for deviation in deviations], delta)


def _composed(events: list[Any], delta: float) -> float:
    from dp_accounting import ComposedDpEvent
    from dp_accounting.pld import PLDAccountant

    return float(PLDAccountant().compose(ComposedDpEvent(events)).get_epsilon(delta))
