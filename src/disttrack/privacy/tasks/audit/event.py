"""An event that distinguishes two neighbouring inputs, learned from runs that are not used to test it.

Laplace noise that hides a shift by s reveals clip(x, 0, s), up to a constant and the scale; normal noise reveals x
itself. So the log-likelihood ratio of a mechanism is close to linear in such clipped differences of its outputs, and
a logistic regression approximates it without knowledge of the mechanism. Nothing depends on its accuracy: a poor
event proves less, never too much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, log
from typing import Final

import numpy as np

from disttrack.mechanisms.noise import Floats
from disttrack.simulator.experiments.claims.statistics import clopper_pearson

FALSE_ALARM: Final = 1e-4
"""Probability that an audit's bound exceeds the true epsilon."""
MOST_CATEGORIES: Final = 32
"""Number of different outcomes of a discrete observation that are distinguished."""
RIDGE: Final = 1e-3
"""Weight of the penalty that keeps the regression finite if runs are perfectly distinguishable."""
MOST_ROWS: Final = 8_000
"""Training runs of each input used to fit the regression; the cut is chosen on all of them."""
CUTS: Final = 200
"""Cuts of the score tried in the training half."""


def epsilon_bound(
    hits: int, runs: int, other_hits: int, other_runs: int, delta: float = 0.0, false_alarm: float = FALSE_ALARM
) -> float:
    """Return a lower bound on epsilon, given how often an event occurred on an input and on its neighbour.

    Privacy says p <= exp(epsilon) q + delta for the event's probabilities p and q, so epsilon is at least
    ln((p - delta) / q). p is taken at its lower and q at its upper Clopper-Pearson bound, each one-sided at half the
    false-alarm rate: the result exceeds the true epsilon with probability at most `false_alarm`. 0 if nothing is
    proved. The event must have been chosen without these runs.

    Parameters
    ----------
    hits, runs
        Occurrences of the event on the input on which it is likelier, and the number of runs.
    other_hits, other_runs
        The same on the neighbour.
    delta
        The delta of the claim.
    false_alarm
        Probability that the bound is too high.

    Source
    ------
    Jagielski, Ullman, Oprea 2020, section 4 (Clopper-Pearson bounds for audits).

    Examples
    --------
    >>> round(epsilon_bound(10_000, 10_000, 0, 10_000), 3)
    6.917
    >>> epsilon_bound(500, 1_000, 490, 1_000)
    0.0
    """
    confidence = 1 - false_alarm  # two-sided at this, so one-sided at half of it
    low = clopper_pearson(hits, runs, confidence)[0] - delta
    high = clopper_pearson(other_hits, other_runs, confidence)[1]
    if low <= 0:
        return 0.0
    return max(0.0, log(low / high)) if high > 0 else inf


@dataclass(frozen=True)
class Shape:
    """Rule that turns observations into features.

    Parameters
    ----------
    base, shifted
        The noiseless numbers, on the input and on its neighbour; for runs of the same category.
    normal
        Whether the noise is normal: differences are then used directly, not clipped.
    categories
        Whether each observation begins with the number of its category.
    """

    base: Sequence[float] = ()
    shifted: Sequence[float] = ()
    normal: bool = False
    categories: bool = False


class Features:
    """Turns a table of observations, one row per run, into a table of features.

    Parameters
    ----------
    shape
        Structure of the columns.
    sample
        Observations from which the categories are learned.
    """

    def __init__(self, shape: Shape, sample: Floats) -> None:
        self.shape = shape
        self._known: Floats = np.empty(0)
        if shape.categories:
            values, counts = np.unique(sample[:, 0], return_counts=True)
            self._known = np.sort(values[np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]])
        self._at, shifted = (_differences(np.array([row], dtype=np.float64)) for row in (shape.base, shape.shifted))
        self._scales = (shifted - self._at)[0]
        if shape.normal:
            self._scales = np.array([float(np.std(column)) or 1.0 for column in self._numbers(sample).T])

    def __call__(self, observed: Floats) -> Floats:
        """Return the features, a constant first."""
        same = observed[:, :1] == self._known
        moved = self._scales != 0
        numbers = (self._numbers(observed) - self._at)[:, moved] / self._scales[moved]
        if not self.shape.normal:
            numbers = np.clip(numbers, 0.0, 1.0)
        return np.column_stack([np.ones(len(observed)), same.astype(np.float64), numbers])

    def _numbers(self, observed: Floats) -> Floats:
        """Return the numbers without the category, and their differences."""
        first = int(self.shape.categories)
        return _differences(observed[:, first : first + len(self.shape.base)])


def _differences(numbers: Floats) -> Floats:
    """Return the columns, and the differences of any two of them."""
    pairs = combinations(range(numbers.shape[1]), 2)
    return np.column_stack([numbers, *(numbers[:, j] - numbers[:, i] for i, j in pairs)])


def regression(features: Floats, labels: Floats, rounds: int = 25) -> Floats:
    """Return the weights of a logistic regression with a small ridge, by Newton's method."""
    weights = np.zeros(features.shape[1])
    penalty = RIDGE * len(labels) ** 0.5 * np.eye(features.shape[1])
    for _ in range(rounds):
        chance = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        slope = features.T @ (labels - chance) - penalty @ weights
        curve = (features * (chance * (1 - chance))[:, None]).T @ features + penalty
        move = np.linalg.solve(curve, slope)
        weights += move
        if float(np.abs(move).max()) < 1e-6:
            break
    return weights


@dataclass(frozen=True)
class Event:
    """An event: the score of a run is at least `cut`, or at most, if the input itself produces it more often.

    Attributes
    ----------
    cut
        Limit of the score.
    reverse
        Whether small scores count.
    """

    cut: float
    reverse: bool

    def hits(self, scores: Floats) -> int:
        """Return the number of runs in which the event occurred; a score that is not a number does not count."""
        return int(np.count_nonzero(scores <= self.cut if self.reverse else scores >= self.cut))

    def proved(self, here: Floats, there: Floats, delta: float, false_alarm: float) -> tuple[float, int, int]:
        """Return the bound on epsilon that the scores prove, and the hits on the likelier input and on the other."""
        likelier, other = (here, there) if self.reverse else (there, here)
        hits = self.hits(likelier), self.hits(other)
        return epsilon_bound(hits[0], len(likelier), hits[1], len(other), delta, false_alarm), *hits


def learn(
    shape: Shape, here: Floats, there: Floats, delta: float = 0.0, false_alarm: float = FALSE_ALARM
) -> tuple[Event, Callable[[Floats], Floats], float]:
    """Return the event that proves most on the training runs of the input (`here`) and of its neighbour (`there`).

    Returns
    -------
    event, score, promise
        The event, the score of observations, and the epsilon that the event proves on the training runs.
    """
    features = Features(shape, np.concatenate((here, there)))
    tables = features(here), features(there)
    fitted = [table[:MOST_ROWS] for table in tables]
    labels = np.concatenate([np.full(len(part), float(label)) for label, part in enumerate(fitted)])
    weights = regression(np.concatenate(fitted), labels)
    scores = [table @ weights for table in tables]
    both = np.sort(np.concatenate(scores))
    cuts = np.unique(both[np.linspace(0, len(both) - 1, CUTS).astype(np.int64)])
    events = [Event(cut, reverse) for cut in cuts.tolist() for reverse in (False, True)]
    promises = [event.proved(scores[0], scores[1], delta, false_alarm)[0] for event in events]
    best = promises.index(max(promises))
    return events[best], lambda observed: features(observed) @ weights, promises[best]
