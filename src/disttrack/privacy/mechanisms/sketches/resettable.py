"""The sum of counters that are incremented and reset: a sample of their units, plain and behind a private counter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, expm1, log, log1p, sqrt
from typing import ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Share, Whole
from disttrack.mechanisms.counters import Binary
from disttrack.privacy.mechanisms.sketches.base import Goal, Sketch, SketchRun
from disttrack.privacy.mechanisms.sketches.robust import Robust

KEPT: Final = 0.9
"""Share of the size that is left, on average, when a sample has reached it and is thinned."""


@dataclass(frozen=True)
class ResetSample(Sketch):
    """A sample of the units that counters have, each with the same probability p; the estimate is its size over p.

    A reset removes the item's units. When the sample has reached `size`, p falls to 0.9 `size` over the estimate, and
    the sample is thinned at the next update; p never rises. Up to `size` units it is exact. If p sum of the counters
    is m, the relative standard deviation is about 1 / sqrt(m) for sizes from 16 on. Smaller samples are thinned when
    chance has made them large: they have up to 1.3 times that at size 4, and 2.8 times at size 1.

    An adversary sees by the estimate whether a unit has been sampled, and resets the item if so: what is left has no
    units in the sample.

    Parameters
    ----------
    size
        Units at which the sample is thinned.
    alpha
        Error that counts as a failure, over the largest sum so far.

    Source
    ------
    Gibbons, Matias 1998, thinning.
    A unit sampled later is not counted exactly here, as it is in their samples.

    Examples
    --------
    >>> run = ResetSample(size=100).start(np.random.default_rng(0))
    >>> [run.step(move) for move in ((1, 20), (2, 30), (1, 0))]
    [20.0, 50.0, 30.0]
    """

    goal = "sum"
    kind = "reset-sample"
    error = (
        "relative standard deviation 1 / sqrt(0.9 size) of the largest sum, size 16 or more; streams fixed in advance"
    )

    size: Whole
    alpha: Share = 0.5

    @property
    def words(self) -> int:
        """An item and its units for each unit, at most."""
        return 2 * self.size

    @property
    def total_rows(self) -> int:
        return self.size

    def start(self, rng: np.random.Generator) -> ResetSampleRun:
        return ResetSampleRun(self.size, rng)


class ResetSampleRun(SketchRun):
    """A running sample: how many units of each item are in it."""

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self._size, self._rng = size, rng
        self._sampled: dict[int, int] = {}
        self._units, self._rate = 0, 1.0
        self._shown = 0.0  # number of units in the sample as published

    def update(self, item: int, change: int) -> None:
        if change < 0:
            raise ValueError(f"a resettable counter takes increments above 0, and 0 resets it; got {change!r}")
        if self._shown >= self._size:
            self._thin(KEPT * self._size / self._shown)
        before = self._sampled.get(item, 0)
        after = before + int(self._rng.binomial(change, self._rate)) if change else 0
        self._units += after - before
        if after:
            self._sampled[item] = after
        else:
            self._sampled.pop(item, None)
        self._shown = self.publish()

    def publish(self) -> float:
        """Return the number of units in the sample to be published."""
        return float(self._units)

    def estimate(self) -> float:
        return max(0.0, self._shown) / self._rate

    def _thin(self, share: float) -> None:
        """Keep each unit with this probability."""
        left = self._rng.binomial(np.fromiter(self._sampled.values(), dtype=np.int64), share).tolist()
        self._sampled = {item: units for item, units in zip(self._sampled, left, strict=True) if units}
        self._units, self._rate = sum(left), self._rate * share


@dataclass(frozen=True)
class PrivateSample(Robust):
    """A `reset-sample` whose size is published by a binary-tree counter, so that no answer shows what was sampled.

    Up to `size` units it is exact and has no coins to hide. From then on the published size has the noise of a counter
    that is epsilon-private for the coin of a unit, with epsilon = ln(1 + 0.45 alpha); p follows from what was
    published. The errors are relative to the largest sum so far: after all items were reset the noise is still there.
    After `horizon` updates the size of the sample is published directly.

    Parameters
    ----------
    horizon
        Maximum number of updates T of the stream.
    delta
        Probability that the error exceeds alpha at any update, or that the memory does not suffice.
    alpha
        Error that counts as a failure, over the largest sum so far.

    Notes
    -----
    A unit has a uniform coin; it is in the sample while its item is not reset and p is above the coin. Given the
    answers, the adversary's moves are fixed, and another coin changes two entries of the counter by 1: where the unit
    comes and where it goes. So with two participations the density of the answers changes by a factor e^epsilon at
    most. Given all answers and all other coins, a unit is then in the sample with probability p e^-epsilon to
    p e^epsilon. Of the F units that the counters have, the number in the sample is therefore, given the answers,
    between binomial numbers of F trials with these two probabilities. By Bernstein's inequality, with L = ln(4 T /
    delta) and B the bound of the counter's error at all steps with probability 1 - delta / 2, every estimate errs by
    at most

        (e^epsilon - 1) F + (2 L / 3 + sqrt(2 e^epsilon p F L) + B) / p.

    With M the largest sum so far this is at most alpha M if p M is at least the solution m of

        (alpha - (e^epsilon - 1)) m = 2 L / 3 + sqrt(2 e^epsilon m L) + B.

    The same bound says that a published number of at least e^epsilon z + 2 L / 3 + sqrt(2 e^epsilon z L) + B means
    that p M is at least z. With z = m / 0.9 this is the `size` at which the sample is thinned: p M is m at least
    afterwards. The sample has at most `size` + B units before, and one item more.

    Source
    ------
    Cohen, Gribelyuk, Nelson, Stemmer 2026, abstract (arXiv 2601.21989).
    The model, the attack and the binary tree are theirs; their text was not at hand, and this form, its size and its
    proof are derived here.

    Examples
    --------
    >>> sketch = PrivateSample(horizon=1000)
    >>> sketch.size, sketch.words
    (16199, 36712)
    """

    goals: ClassVar[tuple[Goal, ...]] = ("sum",)
    kind = "private-sample"
    error = "alpha of the largest sum, against any adversary with probability 1 - delta, for `horizon` updates"
    budget = "horizon"

    horizon: Whole
    delta: Share = 0.01
    alpha: Share = 0.5

    @property
    def counter(self) -> Binary:
        """The counter of the units in the sample."""
        return Binary(epsilon=log1p(0.45 * self.alpha), horizon=self.horizon, participations=2)

    @property
    def noise(self) -> float:
        """Bound B of the error of the counter at all steps, with probability 1 - delta / 2."""
        return _noise(self.counter, self.horizon, self.delta / 2)

    @property
    def size(self) -> int:
        """Published number of units at which the sample is thinned."""
        tail, factor = log(4 * self.horizon / self.delta), exp(self.counter.epsilon)
        room, rest, root = self.alpha - expm1(self.counter.epsilon), 2 * tail / 3 + self.noise, 2 * factor * tail
        least = ((sqrt(root) + sqrt(root + 4 * room * rest)) / (2 * room)) ** 2 / KEPT
        return ceil(factor * least + sqrt(root * least) + rest)

    @property
    def inner(self) -> ResetSample:
        return ResetSample(size=self.size, alpha=self.alpha)

    @property
    def words(self) -> int:
        """An item and its units for each unit, at most, and the noise of a node of the tree on each level."""
        return 2 * (self.size + ceil(self.noise) + 1) + self.horizon.bit_length()

    def start(self, rng: np.random.Generator) -> PrivateSampleRun:
        return PrivateSampleRun(self, rng)


@lru_cache(maxsize=64)  # it takes a tenth of a second, and a scenario asks for it at each of its points
def _noise(counter: Binary, steps: int, failure: float) -> float:
    return counter.error_bound_throughout(steps, failure)


class PrivateSampleRun(ResetSampleRun):
    """A running sample, and the counter that publishes how many units it has."""

    def __init__(self, rules: PrivateSample, rng: np.random.Generator) -> None:
        coins, noise = rng.spawn(2)
        super().__init__(rules.size, coins)
        self._counter, self._left, self._counted = rules.counter.start(noise), rules.horizon, 0

    def publish(self) -> float:
        exact, self._left = self.exhausted or self._rate == 1, self._left - 1
        self.exhausted = self._left <= 0
        if exact:
            return super().publish()
        entry, self._counted = self._units - self._counted, self._units
        return self._counter.step(entry)
