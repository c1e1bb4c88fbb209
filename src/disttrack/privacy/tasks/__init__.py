"""Games of privacy: counters, monitors, queries, data that changes, sketches, answers, learners; audits of privacy."""

# ruff: noqa: I001 (the order is that of `disttrack list`)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds
from disttrack.simulator.game.tasks.base import Task

if TYPE_CHECKING:
    "Tracking"
    from disttrack.privacy.tasks.audit.task import AuditTracker as AuditTracker

    "Private counters"
    from disttrack.privacy.tasks.continual.count import ContinualCount as ContinualCount

    "Threshold monitors"
    from disttrack.privacy.tasks.continual.monitor import ThresholdMonitor as ThresholdMonitor

    "Threshold queries"
    from disttrack.privacy.tasks.continual.monitor import ThresholdQueries as ThresholdQueries

    "Density of users"
    from disttrack.privacy.tasks.continual.density import Density as Density

    "Experts"
    from disttrack.privacy.tasks.continual.experts import Experts as Experts

    "Data that changes"
    from disttrack.privacy.tasks.dynamic.task import StaticQueries as StaticQueries
    from disttrack.privacy.tasks.dynamic.task import DynamicQueries as DynamicQueries

    "Sketches under attack"
    from disttrack.privacy.tasks.sketching.task import SecondMomentTask as SecondMomentTask
    from disttrack.privacy.tasks.sketching.task import DistinctCount as DistinctCount
    from disttrack.privacy.tasks.sketching.task import FrequencyTask as FrequencyTask
    from disttrack.privacy.tasks.sketching.task import ResettableSum as ResettableSum

    "Adaptive data analysis"
    from disttrack.privacy.tasks.analysis.task import StatisticalQueries as StatisticalQueries
    from disttrack.privacy.tasks.analysis.task import SampleSize as SampleSize
    from disttrack.privacy.tasks.analysis.task import WorstOfMany as WorstOfMany

    "Online prediction"
    from disttrack.privacy.tasks.prediction.task import Prediction as Prediction
    from disttrack.privacy.tasks.prediction.mirror import Mirror as Mirror
    from disttrack.privacy.tasks.prediction.mirror import JointPrivacy as JointPrivacy

    "Audits of privacy"
    from disttrack.privacy.tasks.audit.task import Audit as Audit

TASKS: Final[Kinds[Task]] = Kinds.of(__name__, SecondMomentTask="second-moment", FrequencyTask="frequency")
"""The tasks of this package and their classes, loaded when they are used."""
