"""Building blocks of differential privacy that protocols are made of, without sites and servers."""

from __future__ import annotations

from typing import Any

from mechanisms.above_threshold import AboveThreshold
from mechanisms.accounting import Ledger, Overdrawn
from mechanisms.continual_output import ContinualOutput
from mechanisms.counters import KINDS as COUNTERS
from mechanisms.counters import (
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
from mechanisms.density import PanPrivateDensity
from mechanisms.dynamic import (
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
from mechanisms.hard_instance import HardInstance, hard_instance
from mechanisms.laplace_sums import laplace_sum_quantile
from mechanisms.monitors import MONITORS, CounterMonitor, ReleaseMonitor, SparseVectorMonitor
from mechanisms.noise import Draws, Gaussian, Laplace, Silent
from mechanisms.partition import PrivatePartition
from mechanisms.perturbed_leader import PerturbedLeader
from mechanisms.prediction import (
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
from mechanisms.static import STATIC, GaussianQueries, LaplaceQueries, MultiplicativeWeights, StaticMechanism
from mechanisms.threshold_queries import QUERY_SOLVERS, ReleaseQueries, SortedQueries, SparseVectorQueries

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
