"""The exact joint loss of several mechanisms: closed forms, and privacy-loss distributions."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from math import fsum, log1p, sqrt
from typing import Final

import numpy as np

from disttrack.mechanisms.gaussian import delta_spent
from disttrack.mechanisms.roots import root

TAIL: Final = 1e-9
"""Delta at which pure losses are composed exactly: the accountant truncates tails, so delta 0 would give infinity."""
PARTS: Final = 20_000
"""Fewest intervals of the grid over the sum of all losses, on which the accountant keeps their distribution."""


def exact_available() -> bool:
    """Return whether dp-accounting, the extra `audit`, is installed."""
    return find_spec("dp_accounting") is not None


def exact_loss(scales: Sequence[float], delta: float = TAIL, *, normal: bool = False) -> float:
    """Return the epsilon at `delta` of independent draws together, each of sensitivity 1, to within 1e-6.

    Normal draws, and a single Laplace draw, have closed forms. Several Laplace draws are composed by dp-accounting, on
    a grid in proportion to their losses; the result is at most the sum of the losses.

    Parameters
    ----------
    scales
        Scales of the Laplace draws, or standard deviations if `normal`.
    delta
        The failure probability of the loss.
    normal
        Whether the draws are normal.

    Source
    ------
    Balle, Wang 2018, Theorem 8 (normal draws: together they are one of standard deviation 1 / sqrt(sum 1 / scale^2));
    a Laplace draw of loss e at scale 1 / e spends delta = 1 - exp((epsilon - e) / 2).
    """
    if normal:
        sigma = 1 / sqrt(fsum(scale**-2 for scale in scales))
        if delta_spent(sigma, 0.0) <= delta:
            return 0.0
        high = 1 / (2 * sigma**2) + 40 / sigma  # there the spent delta is below that of forty standard deviations
        return root(lambda epsilon: delta_spent(sigma, epsilon) - delta, 0.0, high)
    losses = [1 / scale for scale in scales]
    if len(losses) == 1:
        return max(0.0, losses[0] + 2 * log1p(-delta))
    from dp_accounting import ComposedDpEvent, LaplaceDpEvent
    from dp_accounting.pld import PLDAccountant

    accountant = PLDAccountant(value_discretization_interval=_interval(losses))
    composed = accountant.compose(ComposedDpEvent([LaplaceDpEvent(scale) for scale in scales]))
    return min(fsum(losses), float(composed.get_epsilon(delta)))


def _interval(losses: Sequence[float]) -> float:
    """Return the interval of a grid on which each loss lies almost: those between its points are rounded up."""
    total, parts = fsum(losses), np.arange(PARTS, 2 * PARTS)
    places = np.unique(losses)[:, None] / total * parts
    return float(total / parts[np.abs(places - np.rint(places)).max(axis=0).argmin()])
