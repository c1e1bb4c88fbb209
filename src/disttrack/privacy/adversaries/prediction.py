"""Adversaries of online learners: drawn at random, constructed against a known learner, and contradicting it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.schedules import Burst, Labels, Schedule
from disttrack.mechanisms.checks import Whole, ZeroToOne
from disttrack.privacy.mechanisms.prediction.insertion import Construction, halving, insertion


class Examiner(Adversary):
    """Gives examples round by round.

    `move` returns the point of the next round and its label, or a function from the learner's output in this round to
    the label; `view.output` is then the output of the last round. Examples that do not react are given by `stretches`,
    as rows of point and label.
    """

    plays: ClassVar[tuple[str, ...]] = ("prediction",)


@dataclass
class PointStream(Examiner):
    """Asks for one point, drawn before the game, in a share of the rounds, label 1; else for random ones, label 0.

    Parameters
    ----------
    share
        Probability that a round asks for the one point; None for the same as for any other.
    noise
        Probability that a label is flipped, independently in each round: the agnostic case.

    Source
    ------
    independent examples of a point function.
    """

    kind: ClassVar[str] = "point-stream"
    oblivious: ClassVar[bool] = True

    share: ZeroToOne | None = 0.5
    noise: ZeroToOne = 0.0

    def stretches(self, view: View) -> Iterator[NDArray[np.int64]]:
        rng, domain = view.rng, view.sites
        target = int(rng.integers(domain))
        if self.share is None or domain == 1:
            points = rng.integers(0, domain, view.items)
        else:
            points = (target + 1 + rng.integers(0, domain - 1, view.items)) % domain
            points[rng.random(view.items) < self.share] = target
        labels = points == target
        if self.noise:
            labels ^= rng.random(view.items) < self.noise
        yield np.column_stack((points, labels))

    def plan(self, view: View) -> Schedule | None:
        """Feed the sites numbered like the points: the stream without its labels."""
        return None if view.steps else Labels(next(self.stretches(view))[:, 0], view.sites)


class Constructed(Examiner):
    """Computes its examples from the distribution of the hypotheses that a learner reveals; else it feeds site 0."""

    oblivious: ClassVar[bool] = True
    fewest_steps: ClassVar[int] = 1
    """Steps of the shortest game in which an example with label 1 has a place."""

    construction: Construction | None

    @abstractmethod
    def construct(self, learner: object, view: View) -> Construction:
        """Return the examples against this learner."""

    def stretches(self, view: Any) -> Iterator[NDArray[np.int64]]:
        self.construction = made = self.construct(view.algorithm, view)
        yield np.column_stack((made.points, made.labels))

    def plan(self, view: View) -> Schedule | None:
        return None if view.steps else Burst(0)


@dataclass
class Insertion(Constructed):
    """Finds a point that the learner neglects, and inserts examples of it at rounds where the learner will not show it.

    It knows the distribution of the learner's hypotheses, not its coins: exactly if the learner states it, else from
    simulated runs. The game has sqrt(T) phases; log2(sqrt(T) + 2) - 1 examples with label 1 come in one of them.

    Parameters
    ----------
    sequences
        Random sequences of labels 0 over which the learner's mass is averaged.
    runs
        Simulated runs of a learner that does not state its distribution.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, proof of Theorem 1.11.
    """

    kind: ClassVar[str] = "insertion"
    fewest_steps: ClassVar[int] = 4

    sequences: Whole = 20
    runs: Whole = 1000
    construction: Construction | None = field(default=None, init=False, repr=False, compare=False)

    def construct(self, learner: Any, view: View) -> Construction:
        return insertion(learner, view.sites, view.items, view.rng, sequences=self.sequences, runs=self.runs)


@dataclass
class Halving(Constructed):
    """Halves the whole game repeatedly, and inserts examples of a random point where a proper learner does not show it.

    All other rounds query point 0, label 0. There are log2(T + 2) - 1 examples with label 1, twice as many as
    in `insertion`.

    Parameters
    ----------
    runs
        Simulated runs of a learner that does not state its distribution.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, appendix A, for proper learners.
    """

    kind: ClassVar[str] = "halving"
    fewest_steps: ClassVar[int] = 2

    runs: Whole = 1000
    construction: Construction | None = field(default=None, init=False, repr=False, compare=False)

    def construct(self, learner: Any, view: View) -> Construction:
        return halving(learner, view.sites, view.items, view.rng, runs=self.runs)


@dataclass
class Contrary(Examiner):
    """Gives the label 0 if the learner predicts 1, and 1 if it predicts 0; after its first 1 it repeats that point.

    Before that it asks for the point that the learner has shown last, if its label has not been 0 yet, else for the
    next one. So a learner makes a mistake in every round until it predicts 1 at the right point. In games without
    labels it leaves a site when the output changes.

    Source
    ------
    the mistake-bound game, for a class of Littlestone dimension 1.
    """

    kind: ClassVar[str] = "contrary"

    _target: int | None = field(default=None, init=False, repr=False)
    _denied: set[int] = field(default_factory=set, init=False, repr=False)

    def move(self, view: Any) -> tuple[int, Callable[[Any], bool]]:
        hypotheses = view.shows == "hypotheses"
        last = view.output if hypotheses and view.output is not None else -1
        if self._target is not None:
            point = self._target
        elif 0 <= last < view.sites and last not in self._denied:
            point = int(last)
        else:
            point = next((point for point in range(view.sites) if point not in self._denied), 0)
        return point, lambda shown: self._label(point, shown == point if hypotheses else bool(shown), view.sites)

    def _label(self, point: int, predicted: bool, points: int) -> bool:
        """Return the label of a point for which the learner has predicted 1, or 0."""
        if self._target is not None:
            return True
        if predicted and len(self._denied) + 1 < points:
            self._denied.add(point)
            return False
        self._target = point
        return True

    def plan(self, view: View) -> Schedule | None:
        return Burst(view.changes % view.sites)
