"""Runs and opponents of online learning: a move is a point with its label, or with the rule for it.

An adversary that names sites names points; the label is then that of the point function of point 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries import Replay, View
from disttrack.privacy.adversaries import Examiner
from disttrack.privacy.mechanisms.prediction import Learner
from disttrack.privacy.tasks.planned import SKIP, Planned
from disttrack.simulator.game.tasks.loop import Run

Example = tuple[int | None, Any]
"""The point of a round, None if it is skipped, and the label, or the function from the learner's output to it."""

SHOWN = ("hypotheses", "predictions", "nothing")
"""The powers of an adversary over a learner, in decreasing order."""


class LearnerView(View):
    """The view in games of online learning: `sites` are points, `items` rounds, `output` is what the learner has shown.

    Attributes
    ----------
    algorithm
        The learner's class and parameters, without its run and its coins.
    shows
        hypotheses, predictions or nothing.
    """

    _shown = ("algorithm", "shows")
    __slots__ = ("_algorithm", "_shows")

    algorithm: Any
    shows: str

    def __init__(self, *, algorithm: Any, shows: str, **given: Any) -> None:
        super().__init__(**given)
        self.record(algorithm=algorithm, shows=shows, output=None)

    def observe(self, answer: Any) -> None:
        """Record the shown part of the learner's output in a round; None if it was skipped."""
        self._steps += 1
        if answer is not None:
            self.show(answer[-1])


class Rounds(Run):
    """A run of a learner, which takes examples.

    Parameters
    ----------
    shows
        The part of the learner's output that is shown: hypotheses, predictions or nothing.
    points
        Points of the domain.
    """

    def __init__(self, learner: Learner, rng: np.random.Generator, shows: str, points: int) -> None:
        self.run = learner.start(rng)
        self._hypotheses = learner.reveals == "hypotheses"
        self._shows, self._points = shows, points

    def step(self, example: Example) -> tuple[int, bool, bool, Any] | None:
        """Play a round, and return its point, label and prediction, and what is shown of the learner's output.

        Neither has the adversary seen the hypothesis, nor the learner the point, when they choose.
        """
        point, label = example
        if point is None:
            return None
        self._check(point, point)
        hypothesis = self.run.hypothesis() if self._hypotheses else None
        predicted = self.run.predict(point) if hypothesis is None else hypothesis == point
        shown = int(predicted) if self._shows == "predictions" else hypothesis if self._shows == "hypotheses" else None
        label = bool(label(shown) if callable(label) else label)
        self.run.learn(point, label)
        return point, label, predicted, shown

    def release(self, examples: NDArray[np.int64]) -> tuple[Any, ...]:
        """Play all rounds of examples that do not react, and return their points, labels and predictions."""
        points, labels = examples[:, 0], examples[:, 1].astype(bool)
        if len(points):
            self._check(points.min(), points.max())
        return points, labels, self.run.play(points, labels)

    def _check(self, lowest: int, highest: int) -> None:
        """Raise ValueError if a point is not in the domain."""
        if lowest < 0 or highest >= self._points:
            wrong = lowest if lowest < 0 else highest
            raise ValueError(f"asked for point {wrong}; this game has 0 … {self._points - 1}")


class NamedPoints(Planned):
    """An adversary that names sites: a skipped step is no round."""

    def move(self, view: LearnerView) -> Example:
        point = super().move(view)
        return (None if point == SKIP else point), point == 0

    def stretches(self, view: LearnerView) -> Iterator[NDArray[np.int64]]:
        """Yield all examples at once, rows of point and label."""
        points = np.concatenate([np.empty(0, dtype=np.int64), *super().stretches(view)])
        named = points[points != SKIP]
        yield np.column_stack((named, named == 0))


class Rehearsed(Examiner):
    """Examples recorded in a separate game, for a replay: rows of point and label."""

    kind = Replay.kind
    source = Replay.source
    oblivious = True

    def __init__(self, examples: NDArray[np.int64]) -> None:
        self._examples = examples

    def plan(self, view: View) -> None:
        """Name no sites: the examples are given."""

    def stretches(self, view: LearnerView) -> Iterator[NDArray[np.int64]]:
        yield self._examples


def shown_of(learner: Any, sees: str | None) -> str:
    """Return the data shown to an adversary with power `sees`; outputs, or None, is all that the learner reveals.

    Raises
    ------
    ValueError
        There is no such power, or the learner reveals less.
    """
    if sees in (None, "outputs"):
        return str(learner.reveals)
    if sees not in SHOWN:
        raise ValueError(f"sees must be one of outputs, {', '.join(SHOWN)}; got {sees!r}")
    if SHOWN.index(sees) < SHOWN.index(learner.reveals):
        raise ValueError(f"sees must be predictions or nothing: {learner.kind} reveals {learner.reveals} only")
    return sees
