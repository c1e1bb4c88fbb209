"""Games of privacy: counters, monitors, queries, data that changes, sketches, answers, learners; audits of privacy."""

from __future__ import annotations

from typing import Final

from disttrack.lazy import Kinds
from disttrack.simulator.game.tasks.base import Task

TASKS: Final = Kinds[Task]("Tracking", {
    "audit-tracker": "disttrack.privacy.tasks.audit.task:AuditTracker",
}) | Kinds[Task]("Private counters", {
    "continual-count": "disttrack.privacy.tasks.continual.count:ContinualCount",
}) | Kinds[Task]("Threshold monitors", {
    "threshold-monitor": "disttrack.privacy.tasks.continual.monitor:ThresholdMonitor",
}) | Kinds[Task]("Threshold queries", {
    "threshold-queries": "disttrack.privacy.tasks.continual.monitor:ThresholdQueries",
}) | Kinds[Task]("Density of users", {
    "density": "disttrack.privacy.tasks.continual.density:Density",
}) | Kinds[Task]("Experts", {
    "experts": "disttrack.privacy.tasks.continual.experts:Experts",
}) | Kinds[Task]("Data that changes", {
    "static-queries": "disttrack.privacy.tasks.dynamic.task:StaticQueries",
    "dynamic-queries": "disttrack.privacy.tasks.dynamic.task:DynamicQueries",
}) | Kinds[Task]("Sketches under attack", {
    "second-moment": "disttrack.privacy.tasks.sketching.task:SecondMomentTask",
    "distinct-count": "disttrack.privacy.tasks.sketching.task:DistinctCount",
    "frequency": "disttrack.privacy.tasks.sketching.task:FrequencyTask",
    "resettable-sum": "disttrack.privacy.tasks.sketching.task:ResettableSum",
}) | Kinds[Task]("Adaptive data analysis", {
    "statistical-queries": "disttrack.privacy.tasks.analysis.task:StatisticalQueries",
    "sample-size": "disttrack.privacy.tasks.analysis.worst_of_many:SampleSize",
    "worst-of-many": "disttrack.privacy.tasks.analysis.worst_of_many:WorstOfMany",
}) | Kinds[Task]("Online prediction", {
    "prediction": "disttrack.privacy.tasks.prediction.task:Prediction",
    "mirror": "disttrack.privacy.tasks.prediction.mirror:Mirror",
    "joint-privacy": "disttrack.privacy.tasks.prediction.mirror:JointPrivacy",
}) | Kinds[Task]("Audits of privacy", {
    "audit": "disttrack.privacy.tasks.audit.task:Audit",
})  # fmt: skip
"""The tasks of this package and their classes, loaded when they are used."""
