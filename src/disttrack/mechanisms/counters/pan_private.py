"""The event-level pan-private counter: one look at its state does not break privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.counters.base import Counter, State
from disttrack.mechanisms.counters.linear import LinearRun
from disttrack.mechanisms.noise import Draws, Laplace, or_silence
from disttrack.mechanisms.segments import SegmentNoise


@dataclass(frozen=True)
class PanPrivate(Counter):
    """Pan-private counter: a noisy count, plus the noise of the h segments that contain the step.

    With 2^h the horizon, rounded up, segments have lengths 2^(h-1), ..., 1. All h + 1 noises are Lap((1
    + h) / epsilon), so the variance is 2 (1 + h) ((1 + h) / epsilon)^2 at every step: the
    distribution of the noise never changes. The noise of a segment is drawn when the segment begins and
    erased when it ends; one look at the state costs no more than epsilon.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates and of one view of the state together.
    horizon
        Number of steps at most.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010, Figure 1.
    Privacy: Theorem 4.1; the variance is derived.

    Examples
    --------
    >>> round(PanPrivate(epsilon=1.0, horizon=64).variance(5) ** 0.5, 2)
    26.19
    """

    kind = "pan-private"
    error = "sqrt(2 (1 + h)^3) / epsilon at every step, h = log2(horizon) rounded up, 1 at least"
    memory = "O(log horizon)"
    arithmetic = "grid"
    pan_private = True

    @property
    def levels(self) -> int:
        """Levels of segments, h; one at least, or else nothing hides a step from who has looked before it."""
        return max(1, (self.steps - 1).bit_length())

    @property
    def scale(self) -> float:
        """Scale of each noise."""
        return (1 + self.levels) / self.epsilon  # Initialization: xi

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, 1 + self.levels)]

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> PanPrivateRun:
        return PanPrivateRun(self, or_silence(rng, silent))


class PanPrivateRun(LinearRun):
    """A running pan-private counter: Figure 1, whose statement 1 is the sum of `LinearRun`, and 2 to 4 `SegmentNoise`.

    The noise is drawn only when it is needed: noise drawn ahead would be in memory, and an intruder
    would know the noise of the next outputs.
    """

    __slots__ = ()

    _noise: SegmentNoise

    def __init__(self, counter: PanPrivate, rng: np.random.Generator) -> None:
        draws = Draws(Laplace(counter.scale), rng, batch=1)
        noisy_zero = draws.one()
        super().__init__(counter, SegmentNoise(counter.levels, draws))
        self._total = noisy_zero  # Initialization

    def state(self) -> State:
        """Return the state that an intruder sees between two steps: the noisy count and the noises in force."""
        return {**super().state(), "noise": self._noise.in_force}
