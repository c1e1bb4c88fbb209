"""One sketch whose answers are rounded and kept while they are near enough: rounding, and computation paths."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, lgamma, log, log1p
from typing import Annotated

import numpy as np

from disttrack.mechanisms.checks import Share, Whole, at_least
from disttrack.privacy.mechanisms.sketches.base import SketchRun
from disttrack.privacy.mechanisms.sketches.robust import OverPlain, Robust, RobustRun, rounded
from disttrack.privacy.mechanisms.sketches.second_moment import Ams, rows_for_tail


@dataclass(frozen=True)
class Rounded(OverPlain):
    """One plain sketch whose answers are rounded to powers of 1 + alpha / 4.

    An answer is kept while it is within a factor 1 + alpha / 4 of the sketch's estimate (`sticky`): then each change
    of the answer reveals little, and a change that is undone is not seen. Rounding each estimate separately is no
    defence: an adversary that holds the estimate at the edge between two answers learns as much from them as from
    the estimate.

    Parameters
    ----------
    size
        Size of the sketch: rows of `ams`, hash values of `kmv`, registers of `hyperloglog`.
    sketch
        Its kind.
    sticky
        Whether answers are kept; otherwise each estimate is rounded separately.
    alpha
        Relative error that counts as a failure.

    Notes
    -----
    No theorem holds for so few rows; `computation-paths` has the number of rows of a theorem.

    Source
    ------
    Ben-Eliezer, Jayaram, Woodruff, Yogev 2020, definition 3.1.
    Lemma 3.3.
    """

    kind = "rounded"
    error = "alpha against streams fixed in advance; against adversaries nothing is proved for few rows"

    goals = ("second-moment", "distinct")  # never negative

    size: int
    sketch: str = "ams"
    sticky: bool = True
    alpha: Share = 0.5

    def start(self, rng: np.random.Generator) -> RoundedRun:
        return RoundedRun(self.inner.start(rng), self.alpha / 4, sticky=self.sticky)


@dataclass(frozen=True)
class ComputationPaths(Robust):
    """An AMS sketch with enough rows to be right on every stream that an adversary could produce.

    The answers are rounded to powers of 1 + alpha / 4 and kept while they are near enough. A deterministic adversary's
    stream is a function of the answers, so there are no more streams than sequences of answers with at most `changes`
    changes: choose(updates, changes) · grid^changes. A union bound over them gives the number of rows, by the
    exponential tail bound. After `changes` changes the sketch's estimates are published directly.

    Parameters
    ----------
    changes
        Planned number of output changes.
    updates
        Maximum number of updates of the stream.
    largest
        Largest second moment, which bounds the number of different answers.
    delta
        Failure probability.
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Ben-Eliezer, Jayaram, Woodruff, Yogev 2020, lemma 3.8.
    Tails: Achlioptas 2003, section 5.

    Examples
    --------
    >>> ComputationPaths(changes=10, updates=3000).total_rows
    5955
    """

    kind = "computation-paths"
    error = "alpha against any adversary with probability 1 - delta, for `changes` changes of the output"
    budget = "changes"

    changes: Whole
    updates: Whole
    largest: Annotated[int, at_least(2)] = 10**9
    delta: Share = 0.05
    alpha: Share = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.changes > self.updates:
            raise ValueError(f"changes must be at most updates, {self.updates!r}; got {self.changes!r}")

    @property
    def paths(self) -> float:
        """Natural logarithm of the number of sequences of answers."""
        places = lgamma(self.updates + 1) - lgamma(self.changes + 1) - lgamma(self.updates - self.changes + 1)
        grid = ceil(log(self.largest) / log1p(self.alpha / 4)) + 2
        return places + self.changes * log(grid)

    @property
    def inner(self) -> Ams:
        """The sketch, right at all steps of all paths up to a relative error of (1 + alpha) / (1 + alpha / 4) - 1."""
        failure = log(self.delta) - self.paths - log(self.updates)
        share = 0.75 * self.alpha / (1 + self.alpha / 4)  # this form does not become 0 for a small alpha
        # the tail bound in logarithms: delta over all paths is too small for a float
        rows = ceil((log(2) - failure) / log(2 / 0.05) * rows_for_tail(share, 0.05))
        return Ams(rows=rows, alpha=self.alpha)

    def start(self, rng: np.random.Generator) -> RoundedRun:
        return RoundedRun(self.inner.start(rng), self.alpha / 4, self.changes)


class RoundedRun(RobustRun):
    """A running sketch with rounded answers, each kept while it is near the estimate if `sticky`."""

    def __init__(self, run: SketchRun, step: float, budget: float = inf, *, sticky: bool = True) -> None:
        super().__init__(run, budget)
        self._step, self._sticky = step, sticky

    def decide(self, item: int, change: int) -> None:
        now, wide = self._run.estimate(), 1 + self._step
        if self._sticky and self._published / wide <= now <= self._published * wide:
            return
        answer = rounded(now, self._step)
        if answer != self._published:
            self.publish(answer)

    def reset(self) -> None:
        self._run.reset()
        self._published = 0.0
