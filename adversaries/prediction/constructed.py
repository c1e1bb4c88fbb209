"""Examples constructed against a learner known except for its coins: those of the lower bound, and its sketch."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from disttrack.adversaries.base import View
from disttrack.adversaries.prediction.base import Examples, FixedExamples
from disttrack.adversaries.schedules import Burst, Schedule
from disttrack.mechanisms.checks import Whole
from disttrack.mechanisms.prediction.insertion import Construction, halving, insertion


class Constructed(FixedExamples):
    """Computes its examples from the distribution of the hypotheses that a learner reveals; else it feeds site 0."""

    construction: Construction | None

    @abstractmethod
    def construct(self, learner: Any, view: View) -> Construction:
        """Return the examples against this learner."""

    def examples(self, view: Any) -> Examples:
        self.construction = self.construct(view.algorithm, view)
        return self.construction.points, self.construction.labels

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
    """

    kind: ClassVar[str] = "insertion"
    source: ClassVar[str] = "Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, proof of Theorem 1.11"

    sequences: Whole = 20
    runs: Whole = 1000
    construction: Construction | None = field(default=None, init=False, repr=False, compare=False)

    def construct(self, learner: Any, view: View) -> Construction:
        return insertion(learner, view.sites, view.items, view.rng, self.sequences, self.runs)


@dataclass
class Halving(Constructed):
    """Halves the whole game repeatedly, and inserts examples of a random point where a proper learner does not show it.

    All other rounds query point 0, label 0. There are log2(T + 2) - 1 examples with label 1, twice as many as
    in `insertion`.

    Parameters
    ----------
    runs
        Simulated runs of a learner that does not state its distribution.
    """

    kind: ClassVar[str] = "halving"
    source: ClassVar[str] = "Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, appendix A, for proper learners"

    runs: Whole = 1000
    construction: Construction | None = field(default=None, init=False, repr=False, compare=False)

    def construct(self, learner: Any, view: View) -> Construction:
        return halving(learner, view.sites, view.items, view.rng, self.runs)
