"""The climb of a mirror, from 0 to 1 in small steps, and the exact privacy of all its steps together."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from disttrack.mechanisms.noise import Floats

CELLS: Final = 64
"""Cells of the grid of losses per step of the climb."""


@dataclass(frozen=True)
class Steps:
    """A climb pi(0) = 0 ... pi(n) = 1.

    Attributes
    ----------
    values
        The probabilities, including both ends.
    """

    values: tuple[float, ...]

    @property
    def chances(self) -> Floats:
        """The probabilities as an array."""
        return np.array(self.values)

    @property
    def largest_step(self) -> float:
        """The largest loss of an inner step: of pi and of 1 - pi, in either direction; infinite if one of them is 0."""
        inner = self.chances[1:-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            losses = [np.abs(np.diff(np.log(part))) for part in (inner, 1 - inner)]
        return float(np.nan_to_num(np.concatenate(losses), nan=math.inf).max(initial=0.0))

    def delta(self, epsilon: float) -> float:
        """Return the least delta at which all steps together are (epsilon, delta)-private.

        An additional one moves the answers to later ones from pi(j) to pi(j + 1) or back, at worst for all j.
        """
        lower, higher = self.values[:-1], self.values[1:]
        return max(composed_delta(lower, higher, epsilon), composed_delta(higher, lower, epsilon))


@lru_cache(maxsize=256)
def mended(half: int, edge: float) -> Steps:
    """Return the climb in 2L + 1 steps: from 0 to `edge`, by equal factors to 1/2, and symmetrically up to 1.

    pi(i) = edge e^((i - 1) e1) for 1 <= i <= L, and 1 - edge e^((2L - i) e1) for L < i <= 2L, with e1 such that both
    are 1/2 in the middle. The inner steps lose e1 = ln(1 / (2 edge)) / (L - 1) at most.
    """
    factor = math.log(1 / (2 * edge)) / (half - 1) if half > 1 else 0.0
    lower = [min(0.5, edge * math.exp(place * factor)) for place in range(half)]
    return Steps((0.0, *lower, *(1 - chance for chance in reversed(lower)), 1.0))


@lru_cache(maxsize=256)
def printed(half: int, edge: float) -> Steps:
    """Return the probabilities as printed: edge e^((i + 1) e1) up to L, and then edge e^((2L - i) e1).

    e1 solves edge (1 + e^e1 + ... + e^((L - 1) e1)) = 1/2, as in the proof of Claim 3.
    """
    from scipy import optimize  # a slow import, only needed here

    def excess(factor: float) -> float:
        return edge * float(np.exp(factor * np.arange(half)).sum()) - 0.5

    factor = float(optimize.brentq(excess, 0.0, math.log(1 / edge))) if half > 1 and half * edge < 0.5 else 0.0
    lower = [min(1.0, edge * math.exp((place + 1) * factor)) for place in range(1, half + 1)]
    upper = [min(1.0, edge * math.exp((2 * half - place) * factor)) for place in range(half + 1, 2 * half + 1)]
    return Steps((0.0, *lower, *upper, 1.0))


@lru_cache(maxsize=256)
def half_length(epsilon: float, delta: float, edge: float) -> int:
    """Return the least L for which the corrected climb is (epsilon, delta)-private.

    Raises
    ------
    ValueError
        If there is none, since the two steps of size `edge` alone cost more than delta.
    """

    def private(half: int) -> bool:
        return mended(half, edge).delta(epsilon) <= delta

    most = 2
    while not private(most):
        if most > 1 << 20:
            raise ValueError(f"epsilon must be large enough for delta = {delta!r}; got {epsilon!r}")
        most *= 2
    between = range(most // 2 + 1, most)
    return between.start + bisect_left(between, True, key=private)


@lru_cache(maxsize=1024)
def composed_delta(here: tuple[float, ...], there: tuple[float, ...], epsilon: float) -> float:
    """Return the hockey-stick divergence at epsilon of independent coins with chances `here` from those of `there`.

    The losses are added up on a grid. A loss between two cells is split so that its mass is preserved under both
    distributions, which gives an upper bound with an error of the square of a cell's width (Doroshenko, Ghazi,
    Kamath, Kumar, Manurangsi 2022, connect the dots; recalled).
    """
    losses = [_losses(p, q) for p, q in zip(here, there, strict=True) if p != q]
    width = max((abs(loss) for atoms in losses for _, loss in atoms), default=0.0) / CELLS or 1.0
    law, low = np.ones(1), 0
    for atoms in losses:
        law, low = _added(law, low, atoms, width)
    cells = (low + np.arange(len(law))) * width
    lost = 1 - float(law.sum())  # mass of outcomes that `there` cannot give
    over = cells > epsilon
    return lost + float((law[over] * -np.expm1(epsilon - cells[over])).sum())


def _losses(p: float, q: float) -> list[tuple[float, float]]:
    """Return the outcomes of a coin possible with both biases: the probability with p, and ln of its ratio to q's."""
    pairs = ((p, q), (1 - p, 1 - q))
    return [(one, math.log(one / other)) for one, other in pairs if one > 0 and other > 0]


def _added(law: Floats, low: int, atoms: list[tuple[float, float]], width: float) -> tuple[Floats, int]:
    """Return the distribution of the losses including one more coin, and its first cell."""
    parts = []
    for mass, loss in atoms:
        cell = math.floor(loss / width)
        # weights that preserve the mass, and the mass times e^-loss
        upper = math.expm1(cell * width - loss) / math.expm1(-width)
        parts += [(cell, mass * (1 - upper)), (cell + 1, mass * upper)]
    if not parts:
        return np.zeros(1), 0
    first = min(cell for cell, _ in parts)
    last = max(cell for cell, _ in parts)
    added = np.zeros(len(law) + last - first)
    for cell, mass in parts:
        added[cell - first : cell - first + len(law)] += mass * law
    return added, low + first
