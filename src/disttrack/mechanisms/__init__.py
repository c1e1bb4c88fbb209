"""Building blocks of differential privacy for protocols, without sites and servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names
from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.counters import COUNTERS as COUNTERS
from disttrack.mechanisms.dynamic import DYNAMIC as DYNAMIC
from disttrack.mechanisms.prediction import LEARNERS as LEARNERS
from disttrack.mechanisms.static import STATIC as STATIC

if TYPE_CHECKING:
    from disttrack.mechanisms.above_threshold import AboveThreshold as AboveThreshold
    from disttrack.mechanisms.accounting import Overdrawn as Overdrawn
    from disttrack.mechanisms.accounting import PrivacyLedger as PrivacyLedger
    from disttrack.mechanisms.clock_monitor import ClockMonitor as ClockMonitor
    from disttrack.mechanisms.continual_output import ContinualOutput as ContinualOutput
    from disttrack.mechanisms.counters import *  # noqa: F403
    from disttrack.mechanisms.counters.linear import LinearCounter as LinearCounter
    from disttrack.mechanisms.counters.linear import NoisePath as NoisePath
    from disttrack.mechanisms.density import PanPrivateDensity as PanPrivateDensity
    from disttrack.mechanisms.dynamic import *  # noqa: F403
    from disttrack.mechanisms.exact_monitor import ExactMonitor as ExactMonitor
    from disttrack.mechanisms.hard_streams import HardInstance as HardInstance
    from disttrack.mechanisms.hard_streams import hard_instance as hard_instance
    from disttrack.mechanisms.laplace_sums import laplace_sum_quantile as laplace_sum_quantile
    from disttrack.mechanisms.monitors import CounterMonitor as CounterMonitor
    from disttrack.mechanisms.monitors import ReleaseMonitor as ReleaseMonitor
    from disttrack.mechanisms.monitors import SparseVectorMonitor as SparseVectorMonitor
    from disttrack.mechanisms.noise import Draws as Draws
    from disttrack.mechanisms.noise import Gaussian as Gaussian
    from disttrack.mechanisms.noise import Laplace as Laplace
    from disttrack.mechanisms.partition import PrivatePartition as PrivatePartition
    from disttrack.mechanisms.perturbed_leader import PerturbedLeader as PerturbedLeader
    from disttrack.mechanisms.prediction.base import Learner as Learner
    from disttrack.mechanisms.prediction.base import LearnerRun as LearnerRun
    from disttrack.mechanisms.prediction.baselines import Guessing as Guessing
    from disttrack.mechanisms.prediction.baselines import Plain as Plain
    from disttrack.mechanisms.prediction.experts import ExpertsPrivate as ExpertsPrivate
    from disttrack.mechanisms.prediction.exponential import Exponential as Exponential
    from disttrack.mechanisms.prediction.mirror import JdpMirror as JdpMirror
    from disttrack.mechanisms.prediction.predictor import PointPredictor as PointPredictor
    from disttrack.mechanisms.prediction.proper import PrivateProper as PrivateProper
    from disttrack.mechanisms.sketches import *  # noqa: F403
    from disttrack.mechanisms.static import *  # noqa: F403
    from disttrack.mechanisms.statistical import *  # noqa: F403
    from disttrack.mechanisms.threshold_queries import ReleaseQueries as ReleaseQueries
    from disttrack.mechanisms.threshold_queries import SortedQueries as SortedQueries
    from disttrack.mechanisms.threshold_queries import SparseVectorQueries as SparseVectorQueries
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

MONITORS: Final[Kinds[Mechanism]] = Kinds.of(__name__, "threshold-monitor", """
    clock-monitor exact-monitor counter-monitor release-monitor sparse-vector-monitor
""")  # fmt: skip
"""Every threshold monitor by its name."""

QUERY_SOLVERS: Final[Kinds[Mechanism]] = Kinds.of(__name__, "threshold-queries", """
    release-queries sorted-queries sparse-vector-queries
""")  # fmt: skip
"""Every solver of threshold queries by its name."""

_OTHERS: Final[Kinds[Mechanism]] = Kinds.of(__name__, "audit", """
    above-threshold private-partition
""") | Kinds.of(__name__, "density", """
    continual-output pan-private-density
""") | Kinds.of(__name__, "experts", """
    perturbed-leader
""") | Kinds.of(__name__, "mirror", """
    jdp-mirror
""")  # fmt: skip

MECHANISMS: Final = COUNTERS | DYNAMIC | STATIC | MONITORS | QUERY_SOLVERS | LEARNERS | _OTHERS
"""Every mechanism by its name: a dataclass of parameters with attributes `kind`, `source` and `error`. Sketches and
answers to statistical queries are played in games of their own, and have tables of their own."""
