"""Mechanisms that are games of their own: private data, monitors, queries, sketches, learners, answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names
from disttrack.privacy.mechanisms.dynamic import DYNAMIC as DYNAMIC
from disttrack.privacy.mechanisms.prediction import LEARNERS as LEARNERS
from disttrack.privacy.mechanisms.sketches import SKETCHES as SKETCHES
from disttrack.privacy.mechanisms.static import STATIC as STATIC
from disttrack.privacy.mechanisms.statistical import CURATORS as CURATORS

if TYPE_CHECKING:
    from disttrack.mechanisms.base import Mechanism as Mechanism
    from disttrack.privacy.mechanisms.accounting import Overdrawn as Overdrawn
    from disttrack.privacy.mechanisms.accounting import PrivacyLedger as PrivacyLedger
    from disttrack.privacy.mechanisms.halting import HardInstance as HardInstance
    from disttrack.privacy.mechanisms.halting import hard_instance as hard_instance

    "Data that changes"
    from disttrack.privacy.mechanisms.dynamic import *  # noqa: F403
    from disttrack.privacy.mechanisms.static import *  # noqa: F403

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
    from disttrack.privacy.mechanisms.prediction import *  # noqa: F403
    from disttrack.privacy.mechanisms.prediction.mirror import JdpMirror as JdpMirror

    "Density of users"
    from disttrack.privacy.mechanisms.density import ContinualOutput as ContinualOutput
    from disttrack.privacy.mechanisms.density import PanPrivateDensity as PanPrivateDensity

    "Experts"
    from disttrack.privacy.mechanisms.perturbed_leader import PerturbedLeader as PerturbedLeader

    "Sketches under attack"
    from disttrack.privacy.mechanisms.sketches import *  # noqa: F403

    "Adaptive data analysis"
    from disttrack.privacy.mechanisms.statistical import *  # noqa: F403
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

MONITORS: Final[Kinds[Mechanism]] = Kinds.of(__name__, "Threshold monitors")
"""Every threshold monitor by its name."""

QUERY_SOLVERS: Final[Kinds[Mechanism]] = Kinds.of(__name__, "Threshold queries")
"""Every solver of threshold queries by its name."""

_OTHERS: Final[Kinds[Mechanism]] = Kinds.of(__name__, "Online prediction", "Density of users", "Experts")

MECHANISMS: Final = DYNAMIC | STATIC | MONITORS | QUERY_SOLVERS | _OTHERS | SKETCHES | CURATORS
"""Every mechanism of this package by its name."""
