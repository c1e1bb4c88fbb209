"""Building blocks of differential privacy for protocols, without sites and servers."""

from __future__ import annotations

from typing import Any

from disttrack.mechanisms.above_threshold import AboveThreshold
from disttrack.mechanisms.accounting import Ledger, Overdrawn
from disttrack.mechanisms.continual_output import ContinualOutput
from disttrack.mechanisms.counters import KINDS as COUNTERS
from disttrack.mechanisms.counters import (
    Binary,
    Blt,
    Counter,
    Fresh,
    Hybrid,
    KAry,
    PanPrivate,
    PerItem,
    RandomizedResponse,
    Run,
    Sparse,
    SparseInfinite,
    SquareRoot,
    TreeVarianceReduced,
    TwoLevel,
)
from disttrack.mechanisms.density import PanPrivateDensity
from disttrack.mechanisms.dynamic import (
    DYNAMIC,
    DynamicMechanism,
    DynamicRun,
    FullyDynamic,
    GrowingFinite,
    GrowingInfinite,
    GrowingSparse,
    GrowingSparseInfinite,
    InsertedMinusDeleted,
)
from disttrack.mechanisms.hard_instance import HardInstance, hard_instance
from disttrack.mechanisms.laplace_sums import laplace_sum_quantile
from disttrack.mechanisms.monitors import MONITORS, CounterMonitor, ReleaseMonitor, SparseVectorMonitor
from disttrack.mechanisms.noise import Draws, Gaussian, Laplace, Silent
from disttrack.mechanisms.partition import PrivatePartition
from disttrack.mechanisms.perturbed_leader import PerturbedLeader
from disttrack.mechanisms.prediction import (
    LEARNERS,
    ExpertsPrivate,
    Exponential,
    Guessing,
    JdpMirror,
    Learner,
    LearnerRun,
    Plain,
    PointPredictor,
    PrivateProper,
)
from disttrack.mechanisms.static import STATIC, GaussianQueries, LaplaceQueries, MultiplicativeWeights, StaticMechanism
from disttrack.mechanisms.threshold_queries import QUERY_SOLVERS, ReleaseQueries, SortedQueries, SparseVectorQueries

MECHANISMS: dict[str, type[Any]] = {
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
    "COUNTERS",
    "DYNAMIC",
    "LEARNERS",
    "MECHANISMS",
    "MONITORS",
    "QUERY_SOLVERS",
    "STATIC",
    "AboveThreshold",
    "Binary",
    "Blt",
    "ContinualOutput",
    "Counter",
    "CounterMonitor",
    "Draws",
    "DynamicMechanism",
    "DynamicRun",
    "ExpertsPrivate",
    "Exponential",
    "Fresh",
    "FullyDynamic",
    "Gaussian",
    "GaussianQueries",
    "GrowingFinite",
    "GrowingInfinite",
    "GrowingSparse",
    "GrowingSparseInfinite",
    "Guessing",
    "HardInstance",
    "Hybrid",
    "InsertedMinusDeleted",
    "JdpMirror",
    "KAry",
    "Laplace",
    "LaplaceQueries",
    "Learner",
    "LearnerRun",
    "Ledger",
    "MultiplicativeWeights",
    "Overdrawn",
    "PanPrivate",
    "PanPrivateDensity",
    "PerItem",
    "PerturbedLeader",
    "Plain",
    "PointPredictor",
    "PrivatePartition",
    "PrivateProper",
    "RandomizedResponse",
    "ReleaseMonitor",
    "ReleaseQueries",
    "Run",
    "Silent",
    "SortedQueries",
    "Sparse",
    "SparseInfinite",
    "SparseVectorMonitor",
    "SparseVectorQueries",
    "SquareRoot",
    "StaticMechanism",
    "TreeVarianceReduced",
    "TwoLevel",
    "hard_instance",
    "laplace_sum_quantile",
]
