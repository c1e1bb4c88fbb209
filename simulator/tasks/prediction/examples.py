"""The examples of a game: from an adversary that gives examples, or from one that names sites, used as points.

A named site is the point of the query; the label is then that of the point function of point 0.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries import Examiner, FixedExamples, Replay
from disttrack.adversaries.base import Adversary, View
from disttrack.simulator.errors import MoveError, ScenarioError
from disttrack.simulator.tasks.continual.stream import Mover, plans

Examples = tuple[NDArray[np.int64], NDArray[np.bool_]]

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
        asked = [named(plan, length) for plan, length in plans(adversary, view, view.items)]
        points = np.concatenate([np.empty(0, dtype=np.int64), *asked])
        labels = points == 0
    if len(points) and not (points.min() >= 0 and points.max() < view.sites):
        wrong = points.min() if points.min() < 0 else points.max()
        raise MoveError(f"adversary {adversary.kind}: asked for point {wrong}; this game has 0 … {view.sites - 1}")
    return points, labels


def named(plan: Any, length: int) -> NDArray[np.int64]:
    """Return the sites that a plan names in its first steps, without skips."""
    steps = np.arange(1, length + 1)
    if not plan.skips:
        sites = plan.at(steps)
        return np.broadcast_to(np.asarray(sites, dtype=np.int64), (length,)).copy()
    asked = (plan.at(int(step)) for step in steps)
    return np.array([site for site in asked if site is not None], dtype=np.int64)


class Asker:
    """An adversary that is asked in each round for a point, and after the learner's output for its label."""

    def __init__(self, adversary: Adversary, view: LearnerView, coin: np.random.Generator) -> None:
        self._view = view
        self._examiner = adversary if isinstance(adversary, Examiner) else None
        self._mover = None if self._examiner else Mover(adversary, view, coin)
        self._fixed: Any = None
        if adversary.oblivious:
            points, labels = fixed_examples(adversary, view)
            self._fixed = zip(points.tolist(), labels.tolist(), strict=True)
        self._label = False
        self._kind = adversary.kind

    def point(self) -> int | None:
        """Return the point of the next round, None for a step without one."""
        if self._fixed is not None:
            point, self._label = next(self._fixed, (None, False))
            return point
        if self._mover is not None:
            return self._mover.move()
        assert self._examiner is not None
        self._view.steps += 1
        point = self._examiner.ask(self._view)
        if not 0 <= point < self._view.sites:
            wrong = f"asked for point {point} in round {self._view.steps}"
            raise MoveError(f"adversary {self._kind}: {wrong}; this game has 0 … {self._view.sites - 1}")
        return int(point)

    def label(self, point: int, shown: Any) -> bool:
        """Return the label, after the adversary has seen the learner's output."""
        if self._fixed is not None:
            return self._label
        if self._mover is not None:
            self._mover.observe(shown)
            return point == 0
        assert self._examiner is not None
        view = self._view
        if shown != view.output:
            view.output, view.changed_at = shown, view.steps
            view.changes += 1
        view.sent += 1
        return bool(self._examiner.label(view, point))


class Rehearsed(Adversary):
    """Examples recorded in a separate game, for a replay."""

    kind = Replay.kind
    source = Replay.source
    oblivious = True

    def __init__(self, points: list[int], labels: list[bool]) -> None:
        self.given: Examples = np.array(points, dtype=np.int64), np.array(labels, dtype=bool)

    def plan(self, view: View) -> None:
        """Name no sites: the examples are given."""


def copied(adversary: Adversary) -> Adversary:
    """Return this game's copy of the adversary.

    Raises
    ------
    ScenarioError
        It needs to see more than a learner shows.
    """
    if adversary.sees != "outputs":
        raise ScenarioError(f"{adversary.kind} needs to see the {adversary.sees}; a learner shows outputs only")
    return copy.deepcopy(adversary)
