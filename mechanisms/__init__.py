"""Building blocks of differential privacy for protocols, without sites and servers."""

from __future__ import annotations

import inspect

from disttrack.mechanisms.above_threshold import AboveThreshold as AboveThreshold
from disttrack.mechanisms.accounting import Ledger as Ledger
from disttrack.mechanisms.accounting import Overdrawn as Overdrawn
from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.continual_output import ContinualOutput as ContinualOutput
from disttrack.mechanisms.counters import KINDS as COUNTERS
from disttrack.mechanisms.counters import Binary as Binary
from disttrack.mechanisms.counters import Blt as Blt
from disttrack.mechanisms.counters import Counter as Counter
from disttrack.mechanisms.counters import Fresh as Fresh
from disttrack.mechanisms.counters import Hybrid as Hybrid
from disttrack.mechanisms.counters import KAry as KAry
from disttrack.mechanisms.counters import PanPrivate as PanPrivate
from disttrack.mechanisms.counters import PerItem as PerItem
from disttrack.mechanisms.counters import RandomizedResponse as RandomizedResponse
from disttrack.mechanisms.counters import Run as Run
from disttrack.mechanisms.counters import Sparse as Sparse
from disttrack.mechanisms.counters import SparseInfinite as SparseInfinite
from disttrack.mechanisms.counters import SquareRoot as SquareRoot
from disttrack.mechanisms.counters import TreeVarianceReduced as TreeVarianceReduced
from disttrack.mechanisms.counters import TwoLevel as TwoLevel
from disttrack.mechanisms.counters.linear import LinearCounter as LinearCounter
from disttrack.mechanisms.counters.linear import NoisePath as NoisePath
from disttrack.mechanisms.density import PanPrivateDensity as PanPrivateDensity
from disttrack.mechanisms.dynamic import DYNAMIC as DYNAMIC
from disttrack.mechanisms.dynamic import DynamicMechanism as DynamicMechanism
from disttrack.mechanisms.dynamic import DynamicRun as DynamicRun
from disttrack.mechanisms.dynamic import FullyDynamic as FullyDynamic
from disttrack.mechanisms.dynamic import GrowingFinite as GrowingFinite
from disttrack.mechanisms.dynamic import GrowingInfinite as GrowingInfinite
from disttrack.mechanisms.dynamic import GrowingSparse as GrowingSparse
from disttrack.mechanisms.dynamic import GrowingSparseInfinite as GrowingSparseInfinite
from disttrack.mechanisms.dynamic import InsertedMinusDeleted as InsertedMinusDeleted
from disttrack.mechanisms.hard_instance import HardInstance as HardInstance
from disttrack.mechanisms.hard_instance import hard_instance as hard_instance
from disttrack.mechanisms.laplace_sums import laplace_sum_quantile as laplace_sum_quantile
from disttrack.mechanisms.monitors import MONITORS as MONITORS
from disttrack.mechanisms.monitors import CounterMonitor as CounterMonitor
from disttrack.mechanisms.monitors import ReleaseMonitor as ReleaseMonitor
from disttrack.mechanisms.monitors import SparseVectorMonitor as SparseVectorMonitor
from disttrack.mechanisms.noise import Draws as Draws
from disttrack.mechanisms.noise import Gaussian as Gaussian
from disttrack.mechanisms.noise import Laplace as Laplace
from disttrack.mechanisms.partition import PrivatePartition as PrivatePartition
from disttrack.mechanisms.perturbed_leader import PerturbedLeader as PerturbedLeader
from disttrack.mechanisms.prediction import LEARNERS as LEARNERS
from disttrack.mechanisms.prediction import ExpertsPrivate as ExpertsPrivate
from disttrack.mechanisms.prediction import Exponential as Exponential
from disttrack.mechanisms.prediction import Guessing as Guessing
from disttrack.mechanisms.prediction import JdpMirror as JdpMirror
from disttrack.mechanisms.prediction import Learner as Learner
from disttrack.mechanisms.prediction import LearnerRun as LearnerRun
from disttrack.mechanisms.prediction import Plain as Plain
from disttrack.mechanisms.prediction import PointPredictor as PointPredictor
from disttrack.mechanisms.prediction import PrivateProper as PrivateProper
from disttrack.mechanisms.static import STATIC as STATIC
from disttrack.mechanisms.static import GaussianQueries as GaussianQueries
from disttrack.mechanisms.static import LaplaceQueries as LaplaceQueries
from disttrack.mechanisms.static import MultiplicativeWeights as MultiplicativeWeights
from disttrack.mechanisms.static import StaticMechanism as StaticMechanism
from disttrack.mechanisms.threshold_queries import QUERY_SOLVERS as QUERY_SOLVERS
from disttrack.mechanisms.threshold_queries import ReleaseQueries as ReleaseQueries
from disttrack.mechanisms.threshold_queries import SortedQueries as SortedQueries
from disttrack.mechanisms.threshold_queries import SparseVectorQueries as SparseVectorQueries

MECHANISMS: dict[str, type[Mechanism]] = {
    **COUNTERS,
    AboveThreshold.kind: AboveThreshold,
    PrivatePartition.kind: PrivatePartition,
    **MONITORS,
    **QUERY_SOLVERS,
    PanPrivateDensity.kind: PanPrivateDensity,
    ContinualOutput.kind: ContinualOutput,
    PerturbedLeader.kind: PerturbedLeader,
    **STATIC,
    **DYNAMIC,
    JdpMirror.kind: JdpMirror,
    **LEARNERS,
}
"""Every mechanism by its name: a dataclass of parameters with attributes `kind`, `source` and `error`."""

__all__ = [
    name
    for name, thing in vars().items()
    if not (name.startswith("_") or inspect.ismodule(thing) or name in ("Mechanism", "annotations"))
]
