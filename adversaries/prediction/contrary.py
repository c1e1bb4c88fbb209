"""The adversary that contradicts the learner in every round, as long as some point function explains its labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from disttrack.adversaries.base import View
from disttrack.adversaries.prediction.base import Examiner
from disttrack.adversaries.schedules import Burst, Schedule


@dataclass
class Contrary(Examiner):
    """Gives the label 0 if the learner predicts 1, and 1 if it predicts 0; after its first 1 it repeats that point.

    Before that it asks for the point that the learner has shown last, if its label has not been 0 yet, else for the
    next one. So a learner makes a mistake in every round until it predicts 1 at the right point. In games without
    labels it leaves a site when the output changes.
    """

    kind: ClassVar[str] = "contrary"
    source: ClassVar[str] = "the mistake-bound game, for a class of Littlestone dimension 1"

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
