"""The binary tree with normal noise, of which any later estimate costs two draws: steps in between are skipped."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.counters.linear import LinearRun, NoisePath, NormalCounter, dyadic_nodes
from disttrack.mechanisms.noise import Draws, Floats, RealGaussian, or_silence


@dataclass(frozen=True)
class GaussianTree(NormalCounter):
    """Binary tree with normal noise: Var_t = popcount(t) levels sigma^2, whichever other steps are released.

    The noise of step t is that of step t & (t - 1), which lacks the lowest set bit, plus one draw: a random walk on a
    tree, of depth popcount(t). Where only a few steps are released, the walk is sampled at these and at the steps
    where their paths part, given its values above and below: a Brownian bridge. So the time of a release does not
    depend on the number of steps that `GaussianTreeRun.skip` has left out.

    Parameters
    ----------
    epsilon, delta
        Privacy of all estimates together.
    horizon
        Number of steps at most.
    calibration
        Formula for sigma from epsilon and delta: classical (epsilon up to 1) or exact.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Pagh, Sejer 2026 (arXiv 2606.11760), abstract: constant time by Brownian bridges.
    The stack, for steps in the order of time, is derived here: constant time on average over the releases.

    Examples
    --------
    >>> run = GaussianTree(epsilon=1.0, horizon=10**12).start(np.random.default_rng(1), silent=True)
    >>> run.skip(10**12 - 1)
    >>> run.step(1)
    1.0
    """

    kind = "gaussian-tree"
    error = "sigma sqrt(levels popcount(t)), levels = floor(log2 horizon) + 1"
    memory = "O(log t)"

    @property
    def std(self) -> float:
        return self.sigma * math.sqrt(self.steps.bit_length())

    def row_norm(self, t: int) -> float:
        return t.bit_count()

    def encoder(self, steps: int) -> Floats:
        nodes, entries = dyadic_nodes(0, steps), np.arange(1, steps + 1)
        return ((entries > nodes.after[:, None]) & (entries <= nodes.last[:, None])) / self.std

    def noise(self, rng: np.random.Generator) -> TreeWalk:
        return TreeWalk(Draws(RealGaussian(self.std), rng, min(2 * self.steps, 1024)))

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> GaussianTreeRun:
        return GaussianTreeRun(self, self.noise(or_silence(rng, silent)))

    variance, error_bound = NormalCounter.variance, NormalCounter.error_bound


class TreeWalk(NoisePath):
    """The random walk at the steps that are asked for, in the order of time.

    Attributes
    ----------
    now
        The last step, whether it was asked for or not.
    """

    __slots__ = ("_draws", "_known", "now", "spacing")

    def __init__(self, draws: Draws) -> None:
        self._draws, self.now = draws, 0
        self.spacing = draws.spacing
        self._known: list[tuple[int, float]] = [(0, 0.0)]
        """Steps whose noise is known on the path to the last one that was asked for, and their noise."""

    def one(self) -> float:
        last, self.now = self._known[-1][0], self.now + 1
        apart = (last ^ self.now).bit_length()
        parting = self.now >> apart << apart  # the last step on both paths
        below = self._known[-1]
        while self._known[-1][0] > parting:
            below = self._known.pop()
        step, noise = self._known[-1]
        if step < parting:
            done, left = ((one ^ other).bit_count() for one, other in ((step, parting), (parting, below[0])))
            noise += (below[1] - noise) * done / (done + left)
            noise += math.sqrt(done * left / (done + left)) * self._draws.one()
            self._known.append((parting, noise))
        noise += math.sqrt((parting ^ self.now).bit_count()) * self._draws.one()
        self._known.append((self.now, noise))
        return self._draws.on_grid(noise)

    def many(self, size: int) -> Floats:
        """Return the noise of the next steps: where none was left out, each has one draw more than t & (t - 1) has."""
        before, last = self.now, self.now + size
        if len(self._known) != before.bit_count() + 1 or self._known[-1][0] != before:
            return super().many(size)
        self.now = last
        known = dict(self._known)
        path = np.concatenate(([known[before]], self._draws.many(size)))  # of the steps from `before` on
        for zeros in reversed(range(last.bit_length())):  # a step's predecessor ends in more of them
            apart = 1 << zeros
            first = ((before >> zeros) + 1 | 1) << zeros  # the next step that ends in as many
            if first > last:
                continue
            if (parting := first - apart) < before:  # only of the first one
                path[first - before] += known[parting]
                first += 2 * apart
            path[first - before :: 2 * apart] += path[first - apart - before : size + 1 - apart : 2 * apart]
        steps = [last]
        while steps[-1]:
            steps.append(steps[-1] & (steps[-1] - 1))
        self._known = [(t, float(path[t - before]) if t > before else known[t]) for t in reversed(steps)]
        return self._draws.on_grid(path[1:])


class GaussianTreeRun(LinearRun):
    """A running Gaussian tree."""

    _noise: TreeWalk

    def skip(self, steps: int) -> None:
        """Take steps without entries, and release none of their estimates; the time does not depend on their number.

        Raises
        ------
        ValueError
            If `steps` is no whole number of at least 1, or the horizon would be passed.
        """
        whole("steps", steps)
        if self.t + steps > self._left:
            self._past_horizon(self.t + steps)
        self.t += steps
        self._noise.now += steps
