"""Noise for numbers of live items over time: one path per measurement, for items that count for a limited time.

An item counts from one answer to another, so that neighbouring streams differ by 1 in the answers s, ..., u - 1 of
some interval: by +1 at s and by -1 at u in the stream of differences. u - s is at most the lifetime of an item; without
a limit the interval may last to the end. What matters is the sensitivity to such pairs, and not to one entry as in
counting.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from disttrack.mechanisms.counters.blt import Buffers, quadrature_buffers
from disttrack.mechanisms.counters.smooth_binary import SmoothBinary
from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.mechanisms.laplace_sums import laplace_sum_variance
from disttrack.mechanisms.noise import Draws, Floats, Gaussian, Laplace, RealGaussian

TEMPER: Final = (1.2, 1.07)
"""Decay of the noise over a lifetime, and over all answers where nothing limits it: the best for many answers."""
ENDLESS: Final = 32
"""Lifetimes after which what is left of an entry is below the rounding of doubles."""
BLOCK: Final = 256
"""Steps of a tree whose nodes are found at a time."""
Path = Callable[[], Floats]
"""Returns the noise of the next answer, one number per measurement."""


@dataclass(frozen=True)
class LiveNoise(ABC):
    """Noise of measurements of the live items.

    Parameters
    ----------
    epsilon, delta
        Privacy of all answers together.
    sensitivity
        Norm of what one item adds to the measurements: L1 for Laplace noise, L2 for normal noise.
    answers
        Number of answers.
    lifetime
        Answers for which an item counts at most, up to `answers`.
    """

    epsilon: float
    delta: float
    sensitivity: float
    answers: int
    lifetime: int

    @abstractmethod
    def start(self, rng: np.random.Generator, rows: int) -> Path:
        """Return the noise of a run with this number of measurements."""

    @abstractmethod
    def grid(self, rng: np.random.Generator) -> float:
        """Return the step of the coarsest grid that the draws from a generator lie on; 0 for none."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Largest variance of a measurement."""

    @abstractmethod
    def quantile(self, gain: tuple[float, float], beta: float) -> float:
        """Return a bound that a combination of the measurements' noise exceeds with probability `beta` at most.

        Parameters
        ----------
        gain
            Largest squared norm and largest entry of the combination.
        """


class NormalNoise(LiveNoise):
    """Normal noise, correlated over time: 1 / sqrt(1 - r x) applied to independent draws.

    r = 1 is the square-root factorisation of counting, whose variance grows with the number of answers. Below it, the
    noise forgets: its variance is bounded, and entries that are further apart than about 1 / (1 - r) no longer share
    much of it. r = 1 - 1.2 / lifetime is the best for lifetimes from 5 to 1,200 answers, and within 1 % of buffers that
    are optimised freely.

    Source
    ------
    Andersson, Jain, Sivakumar 2026 (the square root on the difference stream).
    The decay, and the exact sensitivity to pairs: derived here; the buffers are those of `mechanisms.counters.blt`.
    """

    @cached_property
    def _buffers(self) -> Buffers:
        limited = self.lifetime < self.answers
        decay = 1.0 - TEMPER[not limited] / max(2, self.lifetime)
        return quadrature_buffers(min(self.answers, 4 * self.lifetime)).tempered(decay)

    @cached_property
    def _std(self) -> float:
        """Standard deviation of each draw."""
        steps = min(self.answers, ENDLESS * self.lifetime)
        pairs = math.sqrt(largest_pair(self._buffers.inverse_coefficients(steps), self.lifetime))
        return noise_multiplier(self.epsilon, self.delta, "exact") * self.sensitivity * pairs

    @property
    def variance(self) -> float:
        return self._std**2 * self._buffers.column_norm(self.answers)

    def grid(self, rng: np.random.Generator) -> float:
        return RealGaussian(self._std).grid(rng)

    def start(self, rng: np.random.Generator, rows: int) -> Path:
        draws, buffers = Draws(RealGaussian(self._std), rng), self._buffers
        states = np.zeros((len(buffers.decays), rows))

        def path() -> Floats:
            nonlocal states
            fresh = draws.many(rows)
            noise = fresh + (buffers.weights[:, None] * states).sum(axis=0)
            states = buffers.decays[:, None] * states + fresh
            return np.asarray(draws.on_grid(noise))

        return path

    def quantile(self, gain: tuple[float, float], beta: float) -> float:
        return Gaussian(math.sqrt(gain[0] * self.variance)).quantile(1 - beta / 2)


class LaplaceNoise(LiveNoise):
    """Laplace noise: a fresh look at the live items once per lifetime, and a tree of differences from there on.

    An interval of at most a lifetime contains one such look at most; its two ends are one entry each of a tree. So the
    loss is that of a look and twice that of an entry, and it is divided so that the variance is least. Without a limit
    there is one tree over all answers.

    Source
    ------
    Andersson, Pagh 2023 (the tree). The looks, and the division: derived here.
    """

    @cached_property
    def _shares(self) -> tuple[float, float]:
        """Epsilon of a look, 0 if there is none, and of an entry of a tree."""
        if self.lifetime == self.answers:
            return 0.0, self.epsilon / min(2, self.answers)
        if self.lifetime == 1:
            return self.epsilon, self.epsilon
        look = (4 / laplace_sum_variance(self._tree(1.0).noise_parts(1))) ** (1 / 3)  # the least variance of the sum
        return look * self.epsilon / (look + 2), self.epsilon / (look + 2)

    def _tree(self, epsilon: float) -> SmoothBinary:
        return SmoothBinary(epsilon, max(1, self.lifetime - (self.lifetime < self.answers)))

    @property
    def _parts(self) -> list[tuple[float, int]]:
        """Scales and numbers of the Laplace variables in a measurement."""
        look, entry = self._shares
        tree = self._tree(entry / self.sensitivity).noise_parts(1) if self.lifetime > 1 or not look else []
        return [*tree, *([(self.sensitivity / look, 1)] if look else [])]

    @property
    def variance(self) -> float:
        return laplace_sum_variance(self._parts)

    def grid(self, rng: np.random.Generator) -> float:
        return Laplace(max(scale for scale, _ in self._parts)).grid(rng)

    def start(self, rng: np.random.Generator, rows: int) -> Path:
        look, entry = self._shares
        tree = self._tree(entry / self.sensitivity)
        base, now, differences = np.zeros(rows), 0, tree_noise(tree, rng, rows)

        def path() -> Floats:
            nonlocal base, now, differences
            now += 1
            if look and now % self.lifetime == 0:
                base, differences = Laplace(self.sensitivity / look).draw(rng, rows), tree_noise(tree, rng, rows)
                return base
            return base + next(differences)

        return path

    def quantile(self, gain: tuple[float, float], beta: float) -> float:
        """Return the Chernoff bound: per variable, -ln(1 - y) / y grows with y, so all entries count as the largest."""
        squares, largest = gain
        scales, counts = np.array([(largest * scale, count * squares / largest**2) for scale, count in self._parts]).T
        rates = np.linspace(0.0, 1.0, 1001)[1:-1, None] / scales.max()
        logs = -(counts * np.log1p(-((rates * scales) ** 2))).sum(axis=1)
        return float(((logs + math.log(2 / beta)) / rates[:, 0]).min())


def tree_noise(tree: SmoothBinary, rng: np.random.Generator, rows: int) -> Iterator[Floats]:
    """Yield the noise of the estimates of `rows` independent trees, step by step: `tree.noise` for several at once."""
    noise, ending = np.zeros(rows), defaultdict[int, Floats](lambda: np.zeros(rows))
    for before in range(0, tree.steps, BLOCK):
        upto = min(before + BLOCK, tree.steps)
        nodes = tree.nodes(before, upto)
        draws = Laplace(tree.scale).draw(rng, len(nodes.begin) * rows).reshape(-1, rows)
        firsts = np.searchsorted(nodes.begin, np.arange(before + 1, upto + 2))
        for t, (first, last) in enumerate(pairwise(firsts.tolist()), start=before + 1):
            for node in range(first, last):
                noise = noise + draws[node]
                ending[int(nodes.until[node])] += draws[node]
            noise = noise - ending.pop(t, 0.0)
            yield noise


def largest_pair(coefficients: Floats, longest: int) -> float:
    """Return the largest squared norm of a column of a Toeplitz matrix minus a later one, `longest` columns at most.

    The first column is always one of the two, since a shift cuts entries off. If `longest` is not below the number of
    columns, a single column counts too: an item that stays to the end.

    Parameters
    ----------
    coefficients
        The first column.

    Examples
    --------
    >>> largest_pair(np.array([1.0, 0.5, 0.25]), 1), largest_pair(np.array([1.0, 0.5, 0.25]), 3)
    (1.3125, 1.8125)
    """
    from scipy import signal

    steps = len(coefficients)
    energy = np.cumsum(coefficients**2)
    together = signal.correlate(coefficients, coefficients, method="fft")[steps - 1 :]  # by the distance
    distances = np.arange(1, min(longest, steps - 1) + 1)
    pairs = energy[-1] + energy[steps - 1 - distances] - 2 * together[distances]
    return float(max(pairs.max(initial=0.0), energy[-1] if longest >= steps else 0.0))
