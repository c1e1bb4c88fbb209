"""The oblivious stream of examples: points drawn at random, labelled by the point function of one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import View
from disttrack.adversaries.listed_schedules import Labels
from disttrack.adversaries.prediction.base import Examiner
from disttrack.adversaries.schedules import Schedule
from disttrack.mechanisms.checks import ZeroToOne


@dataclass
class PointStream(Examiner):
    """Asks for one point, drawn before the game, in a share of the rounds, label 1; else for random ones, label 0.

    Parameters
    ----------
    share
        Probability that a round asks for the one point; None for the same as for any other.
    noise
        Probability that a label is flipped, independently in each round: the agnostic case.
    """

    kind: ClassVar[str] = "point-stream"
    source: ClassVar[str] = "independent examples of a point function"
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
