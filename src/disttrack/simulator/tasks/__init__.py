"""Kinds of games, each with the columns that answer its question."""

from __future__ import annotations

from typing import Final

from disttrack.lazy import Kinds
from disttrack.simulator.tasks.base import Demand, Record, Size, Task

__all__ = ["TASKS", "Demand", "Record", "Size", "Task"]

TASKS: Final = Kinds[Task]("Tracking", {
    "count": "disttrack.simulator.tasks.tracking:Count",
    "generalisation": "disttrack.simulator.tasks.generalisation:Generalisation",
    "audit-tracker": "disttrack.simulator.tasks.audit.task:AuditTracker",
}) | Kinds[Task]("Items with content", {
    "item-frequency": "disttrack.simulator.tasks.contents.task:ItemFrequency",
    "frequent-items": "disttrack.simulator.tasks.contents.task:HeavyHitterGame",
    "item-sampling": "disttrack.simulator.tasks.contents.task:SampleGame",
    "item-rank": "disttrack.simulator.tasks.contents.task:RankGame",
}) | Kinds[Task]("Alarms at a threshold", {
    "threshold": "disttrack.simulator.tasks.threshold:ThresholdAlarm",
}) | Kinds[Task]("Private counters", {
    "continual-count": "disttrack.simulator.tasks.continual.count:ContinualCount",
}) | Kinds[Task]("Threshold monitors", {
    "threshold-monitor": "disttrack.simulator.tasks.continual.monitor:ThresholdMonitor",
}) | Kinds[Task]("Threshold queries", {
    "threshold-queries": "disttrack.simulator.tasks.continual.queries:ThresholdQueries",
}) | Kinds[Task]("Density of users", {
    "density": "disttrack.simulator.tasks.continual.density:Density",
}) | Kinds[Task]("Experts", {
    "experts": "disttrack.simulator.tasks.continual.experts:Experts",
}) | Kinds[Task]("Data that changes", {
    "static-queries": "disttrack.simulator.tasks.dynamic.task:StaticQueries",
    "dynamic-queries": "disttrack.simulator.tasks.dynamic.task:DynamicQueries",
}) | Kinds[Task]("Sketches under attack", {
    "second-moment": "disttrack.simulator.tasks.sketching.task:SecondMomentTask",
    "distinct-count": "disttrack.simulator.tasks.sketching.task:DistinctCount",
    "frequency": "disttrack.simulator.tasks.sketching.task:FrequencyTask",
    "resettable-sum": "disttrack.simulator.tasks.sketching.task:ResettableSum",
}) | Kinds[Task]("Adaptive data analysis", {
    "statistical-queries": "disttrack.simulator.tasks.analysis.task:StatisticalQueries",
    "sample-size": "disttrack.simulator.tasks.analysis.sample_size:SampleSize",
    "worst-of-many": "disttrack.simulator.tasks.analysis.worst_of_many:WorstOfMany",
}) | Kinds[Task]("Online prediction", {
    "prediction": "disttrack.simulator.tasks.prediction.task:Prediction",
    "mirror": "disttrack.simulator.tasks.prediction.mirror:Mirror",
    "joint-privacy": "disttrack.simulator.tasks.prediction.joint_privacy:JointPrivacy",
}) | Kinds[Task]("Audits of privacy", {
    "audit": "disttrack.simulator.tasks.audit.task:Audit",
})  # fmt: skip
"""The built-in tasks and their classes, loaded when they are used, in the order of `disttrack list`; installed packages
add to them."""
