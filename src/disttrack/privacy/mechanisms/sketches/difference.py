"""Sketches of several AMS sketches: difference estimators; and an estimator with a corrector and a learner."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2
from typing import Literal

import numpy as np

from disttrack.mechanisms.checks import Share, Whole
from disttrack.privacy.mechanisms.sketches.base import tally
from disttrack.privacy.mechanisms.sketches.robust import Robust, RobustRun
from disttrack.privacy.mechanisms.sketches.second_moment import Ams, LinearRun


@dataclass(frozen=True)
class AmsDifference(Robust):
    """Rounds that begin with a fresh AMS estimate, to which estimated differences F2(f + v) - F2(f) are added.

    The error of (2 <Af, Av> + |Av|^2) / t, where v is the change since f, is about 2 sqrt(g) F2 / sqrt(t) if neither
    |v|^2 nor the growth of the second moment is above g F2: a block of small g needs few rows. A round has 2^levels
    blocks of g = alpha / 4; the answer after c blocks is a strong estimate and a difference for each one in the binary
    form of c, of blocks of 1, 2, 4, … Every estimate is shown once and then retired. A round ends early when the answer
    has fallen by a quarter, since the allowed error is a share of the round's initial value, and when |v|^2 of a long
    block is too large for its rows. After the last round its strong estimate is published as it is.

    Parameters
    ----------
    rounds
        Planned number of rounds; each allows 2^levels changes of the answer or of the data by g, or one large
        change. Replacing data at a constant second moment also uses up rounds.
    rows
        Rows of a strong estimate.
    alpha
        Relative error that counts as a failure.

    Notes
    -----
    Variance of a difference: with |v|^2 <= g F2 and |F2(f + v) - F2(f)| <= g F2, |<f, v>| <= g F2. That of
    2 <Af, Av> / t is at most 4 (|f|^2 |v|^2 + <f, v>^2) / t, that of |Av|^2 / t at most 2 |v|^4 / t: the standard
    deviation is at most (2 sqrt(g + g^2) + sqrt(2) g) F2 / sqrt(t). If items are only inserted,
    |v|^2 <= F2(f + v) - F2(f); with deletions, |v| may be large while the second moment is constant, as in a sliding
    window. So the block's own rows estimate both, and a block ends when one of them exceeds g F2.

    The memory counts all estimators of all rounds: they must run from the beginning, since only the adversary
    knows when its block begins. The code makes each from the frequencies at the ends of its block, which gives the
    same transcript.

    Source
    ------
    Woodruff, Zhou 2021, section 3.
    The difference estimator of F2 with these rows: derived here.
    """

    kind = "ams-difference"
    error = "alpha against any adversary for `rounds` rounds; rows fall by alpha log^2(1 / alpha) against switching"
    budget = "rounds"

    rounds: Whole
    rows: Whole
    alpha: Share = 0.5

    @property
    def levels(self) -> int:
        """Levels of blocks: a round in which the second moment at most doubles has 2^levels of them."""
        return max(1, ceil(log2(4 / self.alpha)))

    def rows_of(self, level: int) -> int:
        """Return the rows of a difference estimator for a block of growth 2^level alpha / 4.

        Its variance is 4 g F2^2 / t; each of 1 + levels parts may have the variance of the strong estimate, divided by
        their number.
        """
        growth: float = 2**level * self.alpha / 4
        return ceil(2 * growth * (self.levels + 1) * self.rows)

    @property
    def inner(self) -> Ams:
        """The estimator of the finest blocks."""
        return Ams(self.rows_of(0), alpha=self.alpha)

    @property
    def total_rows(self) -> int:
        blocks = 1 << self.levels
        finest = blocks * self.rows_of(0)  # one for each block, which also tests whether the block ends
        above = sum((blocks >> (level + 1)) * self.rows_of(level) for level in range(1, self.levels))
        return self.rounds * (self.rows + finest + above)

    @property
    def words(self) -> int:
        return self.total_rows + self.levels + 2

    def start(self, rng: np.random.Generator) -> AmsDifferenceRun:
        return AmsDifferenceRun(self, rng)


class AmsDifferenceRun(RobustRun):
    """Running strong estimates and difference estimators: the finest of these, or the last strong one, is updated."""

    _run: LinearRun

    def __init__(self, rules: AmsDifference, rng: np.random.Generator) -> None:
        self._rules, self._rng = rules, rng
        self._frequencies: dict[int, int] = {}
        self._left = rules.rounds + 1  # strong estimates: the last one is published after the last round
        self._begin_round()

    def _begin_round(self) -> None:
        """Publish a strong estimate of all data; after the last round, continue with it."""
        self._run = Ams(self._rules.rows).start(self._rng)
        self._run.absorb(self._frequencies)
        self.publish(self._run.estimate())
        if not self.exhausted:
            self._base = self._published
            self._ends, self._answers = [dict(self._frequencies)], [self._base]
            self._begin_block()

    def _begin_block(self) -> None:
        """Begin the difference estimator of the next block: of the frequencies at its start, and of later changes."""
        self._before, self._run = self._estimator(0, self._ends[-1])

    def _estimator(self, level: int, start: dict[int, int]) -> tuple[LinearRun, LinearRun]:
        """Return fresh rows for a block of a level: of the frequencies at its start, and of no changes yet."""
        before = Ams(self._rules.rows_of(level)).start(self._rng)
        since = before.twin()
        before.absorb(start)
        return before, since

    def decide(self, item: int, change: int) -> None:
        tally(self._frequencies, item, change)
        moved, apart = _change(self._before, self._run)
        most = max(abs(moved), apart)
        if self._base <= 0 or most > 2 * self._room:
            self._begin_round()
        elif most > self._room:
            self._end_block(moved)

    def _end_block(self, moved: float) -> None:
        """Add the difference over the longest block that ends here, whose start follows from the binary form."""
        number = len(self._ends)
        level = (number & -number).bit_length() - 1
        self._ends.append(dict(self._frequencies))
        if level == self._rules.levels:
            self._begin_round()
            return
        begin = number - 2**level
        apart = 0.0  # the finest block has already ended because of it
        if level:
            moved, apart = self._difference(level, self._ends[begin])
        self._answers.append(self._answers[begin] + moved)
        self._published = self._answers[-1]
        near = 0.75 * self._base <= self._published <= 2 * self._base
        if not near or apart > 2 ** (level + 1) * self._room:
            self._begin_round()
        else:
            self._begin_block()

    @property
    def _room(self) -> float:
        """g F2 of the finest block."""
        return self._rules.alpha / 4 * self._base

    def _difference(self, level: int, start: dict[int, int]) -> tuple[float, float]:
        """Return the estimates of `_change` since `start`, by an estimator of this level."""
        before, since = self._estimator(level, start)
        now = self._frequencies
        grown = {item: now.get(item, 0) - start.get(item, 0) for item in now.keys() | start.keys()}
        since.absorb({item: change for item, change in sorted(grown.items()) if change})
        return _change(before, since)


def _change(before: LinearRun, since: LinearRun) -> tuple[float, float]:
    """Return estimates of F2(f + v) - F2(f) and of |v|^2, from the rows of f and of v."""
    apart = since.estimate()
    return 2 * before.product(since) + apart, apart


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
