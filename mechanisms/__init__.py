"""Building blocks of differential privacy that protocols are made of, without sites and servers."""

from __future__ import annotations

from typing import Any

from mechanisms.above_threshold import AboveThreshold
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
    JdpMirror.kind: JdpMirror,
    **LEARNERS,
}
"""Every mechanism by its name: a dataclass of parameters with attributes `kind`, `source` and `error`."""

__all__ = [
    "COUNTERS",
    "LEARNERS",
    "MECHANISMS",
    "MONITORS",
    "QUERY_SOLVERS",
    "AboveThreshold",
    "Binary",
    "Blt",
    "ContinualOutput",
    "Counter",
    "CounterMonitor",
    "Draws",
    "ExpertsPrivate",
    "Exponential",
    "Fresh",
    "Gaussian",
    "Guessing",
    "HardInstance",
    "Hybrid",
    "JdpMirror",
    "KAry",
    "Laplace",
    "Learner",
    "LearnerRun",
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
    "TreeVarianceReduced",
    "TwoLevel",
    "hard_instance",
    "laplace_sum_quantile",
]
