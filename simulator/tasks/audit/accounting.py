"""The composed loss of the declared draws of a mechanism, by dp-accounting (the extra `audit`)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from disttrack.mechanisms import Counter
from disttrack.mechanisms.accounting.composition import TAIL, exact_available, exact_loss

MISSING: Final = "dp-accounting is missing, so nothing is composed: pip install 'disttrack[audit]'"
"""Message if the extra is not installed."""
STEPS: Final = 64
"""Maximum number of steps of the stream whose draws are composed."""


def available() -> bool:
    """Return whether dp-accounting is installed."""
    return exact_available()


def accounted(mechanism: Any, delta: float) -> float | None:
    """Return the privacy loss at `delta` of the entry for which the draws of a counter lose most.

    An entry affects the draws of a column of the counter's encoder; these are independent, so their losses
    compose. None if the mechanism declares no such matrix, or without dp-accounting.
    """
    if not isinstance(mechanism, Counter) or not available():
        return None
    encoder = mechanism.encoder(min(STEPS, mechanism.horizon or STEPS))
    if encoder is None:
        return None
    if mechanism.privacy == "approximate":
        norms = np.sqrt((np.asarray(encoder) ** 2).sum(axis=0))
        return exact_loss([1 / float(norms.max())], delta, normal=True)
    column = np.abs(encoder)[:, int(np.abs(encoder).sum(axis=0).argmax())]
    return exact_loss([1 / float(weight) for weight in column if weight], delta or TAIL)
