"""The exact joint loss of several mechanisms by privacy-loss distributions."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Final

TAIL: Final = 1e-9
"""Delta at which pure losses are composed exactly: the accountant truncates tails, so delta 0 would give infinity."""


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
