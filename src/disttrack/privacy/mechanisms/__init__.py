"""Mechanisms that are games of their own: private data, monitors, queries, sketches, learners, answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.mechanisms.base import Mechanism as Mechanism
    from disttrack.privacy.mechanisms.accounting import Overdrawn as Overdrawn
    from disttrack.privacy.mechanisms.accounting import PrivacyLedger as PrivacyLedger
    from disttrack.privacy.mechanisms.dynamic.base import DynamicMechanism as DynamicMechanism
    from disttrack.privacy.mechanisms.dynamic.base import DynamicRun as DynamicRun
    from disttrack.privacy.mechanisms.halting import HardInstance as HardInstance
    from disttrack.privacy.mechanisms.halting import hard_instance as hard_instance
    from disttrack.privacy.mechanisms.prediction.base import Learner as Learner
    from disttrack.privacy.mechanisms.prediction.base import LearnerRun as LearnerRun
    from disttrack.privacy.mechanisms.sketches.base import RESET as RESET
    from disttrack.privacy.mechanisms.sketches.base import TARGET as TARGET
    from disttrack.privacy.mechanisms.sketches.base import Goal as Goal
    from disttrack.privacy.mechanisms.sketches.base import Move as Move
    from disttrack.privacy.mechanisms.sketches.base import Sketch as Sketch
    from disttrack.privacy.mechanisms.sketches.base import SketchRun as SketchRun
    from disttrack.privacy.mechanisms.static.base import StaticMechanism as StaticMechanism
    from disttrack.privacy.mechanisms.statistical.base import QueryMechanism as QueryMechanism
    from disttrack.privacy.mechanisms.statistical.base import QueryRun as QueryRun

    "Data that changes"
    from disttrack.privacy.mechanisms.dynamic.factorised_difference import FactorisedDifference as FactorisedDifference
    from disttrack.privacy.mechanisms.dynamic.fully_dynamic import FullyDynamic as FullyDynamic
    from disttrack.privacy.mechanisms.dynamic.growing import GrowingFinite as GrowingFinite
    from disttrack.privacy.mechanisms.dynamic.growing import GrowingInfinite as GrowingInfinite
    from disttrack.privacy.mechanisms.dynamic.growing import GrowingSparse as GrowingSparse
    from disttrack.privacy.mechanisms.dynamic.growing import GrowingSparseInfinite as GrowingSparseInfinite
    from disttrack.privacy.mechanisms.dynamic.growing import InsertedMinusDeleted as InsertedMinusDeleted
    from disttrack.privacy.mechanisms.static.base import GaussianQueries as GaussianQueries
    from disttrack.privacy.mechanisms.static.base import LaplaceQueries as LaplaceQueries
    from disttrack.privacy.mechanisms.static.multiplicative_weights import (
        MultiplicativeWeights as MultiplicativeWeights,
    )

    "Threshold monitors"
    from disttrack.privacy.mechanisms.exact_monitor import ExactMonitor as ExactMonitor
    from disttrack.privacy.mechanisms.monitors import ClockMonitor as ClockMonitor
    from disttrack.privacy.mechanisms.monitors import CounterMonitor as CounterMonitor
    from disttrack.privacy.mechanisms.monitors import ReleaseMonitor as ReleaseMonitor
    from disttrack.privacy.mechanisms.monitors import SparseVectorMonitor as SparseVectorMonitor

    "Threshold queries"
    from disttrack.privacy.mechanisms.threshold_queries import ReleaseQueries as ReleaseQueries
    from disttrack.privacy.mechanisms.threshold_queries import SortedQueries as SortedQueries
    from disttrack.privacy.mechanisms.threshold_queries import SparseVectorQueries as SparseVectorQueries

    "Online prediction"
    from disttrack.privacy.mechanisms.prediction.base import Guessing as Guessing
    from disttrack.privacy.mechanisms.prediction.base import Plain as Plain
    from disttrack.privacy.mechanisms.prediction.experts import ExpertsPrivate as ExpertsPrivate
    from disttrack.privacy.mechanisms.prediction.experts import Exponential as Exponential
    from disttrack.privacy.mechanisms.prediction.mirror import JdpMirror as JdpMirror
    from disttrack.privacy.mechanisms.prediction.predictor import PointPredictor as PointPredictor
    from disttrack.privacy.mechanisms.prediction.proper import PrivateProper as PrivateProper

    "Density of users"
    from disttrack.privacy.mechanisms.density import ContinualOutput as ContinualOutput
    from disttrack.privacy.mechanisms.density import PanPrivateDensity as PanPrivateDensity

    "Experts"
    from disttrack.privacy.mechanisms.perturbed_leader import PerturbedLeader as PerturbedLeader

    "Sketches under attack"
    from disttrack.privacy.mechanisms.sketches.difference import AmsDifference as AmsDifference
    from disttrack.privacy.mechanisms.sketches.difference import EstimatorCorrector as EstimatorCorrector
    from disttrack.privacy.mechanisms.sketches.items import CountMin as CountMin
    from disttrack.privacy.mechanisms.sketches.items import CountSketch as CountSketch
    from disttrack.privacy.mechanisms.sketches.items import HyperLogLog as HyperLogLog
    from disttrack.privacy.mechanisms.sketches.items import Kmv as Kmv
    from disttrack.privacy.mechanisms.sketches.library import LibraryCountMin as LibraryCountMin
    from disttrack.privacy.mechanisms.sketches.library import LibraryHll as LibraryHll
    from disttrack.privacy.mechanisms.sketches.library import LibraryTheta as LibraryTheta
    from disttrack.privacy.mechanisms.sketches.resettable import PrivateSample as PrivateSample
    from disttrack.privacy.mechanisms.sketches.resettable import ResetSample as ResetSample
    from disttrack.privacy.mechanisms.sketches.robust import ComputationPaths as ComputationPaths
    from disttrack.privacy.mechanisms.sketches.robust import PrivateMedian as PrivateMedian
    from disttrack.privacy.mechanisms.sketches.robust import Rounded as Rounded
    from disttrack.privacy.mechanisms.sketches.robust import Salted as Salted
    from disttrack.privacy.mechanisms.sketches.robust import Switched as Switched
    from disttrack.privacy.mechanisms.sketches.second_moment import Ams as Ams
    from disttrack.privacy.mechanisms.sketches.second_moment import AmsMedian as AmsMedian

    "Adaptive data analysis"
    from disttrack.privacy.mechanisms.statistical.corrected import LazyGradient as LazyGradient
    from disttrack.privacy.mechanisms.statistical.corrected import OnlineWeights as OnlineWeights
    from disttrack.privacy.mechanisms.statistical.corrected import ThresholdOut as ThresholdOut
    from disttrack.privacy.mechanisms.statistical.noisy import Empirical as Empirical
    from disttrack.privacy.mechanisms.statistical.noisy import GaussianAnswers as GaussianAnswers
    from disttrack.privacy.mechanisms.statistical.noisy import Holdout as Holdout
    from disttrack.privacy.mechanisms.statistical.noisy import LaplaceAnswers as LaplaceAnswers
    from disttrack.privacy.mechanisms.statistical.noisy import NoisyArgmax as NoisyArgmax
    from disttrack.privacy.mechanisms.statistical.noisy import Splitting as Splitting
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

MONITORS: Final[Kinds[Mechanism]] = Kinds.of(__name__, "Threshold monitors")
"""Every threshold monitor by its name."""

QUERY_SOLVERS: Final[Kinds[Mechanism]] = Kinds.of(__name__, "Threshold queries")
"""Every solver of threshold queries by its name."""

MECHANISMS: Final[Kinds[Mechanism]] = Kinds.of(
    __name__,
    GaussianQueries="gaussian",
    HyperLogLog="hyperloglog",
    LaplaceQueries="laplace",
    LibraryCountMin="datasketches-count-min",
    LibraryHll="datasketches-hll",
    LibraryTheta="datasketches-theta",
    MultiplicativeWeights="pmw",
    OnlineWeights="online-pmw",
)
"""Every mechanism of this package by its name."""
