"""Base classes of adversaries of online learners: they choose a point, see the learner's output, and give the label.

In these games a view's `sites` are the points of the domain and its `items` the rounds; `view.algorithm` is the
learner's class and parameters, without its coins, and `view.shows` what is seen of it: hypotheses, predictions or
nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.listed_schedules import Labels
from disttrack.adversaries.schedules import Schedule

Examples = tuple[NDArray[np.int64], NDArray[np.bool_]]
"""The points of all rounds, and their labels."""


class Examiner(Adversary):
    """Gives examples round by round, and may react: `ask`, and after the learner's output `label`."""

    @abstractmethod
    def ask(self, view: View) -> int:
        """Return the point of the next round; `view.output` is the output of the last one."""

    @abstractmethod
    def label(self, view: View, point: int) -> bool:
        """Return the label of this round's point; `view.output` is the learner's output in this round."""


class FixedExamples(Adversary):
    """Gives examples that do not react: all of them are fixed before the game."""

    oblivious: ClassVar[bool] = True

    @abstractmethod
    def examples(self, view: View) -> Examples:
        """Return the examples of all rounds."""

    def plan(self, view: View) -> Schedule | None:
        """Feed the sites numbered like the points: the stream without its labels."""
        if view.steps:
            return None
        return Labels(self.examples(view)[0], view.sites)
