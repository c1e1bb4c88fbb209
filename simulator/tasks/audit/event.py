"""An event that distinguishes two neighbouring inputs, learned from runs that are not used to test it.

Laplace noise that hides a shift by s reveals clip(x, 0, s), up to a constant and the scale; normal noise reveals x
itself. So the log-likelihood ratio of a mechanism is close to linear in such clipped differences of its outputs, and
a logistic regression approximates it without knowledge of the mechanism. Nothing depends on its accuracy: a poor
event proves less, never too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.simulator.tasks.audit.bound import FALSE_ALARM, epsilon_bound

Floats = NDArray[np.float64]

MOST_CATEGORIES: Final = 32
"""Number of different outcomes of a discrete observation that are distinguished."""
RIDGE: Final = 1e-3
"""Weight of the penalty that keeps the regression finite if runs are perfectly distinguishable."""
MOST_ROWS: Final = 8_000
"""Training runs of each input used to fit the regression; the cut is chosen on all of them."""
CUTS: Final = 200
"""Cuts of the score tried in the training half."""


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
        self._spreads = [float(np.std(value)) or 1.0 for value, _, _ in self._pairs(sample)]

    def __call__(self, observed: Floats) -> Floats:
        """Return the features, a constant first."""
        columns = [np.ones(len(observed))]
        if self.shape.categories:
            columns += [(observed[:, 0] == value).astype(np.float64) for value in self._known]
        for (value, at, moved), spread in zip(self._pairs(observed), self._spreads, strict=True):
            if self.shape.normal:
                columns.append((value - at) / spread)
            elif moved != at:
                columns.append(np.clip((value - at) / (moved - at), 0.0, 1.0))
        return np.column_stack(columns)

    def _pairs(self, observed: Floats) -> list[tuple[Floats, float, float]]:
        """Return numbers and differences of two of them, each with its noiseless values on the two inputs."""
        if self.shape.categories:
            observed = observed[:, 1:]
        base, shifted = np.asarray(self.shape.base), np.asarray(self.shape.shifted)
        pairs = [(observed[:, i], base[i], shifted[i]) for i in range(len(base))]
        pairs += [
            (observed[:, j] - observed[:, i], base[j] - base[i], shifted[j] - shifted[i])
            for i, j in combinations(range(len(base)), 2)
        ]
        return pairs


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
    features, weights
        The score is their product.
    cut
        Limit of the score.
    reverse
        Whether small scores count.
    promise
        Epsilon that it proves on the training runs.
    """

    features: Features
    weights: Floats
    cut: float
    reverse: bool
    promise: float

    def happened(self, observed: Floats) -> NDArray[np.bool_]:
        """Return for each run whether the event occurred."""
        score = self.features(observed) @ self.weights
        return score <= self.cut if self.reverse else score >= self.cut


def learn(shape: Shape, here: Floats, there: Floats, delta: float = 0.0, false_alarm: float = FALSE_ALARM) -> Event:
    """Return the event that proves most on the training runs of the input (`here`) and of its neighbour (`there`)."""
    features = Features(shape, np.concatenate((here, there)))
    of_here, of_there = features(here), features(there)
    fitted = of_here[:MOST_ROWS], of_there[:MOST_ROWS]
    labels = np.concatenate([np.full(len(part), float(label)) for label, part in enumerate(fitted)])
    weights = regression(np.concatenate(fitted), labels)
    low, high = np.sort(of_here @ weights), np.sort(of_there @ weights)
    both = np.sort(np.concatenate((low, high)))
    cuts = np.unique(both[np.linspace(0, len(both) - 1, CUTS).astype(np.int64)])
    best: tuple[float, float, bool] = (-1.0, float(cuts[len(cuts) // 2]), False)
    sizes = len(low), len(high)
    for cut in cuts.tolist():
        for reverse in (False, True):
            hits = _counted(low, cut, reverse), _counted(high, cut, reverse)
            order = (0, 1) if reverse else (1, 0)
            proved = epsilon_bound(hits[order[0]], sizes[order[0]], hits[order[1]], sizes[order[1]], delta, false_alarm)
            if proved > best[0]:
                best = proved, cut, reverse
    return Event(features, weights, best[1], best[2], best[0])


def _counted(ordered: Any, cut: float, reverse: bool) -> int:
    if reverse:
        return int(np.searchsorted(ordered, cut, side="right"))
    return len(ordered) - int(np.searchsorted(ordered, cut, side="left"))
