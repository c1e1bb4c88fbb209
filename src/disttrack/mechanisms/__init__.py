"""Building blocks of differential privacy for protocols, without sites and servers."""

from __future__ import annotations

import inspect

from disttrack.mechanisms.above_threshold import AboveThreshold as AboveThreshold
from disttrack.mechanisms.accounting import Overdrawn as Overdrawn
from disttrack.mechanisms.accounting import PrivacyLedger as PrivacyLedger
from disttrack.mechanisms.base import Mechanism, kinds_of
from disttrack.mechanisms.clock_monitor import ClockMonitor as ClockMonitor
from disttrack.mechanisms.continual_output import ContinualOutput as ContinualOutput
from disttrack.mechanisms.counters import *  # noqa: F403
from disttrack.mechanisms.counters.linear import LinearCounter as LinearCounter
from disttrack.mechanisms.counters.linear import NoisePath as NoisePath
from disttrack.mechanisms.density import PanPrivateDensity as PanPrivateDensity
from disttrack.mechanisms.dynamic import *  # noqa: F403
from disttrack.mechanisms.exact_monitor import ExactMonitor as ExactMonitor
from disttrack.mechanisms.hard_instance import HardInstance as HardInstance
from disttrack.mechanisms.hard_instance import hard_instance as hard_instance
from disttrack.mechanisms.laplace_sums import laplace_sum_quantile as laplace_sum_quantile
from disttrack.mechanisms.monitors import *  # noqa: F403
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
from disttrack.mechanisms.static import *  # noqa: F403
from disttrack.mechanisms.threshold_queries import *  # noqa: F403

MONITORS: dict[str, type[Mechanism]] = {
    each.kind: each
    for each in (SparseVectorMonitor, ReleaseMonitor, CounterMonitor, ClockMonitor, ExactMonitor)  # noqa: F405
}
"""Every threshold monitor by its name."""

MECHANISMS: dict[str, type[Mechanism]] = kinds_of(vars(), Mechanism)
"""Every mechanism by its name: a dataclass of parameters with attributes `kind`, `source` and `error`."""

# kinds of games of their own, with tables of their own
from disttrack.mechanisms.sketches import *  # noqa: E402, F403
from disttrack.mechanisms.statistical import *  # noqa: E402, F403

__all__ = [
    name
    for name, thing in vars().items()
    if not (name.startswith("_") or inspect.ismodule(thing) or name in ("Mechanism", "annotations", "kinds_of"))
    and not isinstance(thing, dict)  # tables of kinds, for the registry
]
