"""What the declared draws of a mechanism lose together, by composition with dp-accounting (the extra `audit`)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from mechanisms import Counter

MISSING: Final = "dp-accounting is missing, so nothing is composed: pip install 'disttrack[audit]'"
"""What is said where the extra is not installed."""
STEPS: Final = 64
"""Steps at most of the stream whose draws are composed."""

TAIL: Final = 1e-9
"""Delta at which pure losses are composed: the accountant cuts off tails of that size, and at 0 says infinity."""


def available() -> bool:
    """Return whether dp-accounting can be used."""
    return find_spec("dp_accounting") is not None


def accounted(mechanism: Any, delta: float) -> float | None:
    """Return the privacy loss at `delta` of the entry that the draws of a counter give away most of.

    An entry takes part in the draws of a column of the counter's encoder; these are independent, so their losses
    compose. None if the mechanism declares no such matrix, or without dp-accounting.
    """
    if not isinstance(mechanism, Counter) or not available():
        return None
    encoder = mechanism.encoder(min(STEPS, mechanism.horizon or STEPS))
    if encoder is None:
        return None
    if mechanism.privacy == "approximate":
        norms = np.sqrt((np.asarray(encoder) ** 2).sum(axis=0))
        return composed_normal([1 / float(norms.max())], delta)
    column = np.abs(encoder)[:, int(np.abs(encoder).sum(axis=0).argmax())]
    return composed_laplace([1 / float(weight) for weight in column if weight], delta or TAIL)


def composed_laplace(scales: list[float], delta: float = TAIL) -> float:
    """Return the loss at `delta` of Laplace draws of these scales, each of sensitivity 1, all together."""
    from dp_accounting import LaplaceDpEvent

    return _composed([LaplaceDpEvent(scale) for scale in scales], delta)


def composed_normal(deviations: list[float], delta: float) -> float:
    """Return the loss at `delta` of normal draws of these standard deviations, each of sensitivity 1, all together."""
    from dp_accounting import GaussianDpEvent

    return _composed([GaussianDpEvent(deviation) for deviation in deviations], delta)


def _composed(events: list[Any], delta: float) -> float:
    from dp_accounting import ComposedDpEvent
    from dp_accounting.pld import PLDAccountant

    return float(PLDAccountant().compose(ComposedDpEvent(events)).get_epsilon(delta))
