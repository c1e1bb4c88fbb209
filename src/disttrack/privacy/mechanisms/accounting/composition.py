"""The exact joint loss of several mechanisms by privacy-loss distributions."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Final

TAIL: Final = 1e-9
"""Delta at which pure losses are composed exactly: the accountant truncates tails, so delta 0 would give infinity."""


def exact_available() -> bool:
    """Return whether dp-accounting, the extra `audit`, is installed."""
    return find_spec("dp_accounting") is not None


def exact_loss(scales: Sequence[float], delta: float = TAIL, *, normal: bool = False) -> float:
    """Return the epsilon at `delta` of independent draws together, each of sensitivity 1.

    Parameters
    ----------
    scales
        Scales of the Laplace draws, or standard deviations if `normal`.
    delta
        The failure probability of the loss.
    normal
        Whether the draws are normal.
    """
    from dp_accounting import ComposedDpEvent, GaussianDpEvent, LaplaceDpEvent
    from dp_accounting.pld import PLDAccountant

    events = [GaussianDpEvent(scale) if normal else LaplaceDpEvent(scale) for scale in scales]
    return float(PLDAccountant().compose(ComposedDpEvent(events)).get_epsilon(delta))
