"""Examples constructed against a learner that is known but for its coins: those of the lower bound, and its sketch."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from disttrack.adversaries.base import View
from disttrack.adversaries.prediction.base import Examples, FixedExamples, algorithm_of
from disttrack.adversaries.schedules import Burst, Schedule
from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.prediction.insertion import Construction, halving, insertion


class Constructed(FixedExamples):
    """Works out its examples from the distribution of the learner's hypotheses; elsewhere it feeds site 0."""

    found: Construction | None

    @abstractmethod
    def construct(self, learner: Any, view: View) -> Construction:
        """Return the examples against this learner."""

    def examples(self, view: View) -> Examples:
        learner = algorithm_of(view)
        if learner is None or learner.reveals != "hypotheses":
            raise ValueError(f"{self.kind} needs a learner that reveals hypotheses")
        self.found = self.construct(learner, view)
        return self.found.points, self.found.labels

    def plan(self, view: View) -> Schedule | None:
        return None if view.steps else Burst(0)


@dataclass
class Insertion(Constructed):
    """Finds a point that the learner hardly looks at, and puts examples of it where the learner is unlikely to look.

    It knows the distribution of the learner's hypotheses, not its coins: exactly where the learner states it, else from
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

    sequences: int = 20
    runs: int = 1000
    found: Construction | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("sequences", self.sequences)
        whole("runs", self.runs)

    def construct(self, learner: Any, view: View) -> Construction:
        return insertion(learner, view.sites, view.items, view.rng, sequences=self.sequences, runs=self.runs)


@dataclass
class Halving(Constructed):
    """Halves the whole game again and again, and puts examples of a random point where a proper learner does not look.

    All other rounds ask for point 0, label 0. There are log2(T + 2) - 1 examples with label 1, twice as many as
    `insertion` has.

    Parameters
    ----------
    runs
        Simulated runs of a learner that does not state its distribution.
    """

    kind: ClassVar[str] = "halving"
    source: ClassVar[str] = "Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, appendix A, for proper learners"

    runs: int = 1000
    found: Construction | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("runs", self.runs)

    def construct(self, learner: Any, view: View) -> Construction:
        return halving(learner, view.sites, view.items, view.rng, runs=self.runs)
