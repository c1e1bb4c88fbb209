"""An estimator, a corrector and a learner: linear sketches whose answers are no linear sketch of the stream."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np

from disttrack.mechanisms.checks import Share, Whole
from disttrack.privacy.mechanisms.sketches.base import tally
from disttrack.privacy.mechanisms.sketches.linear import LinearRun
from disttrack.privacy.mechanisms.sketches.robust import Robust, RobustRun
from disttrack.privacy.mechanisms.sketches.second_moment import Ams


@dataclass(frozen=True)
class EstimatorCorrector(Robust):
    """In each block of updates a fresh sketch estimates, an old one corrects it, and it learns from corrections.

    The frequencies u are r + w. The *estimator* is a sketch of w, which is 0 at the beginning of a block and takes the
    block's updates; the answer is the known |r|^2 plus its estimate of |w|^2. The *corrector* of the block is a sketch
    of u that runs from the beginning of the stream and has never been used. When the answer is off its estimate by
    alpha / 4, then r and w are not orthogonal. The *learner* replaces w by the projection of u on w, a multiple of it,
    so that the rest r becomes orthogonal to w. If the answer is still off, the estimator itself is wrong: r = u, and a
    fresh one begins with w = 0. Only corrections reveal something about the corrector.

    Parameters
    ----------
    updates
        Maximum number of updates of the stream. Then the last corrector's estimates are published as they are.
    blocks
        Blocks, each with its own corrector.
    rows
        Rows of each sketch.
    parts
        The last part in use: `estimator` alone, `corrector` (every correction begins a fresh estimator) or `learner`.
    alpha
        Relative error that counts as a failure.

    Notes
    -----
    With an exact estimator and |2 <r, w>| > a |u|^2, the cosine of r and w is at least a / (1 + a) in absolute value:
    with c the cosine, |u|^2 >= 2 (1 - |c|) |r| |w|. So each lesson shortens |r|^2 by a factor 1 - (a / (1 + a))^2, and
    their number in a block is at most logarithmic in |r|^2. The page on sketches computes the rows for which this is a
    proof. The default rows are a heuristic: no theorem holds, and the attacks of this package do not break them.

    The code makes each corrector from the frequencies when its block begins, which gives the same transcript.

    Source
    ------
    Gribelyuk, Lin, Woodruff, Yu, Zhou 2026, abstract (arXiv 2602.20854).
    The parts are theirs; this form, of two levels, is derived here, since their text was not at hand.

    Examples
    --------
    >>> EstimatorCorrector(updates=40_000, blocks=4).words
    3075
    """

    kind = "estimator-corrector"
    error = "alpha against the attacks of this package for `updates` updates; nothing is proved for few rows"
    budget = "updates"

    updates: Whole
    blocks: Whole = 4
    rows: Whole = 512
    parts: Literal["estimator", "corrector", "learner"] = "learner"
    alpha: Share = 0.5

    @property
    def inner(self) -> Ams:
        return Ams(self.rows, alpha=self.alpha)

    @property
    def words(self) -> int:
        return self.total_rows + 3

    @property
    def total_rows(self) -> int:
        """The correctors, the active one's counters for w, and the estimator."""
        return (self.blocks + 2) * self.rows

    @property
    def active_rows(self) -> int:
        return 3 * self.rows

    def start(self, rng: np.random.Generator) -> EstimatorCorrectorRun:
        return EstimatorCorrectorRun(self, rng)


class EstimatorCorrectorRun(RobustRun):
    """A running corrector (of u), with its counters for w, and the estimator (of w)."""

    _run: LinearRun

    def __init__(self, rules: EstimatorCorrector, rng: np.random.Generator) -> None:
        self._rules, self._rng = rules, rng
        self._frequencies: dict[int, int] = {}
        self._length = ceil(rules.updates / rules.blocks)
        super().__init__(self._begin_block(), rules.updates)

    def _begin_block(self) -> LinearRun:
        """Return the corrector of the next block, and begin its estimator."""
        corrector = self._rules.inner.start(self._rng)
        corrector.absorb(self._frequencies)
        self._begin_estimator(corrector)
        return corrector

    def _begin_estimator(self, corrector: LinearRun) -> None:
        self._base = corrector.estimate()  # |r|^2
        self._moved, self._estimator = corrector.twin(), self._rules.inner.start(self._rng)

    def decide(self, item: int, change: int) -> None:
        tally(self._frequencies, item, change)
        self._moved.update(item, change)
        self._estimator.update(item, change)
        if self._off and self._rules.parts == "learner":
            self._learn()
        if self._off:
            self._begin_estimator(self._run)
        self.publish(self._answer)
        if not self.exhausted and (self._rules.updates - self._left) % self._length == 0:
            self._run = self._begin_block()

    @property
    def _answer(self) -> float:
        return self._base + self._estimator.estimate()

    @property
    def _off(self) -> bool:
        """Whether the corrector, if it is in use, is off the answer."""
        now = self._run.estimate()
        return self._rules.parts != "estimator" and abs(self._answer - now) > self._rules.alpha / 4 * now

    def _learn(self) -> None:
        """Replace w by the projection of u on it, <u, w> / |w|^2 times w."""
        along, squared = self._run.product(self._moved), self._moved.estimate()
        if squared:
            self._base = self._run.estimate() - along**2 / squared
            self._moved.multiply(along / squared)
            self._estimator.multiply(along / squared)
