"""A case of an audit: how a mechanism is observed, neighbouring inputs, and an event that distinguishes them.

Laplace noise that hides a shift by s reveals clip(x, 0, s), up to a constant and the scale; normal noise reveals x
itself. So the log-likelihood ratio of a mechanism is close to linear in such clipped differences of its outputs, and
a logistic regression approximates it without knowledge of the mechanism. Nothing depends on its accuracy: a poor
event proves less, never too much.

A mechanism is (epsilon, delta)-private if for all neighbouring inputs and all events E of an observation
Pr[E] <= e^epsilon Pr'[E] + delta. An audit looks for a case that refutes the claim. By runs it learns an event from one
half of the runs on two inputs and tests it on the other; exactly, it watches the same mechanism with scripted draws,
from which the distributions on all neighbours follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import accumulate, combinations
from math import inf, log
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disttrack.mechanisms.noise import Floats
from disttrack.simulator.experiments.claims.statistics import clopper_pearson
from disttrack.simulator.game.tasks.base import Record, Row

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


CATEGORY = Shape(categories=True)
"""The structure of an observation that is one category."""
Inputs = Sequence[Any] | NDArray[Any]
"""Neighbouring inputs, one per row."""
Watch = Callable[[Any, Any], Sequence[float]]
"""Plays one run on an input, with a generator, and returns the observation: numbers, the category first if any."""


@dataclass(frozen=True)
class Case:
    """An observation of a mechanism on neighbouring inputs.

    Attributes
    ----------
    watch
        Plays one run.
    inputs
        The input and its neighbour.
    says
        The inputs and the observation, in words.
    shape
        Structure of the observations.
    """

    watch: Watch
    inputs: Inputs
    says: str
    shape: Shape = CATEGORY

    def sample(self, neighbour: bool, runs: int, rng: np.random.Generator) -> Floats:
        """Return the observations of `runs` runs, one row per run."""
        return np.array([self.watch(self.inputs[int(neighbour)], rng) for _ in range(runs)], dtype=np.float64)


class Exact(NamedTuple):
    """An exact privacy loss, at the delta of the claim.

    Attributes
    ----------
    loss
        The loss.
    proved
        Its proved upper bound on these inputs.
    """

    loss: float
    proved: float


class Audit(NamedTuple):
    """The audit of one mechanism.

    Attributes
    ----------
    cases
        Pairs of inputs for runs.
    exact
        Computes the exact loss; None if there is no method for it.
    slow
        Whether its runs are slow: only a quarter of them is played.
    claim
        The claimed epsilon and delta; None for the parameters `epsilon` and `delta` of the mechanism.
    """

    cases: Sequence[Case]
    exact: Callable[[], Exact | None] = lambda: None
    slow: bool = False
    claim: tuple[float, float] | None = None


@singledispatch
def audit_of(mechanism: object) -> Audit:
    """Return the audit of a mechanism, by its class or the nearest base; without cases if there is none."""
    return Audit(())


def exactly(loss: float | None, proved: float) -> Exact | None:
    """Return a loss with its proved bound; None if the loss is unknown."""
    return None if loss is None else Exact(loss, proved)


def within(mechanism: object, most: int) -> int:
    """Return the steps of a stream of an audit: `most`, or the horizon of a mechanism that ends before.

    Examples
    --------
    >>> from disttrack.mechanisms import Binary
    >>> within(Binary(epsilon=1, horizon=2), 4), within(Binary(epsilon=1, horizon=64), 4), within(object(), 4)
    (2, 4, 4)
    """
    return min(most, getattr(mechanism, "horizon", None) or most)


def one_more(numbers: ArrayLike) -> Floats:
    """Return an input of numbers and its neighbours, one per row: in each of them another number is larger by one."""
    whole = np.asarray(numbers, dtype=np.float64)
    return np.vstack((whole, whole + np.eye(len(whole))))


def closings(watch: Watch, stream: Sequence[float], says: str, more: float = 1.0) -> Case:
    """Return a case of answers that seldom change, on a stream and on one whose first entry is larger by `more`.

    Seen are the steps that changed the answer, as one number, and the errors of the changed answers, padded.
    """
    sums = list(accumulate(stream))

    def changes(entries: Sequence[float], rng: np.random.Generator) -> Sequence[float]:
        pattern, off, before = 0, [], 0.0
        for t, answer in enumerate(watch(entries, rng)):
            if answer != before:
                pattern |= 1 << t
                off.append(answer - sums[t])
                before = answer
        return [float(pattern), *off, *[0.0] * (len(sums) - len(off))]

    shape = Shape([0.0] * len(sums), [more] * len(sums), categories=True)
    return Case(changes, (stream, [stream[0] + more, *stream[1:]]), says, shape)


def outcome(row: Row, refuted: bool, claim: tuple[float, float], epsilon_low: float, runs: int, inputs: str) -> Record:
    """Return the record of an audit: its own columns, and those that all audits share.

    Parameters
    ----------
    row
        Its own columns.
    refuted
        Whether the claim is refuted.
    claim
        The claimed epsilon and delta.
    epsilon_low
        Lower bound on epsilon from the runs alone.
    runs
        Number of runs.
    inputs
        The neighbouring inputs of the runs, in words.
    """
    row |= {"claimed": claim[0], "claimed_delta": claim[1], "epsilon_low": epsilon_low, "exceeds": refuted}
    row |= {"ok": not refuted, "verdict": "failed" if refuted else "ok", "items": runs, "engine": "step"}
    return Record(row, engine_reason=inputs)
