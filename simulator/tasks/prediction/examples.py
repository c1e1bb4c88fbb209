"""Opponents of online learners: a move is a point, and the rule for its label once the learner's output is seen.

An adversary that names sites names points; the label is then that of the point function of point 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries import Examiner, FixedExamples, Replay
from disttrack.adversaries.base import Adversary, View
from disttrack.mechanisms.prediction import Learner
from disttrack.simulator.errors import MoveError
from disttrack.simulator.tasks.loop import Mover
from disttrack.simulator.tasks.planned import SKIP, Planned

Examples = tuple[NDArray[np.int64], NDArray[np.bool_]]
"""The points of all rounds, and their labels."""
Example = tuple[int, Callable[[Any], bool]]
"""The point of a round, or `SKIP`, and the function from the learner's output to the label."""

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

    __slots__ = ("algorithm", "shows")

    def __init__(self, *, algorithm: Any, shows: str, **given: Any) -> None:
        super().__init__(**given)
        self.algorithm, self.shows = algorithm, shows
        self.output = None

    def observe(self, answer: Any) -> None:
        """Record nothing: the learner's output was shown before the label."""


class Rounds:
    """A run of a learner: it takes an example and returns its point, its label and the prediction.

    Parameters
    ----------
    shows
        The part of the learner's output that is shown: hypotheses, predictions or nothing.
    """

    def __init__(self, learner: Learner, rng: np.random.Generator, shows: str) -> None:
        self.run = learner.start(rng)
        self._hypotheses = learner.reveals == "hypotheses"
        self._shows = shows

    def step(self, example: Example) -> tuple[int, bool, bool] | None:
        """Play a round: neither has the adversary seen the hypothesis, nor the learner the point, when they choose."""
        point, label_after = example
        if point == SKIP:
            return None
        hypothesis = self.run.hypothesis() if self._hypotheses else None
        predicted = self.run.predict(point) if hypothesis is None else hypothesis == point
        if self._shows == "predictions":
            label = label_after(int(predicted))
        else:
            label = label_after(hypothesis if self._shows == "hypotheses" else None)
        self.run.learn(point, label)
        return point, label, predicted

    def release(self, examples: Examples) -> tuple[Any, ...]:
        """Play all rounds of examples that do not react, and return their points, labels and predictions."""
        return *examples, self.run.play(*examples)


class FixedRounds:
    """An adversary whose examples do not react."""

    def __init__(self, adversary: Adversary) -> None:
        self.adversary = adversary
        self._rest: Iterator[tuple[int, bool]] | None = None
        self._label = False

    def move(self, view: LearnerView) -> Example | None:
        """Return the next example."""
        if self._rest is None:
            points, labels = fixed_examples(self.adversary, view)
            self._rest = zip(points.tolist(), labels.tolist(), strict=True)
        point, self._label = next(self._rest, (None, False))
        return None if point is None else (point, self._label_after)

    def stretches(self, view: LearnerView, steps: int) -> Iterator[Examples]:
        """Yield all examples at once."""
        yield fixed_examples(self.adversary, view)

    def _label_after(self, shown: Any) -> bool:
        return self._label


class NamedPoints(Planned):
    """An adversary that names sites, and reacts."""

    def move(self, view: LearnerView) -> Example:
        self._view, self._point = view, super().move(view)
        view.steps += 1
        return self._point, self._label_after

    def _label_after(self, shown: Any) -> bool:
        self._view.show(shown)
        return bool(self._point == 0)


class Examined(Mover):
    """An adversary that gives examples, and reacts."""

    def __init__(self, examiner: Examiner) -> None:
        self._examiner = examiner

    def move(self, view: LearnerView) -> Example:
        """Ask for the point of the next round; its label is asked for after the learner's output."""
        view.steps += 1
        self._view, self._point = view, self._examiner.ask(view)
        _check_points(self._examiner, self._point, self._point, view)
        return int(self._point), self._label_after

    def _label_after(self, shown: Any) -> bool:
        view = self._view
        view.show(shown)
        view.sent += 1
        return bool(self._examiner.label(view, self._point))


class Rehearsed(Adversary):
    """Examples recorded in a separate game, for a replay."""

    kind = Replay.kind
    source = Replay.source
    oblivious = True

    def __init__(self, points: NDArray[np.int64], labels: NDArray[np.bool_]) -> None:
        self.given: Examples = points, labels

    def plan(self, view: View) -> None:
        """Name no sites: the examples are given."""


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


def fixed_examples(adversary: Adversary, view: LearnerView) -> Examples:
    """Return all examples of an adversary that does not react; a skipped step is no round."""
    if isinstance(adversary, Rehearsed):
        points, labels = adversary.given
    elif isinstance(adversary, FixedExamples):
        points, labels = adversary.examples(view)
    else:
        named = Planned(adversary, view).stretches(view, view.items)
        points = np.concatenate([np.empty(0, dtype=np.int64), *named])
        labels = points == 0
    if len(points):
        _check_points(adversary, points.min(), points.max(), view)
    return points, labels


def _check_points(adversary: Adversary, lowest: int, highest: int, view: View) -> None:
    if lowest < 0 or highest >= view.sites:
        wrong = lowest if lowest < 0 else highest
        asked = f"asked for point {wrong} after round {max(0, view.steps - 1)}"
        raise MoveError(f"adversary {adversary.kind}: {asked}; this game has 0 … {view.sites - 1}")
