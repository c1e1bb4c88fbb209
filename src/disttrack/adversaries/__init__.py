"""Adversaries, which feed the sites: oblivious streams, adaptive attackers, and base classes for users' own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.adversaries.adaptive import Coin as Coin
    from disttrack.adversaries.adaptive import Drain as Drain
    from disttrack.adversaries.adaptive import Freeze as Freeze
    from disttrack.adversaries.adaptive import Policy as Policy
    from disttrack.adversaries.analysts import *  # noqa: F403
    from disttrack.adversaries.base import Adversary as Adversary
    from disttrack.adversaries.base import Choice as Choice
    from disttrack.adversaries.base import Opponent as Opponent
    from disttrack.adversaries.base import View as View
    from disttrack.adversaries.believing import Eavesdrop as Eavesdrop
    from disttrack.adversaries.believing import Posterior as Posterior
    from disttrack.adversaries.believing import WhiteBox as WhiteBox
    from disttrack.adversaries.bisect import Bisect as Bisect
    from disttrack.adversaries.contents import *  # noqa: F403
    from disttrack.adversaries.feedback import Feedback as Feedback
    from disttrack.adversaries.intruder import Challenge as Challenge
    from disttrack.adversaries.intruder import Intruder as Intruder
    from disttrack.adversaries.learned import Learned as Learned
    from disttrack.adversaries.listed_schedules import Labels as Labels
    from disttrack.adversaries.listed_schedules import Runs as Runs
    from disttrack.adversaries.memory import BoundedMemory as BoundedMemory
    from disttrack.adversaries.moves import Moves as Moves
    from disttrack.adversaries.oblivious import Bursts as Bursts
    from disttrack.adversaries.oblivious import RoundRobin as RoundRobin
    from disttrack.adversaries.oblivious import SingleSite as SingleSite
    from disttrack.adversaries.oblivious import Uniform as Uniform
    from disttrack.adversaries.oblivious import Zipf as Zipf
    from disttrack.adversaries.phase import Phase as Phase
    from disttrack.adversaries.prediction.adversaries import Contrary as Contrary
    from disttrack.adversaries.prediction.adversaries import Halving as Halving
    from disttrack.adversaries.prediction.adversaries import Insertion as Insertion
    from disttrack.adversaries.prediction.adversaries import PointStream as PointStream
    from disttrack.adversaries.prediction.base import Examiner as Examiner
    from disttrack.adversaries.replay import Replay as Replay
    from disttrack.adversaries.schedules import NEVER as NEVER
    from disttrack.adversaries.schedules import Burst as Burst
    from disttrack.adversaries.schedules import Rest as Rest
    from disttrack.adversaries.schedules import Rotation as Rotation
    from disttrack.adversaries.schedules import Schedule as Schedule
    from disttrack.adversaries.sketching import *  # noqa: F403
    from disttrack.adversaries.streams import Biased as Biased
    from disttrack.adversaries.streams import HardInstance as HardInstance
    from disttrack.adversaries.streams import LastMoment as LastMoment
    from disttrack.adversaries.streams import Scattered as Scattered
    from disttrack.adversaries.tabular import Tabular as Tabular
    from disttrack.adversaries.trace import ItemTrace as ItemTrace
    from disttrack.adversaries.trace import Trace as Trace
    from disttrack.adversaries.trial import Trial as Trial
    from disttrack.adversaries.updates.base import UpdateStream as UpdateStream
    from disttrack.adversaries.updates.base import UpdateView as UpdateView
    from disttrack.adversaries.updates.departures import InTheAir as InTheAir
    from disttrack.adversaries.updates.streams import Churn as Churn
    from disttrack.adversaries.updates.streams import Grow as Grow
    from disttrack.adversaries.updates.streams import GrowAndDelete as GrowAndDelete
    from disttrack.adversaries.updates.streams import Overcount as Overcount
    from disttrack.adversaries.updates.streams import Sliding as Sliding
    from disttrack.adversaries.views import StateView as StateView
    from disttrack.adversaries.views import TrafficView as TrafficView
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

ADVERSARIES: Final[Kinds[Opponent]] = Kinds.of(__name__, "count", """
    coin drain freeze policy eavesdrop posterior white-box bisect feedback learned bounded-memory moves bursts
    round-robin single-site uniform zipf phase replay scattered table=Tabular trace trial
""") | Kinds.of(__name__, "statistical-queries", """
    best-of-many fixed-queries gradient=GradientAnalyst leaderboard-climber random-sets sign-correlation speller
    variable-selection
""") | Kinds.of(__name__, "item-frequency", """
    blind-splits drain-item freeze-item sampling-attack heavy-item rank-drift uniform-items zipf-items item-trace
""") | Kinds.of(__name__, "continual-count", """
    intruder
""") | Kinds.of(__name__, "threshold-monitor", """
    hard-instance last-moment
""") | Kinds.of(__name__, "experts", """
    biased
""") | Kinds.of(__name__, "dynamic-queries", """
    churn grow grow-and-delete in-the-air overcount sliding
""") | Kinds.of(__name__, "second-moment", """
    ams-attack cover-attack quiet-items random-tails random-updates tail-attack unsorted-items blind-resets
    reset-sampled flip-flop fresh-items random-items
""") | Kinds.of(__name__, "prediction", """
    contrary halving insertion point-stream
""")  # fmt: skip
"""Every built-in adversary by its name."""
