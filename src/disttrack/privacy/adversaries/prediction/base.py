"""Base classes of adversaries of online learners: they choose a point, see the learner's output, and give the label.

In these games a view's `sites` are the points of the domain and its `items` the rounds; `view.algorithm` is the
learner's class and parameters, without its coins, and `view.shows` what is seen of it: hypotheses, predictions or
nothing.
"""

from __future__ import annotations

from typing import ClassVar

from disttrack.adversaries.base import Adversary


class Examiner(Adversary):
    """Gives examples round by round.

    `move` returns the point of the next round and its label, or a function from the learner's output in this round to
    the label; `view.output` is then the output of the last round. Examples that do not react are given by `stretches`,
    as rows of point and label.
    """

    plays: ClassVar[tuple[str, ...]] = ("prediction",)
