"""A private choice of the point with the most examples, among points with any example, for an unlimited domain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import Checked, Positive, Share
from disttrack.mechanisms.noise import Floats, Laplace
from disttrack.privacy.mechanisms.halting import panels
from disttrack.privacy.mechanisms.prediction.base import ZERO


@dataclass(frozen=True)
class SparseHistogram(Checked):
    """Adds Laplace noise to each positive count, and returns the point of the largest if it is large enough.

    A changed example moves two counts by 1 each, which noise of scale 2 / epsilon hides. Whether a point has a
    positive count is hidden by the cut 1 + (2 / epsilon) ln(2 / delta), which a count of 1 passes with probability
    delta / 4: so the choice is (epsilon, delta)-private, and needs no list of all points.

    Parameters
    ----------
    epsilon, delta
        Privacy for data sets that differ in one example.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Bun, Nissim, Stemmer 2016 (recalled), as Algorithm 3 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024 uses it.
    """

    epsilon: Positive
    delta: Share

    @property
    def noise(self) -> Laplace:
        """Noise of a count."""
        return Laplace(2 / self.epsilon)

    @property
    def cut(self) -> float:
        """Lower limit of a chosen noisy count."""
        return 1 + 2 / self.epsilon * math.log(2 / self.delta)

    def enough(self, failure: float) -> float:
        """Return the count from which on the only point is chosen, except with this probability."""
        return self.cut - self.noise.quantile(failure)

    def choose(self, counts: Mapping[int, int], rng: np.random.Generator) -> int:
        """Return the chosen point, or ZERO: one draw per point, in their order."""
        points = sorted(point for point, count in counts.items() if count > 0)
        if not points:
            return ZERO
        noisy = self.noise.hide(np.array([float(counts[point]) for point in points]), rng)
        best = int(noisy.argmax())
        return points[best] if noisy[best] > self.cut else ZERO

    def named(self, count: int) -> float:
        """Return the probability that the only point with a count is chosen."""
        return self.noise.tail(self.cut - count) if count > 0 else 0.0

    def chances(self, counts: Mapping[int, int]) -> dict[int, float]:
        """Return the distribution of the choice, including ZERO, exact to about 1e-12.

        The probability of a point is the integral of its noisy count's density times the others' distribution functions
        above the cut, by Gauss-Legendre panels between the kinks of the Laplace densities.
        """
        points = sorted(point for point, count in counts.items() if count > 0)
        if len(points) == 1:
            there = self.named(counts[points[0]])
            return {points[0]: there, ZERO: 1 - there}
        values = np.array([counts[point] for point in points], dtype=np.float64)
        levels, weights = self._panels(values)
        gaps = (levels - values[:, None]) / self.noise.scale
        below = np.where(gaps < 0, 0.5 * np.exp(np.minimum(gaps, 0)), 1 - 0.5 * np.exp(-np.maximum(gaps, 0)))
        density = np.exp(-np.abs(gaps)) / (2 * self.noise.scale)
        chances = {}
        for place, point in enumerate(points):
            others = np.delete(below, place, axis=0).prod(axis=0)
            chances[point] = float((weights * density[place] * others).sum())
        return {**chances, ZERO: 1 - sum(chances.values())}

    def _panels(self, values: Floats) -> tuple[Floats, Floats]:
        """Return nodes and weights of the integral from the cut on."""
        scale = self.noise.scale
        top = max(self.cut, float(values.max(initial=0.0))) + 45 * scale
        inner = [value for value in values.tolist() if value > self.cut]
        return panels(sorted({self.cut, top, *inner, *np.arange(self.cut, top, scale).tolist()}), 16)
