"""The framework of Hassidim et al.: a private median of many copies, so that the answers hardly depend on the coins."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np

from disttrack.mechanisms.above_threshold import AboveThreshold, AboveThresholdRun
from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.sketches.linear import LinearRun
from disttrack.privacy.mechanisms.sketches.robust import Robust, RobustRun
from disttrack.privacy.mechanisms.sketches.second_moment import Ams
from disttrack.privacy.mechanisms.sketches.signs import DenseSigns


def private_median(values: Floats, step: float, largest: float, epsilon: float, rng: np.random.Generator) -> float:
    """Return a median by the exponential mechanism, among 0 and the powers of 1 + step up to `largest`.

    The utility of g is -|number of values up to g - half of them|, of sensitivity 1; a value is taken with probability
    proportional to exp(epsilon u / 2), which is epsilon-private for the change of one value.

    Source: McSherry, Talwar 2007; section 3 of Hassidim, Kaplan, Mansour, Matias, Stemmer 2020.

    Examples
    --------
    >>> private_median(np.full(1000, 64.0), 1.0, 1e6, 1.0, np.random.default_rng(0))
    64.0
    """
    powers = np.arange(ceil(log(largest) / log(1 + step)) + 1)
    grid = np.concatenate(([0.0], (1 + step) ** powers))
    # values up to 1.0 need not be distinguished from the next power; between two powers there is no candidate
    below = np.searchsorted(np.sort(values), grid * sqrt(1 + step), side="right")
    above = len(values) - np.searchsorted(np.sort(values), grid / sqrt(1 + step), side="left")
    utility = np.minimum(np.minimum(below, above) - len(values) / 2, 0.0)
    weights = np.exp(epsilon / 2 * (utility - utility.max()))
    return float(grid[int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right"))])


@dataclass(frozen=True)
class PrivateMedian(Robust):
    """Many AMS copies; when a sparse-vector test finds most of them off the answer, their private median replaces it.

    An answer w is kept while about half of the copies are within 1 ± alpha / 2 of it. Each change costs `epsilon`
    twice, once for the test and once for the median; k changes together cost about epsilon sqrt(8 k ln(1 / delta)).
    Therefore sqrt(k) copies suffice where switching needs k. After `changes` changes the plain median of the
    copies is published directly.

    Parameters
    ----------
    changes
        Planned number of output changes.
    copies
        Number of copies.
    rows
        Rows of each copy.
    epsilon
        Privacy loss of a test, and of a median.
    largest
        Largest second moment.
    alpha
        Relative error that counts as a failure.

    Notes
    -----
    The proof needs far more copies k' than suffice in practice. With total privacy e (1/100 in the proof) a test has
    epsilon = e / sqrt(8 k ln(1 / delta)) for k changes, and its error 8 ln(2 updates / beta) / epsilon must stay below
    k' / 4.

    Source
    ------
    Hassidim, Kaplan, Mansour, Matias, Stemmer 2020, RobustSketch.
    Theorem 3.3; recalled.
    """

    kind = "private-median"
    error = "alpha against any adversary for `changes` changes; sqrt(changes) copies up to logarithms"

    arithmetic = "real"
    budget = "changes"

    changes: Whole
    copies: Whole = 128
    rows: Whole = 128
    epsilon: Positive = 1.0
    largest: Positive = 1e9
    alpha: Share = 0.5

    @property
    def inner(self) -> Ams:
        return Ams(self.rows, alpha=self.alpha)

    @property
    def active_rows(self) -> int:
        """All copies run."""
        return self.total_rows

    def start(self, rng: np.random.Generator) -> PrivateMedianRun:
        return PrivateMedianRun(self, rng)


class PrivateMedianRun(RobustRun):
    """Running copies behind their private median."""

    def __init__(self, rules: PrivateMedian, rng: np.random.Generator) -> None:
        self._rules = rules
        signs, self._rng = rng.spawn(2)
        self._copies = LinearRun(rules.copies, rules.rows, DenseSigns(rules.total_rows, signs))
        self._test = self._fresh_test()
        super().__init__(self._copies, rules.changes)

    def _fresh_test(self) -> AboveThresholdRun:
        return AboveThreshold(self._rules.epsilon, self._rules.copies / 2).start(self._rng)

    def decide(self, item: int, change: int) -> None:
        rules, squares = self._rules, self._copies.squares
        near = self._published * rules.rows
        room = rules.alpha / 2 * near
        off = np.count_nonzero(squares > near + room) + np.count_nonzero(squares < near - room)
        if self._test.step(float(off)):
            means, step = self._copies.means(), rules.alpha / 10
            self.publish(private_median(means, step, rules.largest, rules.epsilon, self._rng))
            self._test = self._fresh_test()
