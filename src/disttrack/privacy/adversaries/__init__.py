"""Adversaries of the games of privacy: streams of bits, updates, analysts, attackers of sketches, of learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.adversaries.base import Opponent as Opponent
    from disttrack.privacy.adversaries.analysts import *  # noqa: F403
    from disttrack.privacy.adversaries.intruder import Challenge as Challenge
    from disttrack.privacy.adversaries.intruder import Intruder as Intruder
    from disttrack.privacy.adversaries.prediction.adversaries import Contrary as Contrary
    from disttrack.privacy.adversaries.prediction.adversaries import Halving as Halving
    from disttrack.privacy.adversaries.prediction.adversaries import Insertion as Insertion
    from disttrack.privacy.adversaries.prediction.adversaries import PointStream as PointStream
    from disttrack.privacy.adversaries.prediction.base import Examiner as Examiner
    from disttrack.privacy.adversaries.sketching import *  # noqa: F403
    from disttrack.privacy.adversaries.streams import Biased as Biased
    from disttrack.privacy.adversaries.streams import HardInstance as HardInstance
    from disttrack.privacy.adversaries.streams import LastMoment as LastMoment
    from disttrack.privacy.adversaries.streams import Scattered as Scattered
    from disttrack.privacy.adversaries.updates.base import UpdateStream as UpdateStream
    from disttrack.privacy.adversaries.updates.base import UpdateView as UpdateView
    from disttrack.privacy.adversaries.updates.departures import InTheAir as InTheAir
    from disttrack.privacy.adversaries.updates.streams import Churn as Churn
    from disttrack.privacy.adversaries.updates.streams import Grow as Grow
    from disttrack.privacy.adversaries.updates.streams import GrowAndDelete as GrowAndDelete
    from disttrack.privacy.adversaries.updates.streams import Overcount as Overcount
    from disttrack.privacy.adversaries.updates.streams import Sliding as Sliding
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

ADVERSARIES: Final[Kinds[Opponent]] = Kinds.of(__name__, "Tracking", """
    scattered
""") | Kinds.of(__name__, "Adaptive data analysis", """
    best-of-many fixed-queries gradient=GradientAnalyst leaderboard-climber random-sets sign-correlation speller
    variable-selection
""") | Kinds.of(__name__, "Private counters", """
    intruder
""") | Kinds.of(__name__, "Threshold monitors", """
    hard-instance last-moment
""") | Kinds.of(__name__, "Experts", """
    biased
""") | Kinds.of(__name__, "Data that changes", """
    churn grow grow-and-delete in-the-air overcount sliding
""") | Kinds.of(__name__, "Sketches under attack", """
    ams-attack cover-attack quiet-items random-tails random-updates tail-attack unsorted-items blind-resets
    reset-sampled flip-flop fresh-items random-items
""") | Kinds.of(__name__, "Online prediction", """
    contrary halving insertion point-stream
""")  # fmt: skip
"""Every adversary of this package by its name."""
