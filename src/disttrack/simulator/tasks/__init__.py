"""Kinds of games, each with the columns that answer its question."""

from __future__ import annotations

from typing import Final

from disttrack.lazy import Kinds
from disttrack.simulator.tasks.base import Demand, Record, Size, Task

__all__ = ["TASKS", "Demand", "Record", "Size", "Task"]

TASKS: Final = Kinds[Task](
    {
        "count": "disttrack.simulator.tasks.tracking:Count",
        "generalisation": "disttrack.simulator.tasks.generalisation:Generalisation",
        "audit-tracker": "disttrack.simulator.tasks.audit.task:AuditTracker",
        "item-frequency": "disttrack.simulator.tasks.contents.task:ItemFrequency",
        "frequent-items": "disttrack.simulator.tasks.contents.task:HeavyHitterGame",
        "item-sampling": "disttrack.simulator.tasks.contents.task:SampleGame",
        "item-rank": "disttrack.simulator.tasks.contents.task:RankGame",
        "threshold": "disttrack.simulator.tasks.threshold:ThresholdAlarm",
        "continual-count": "disttrack.simulator.tasks.continual.count:ContinualCount",
        "threshold-monitor": "disttrack.simulator.tasks.continual.monitor:ThresholdMonitor",
        "threshold-queries": "disttrack.simulator.tasks.continual.queries:ThresholdQueries",
        "density": "disttrack.simulator.tasks.continual.density:Density",
        "experts": "disttrack.simulator.tasks.continual.experts:Experts",
        "static-queries": "disttrack.simulator.tasks.dynamic.task:StaticQueries",
        "dynamic-queries": "disttrack.simulator.tasks.dynamic.task:DynamicQueries",
        "second-moment": "disttrack.simulator.tasks.sketching.task:SecondMomentTask",
        "distinct-count": "disttrack.simulator.tasks.sketching.task:DistinctCount",
        "frequency": "disttrack.simulator.tasks.sketching.task:FrequencyTask",
        "resettable-sum": "disttrack.simulator.tasks.sketching.task:ResettableSum",
        "statistical-queries": "disttrack.simulator.tasks.analysis.task:StatisticalQueries",
        "sample-size": "disttrack.simulator.tasks.analysis.sample_size:SampleSize",
        "worst-of-many": "disttrack.simulator.tasks.analysis.worst_of_many:WorstOfMany",
        "prediction": "disttrack.simulator.tasks.prediction.task:Prediction",
        "mirror": "disttrack.simulator.tasks.prediction.mirror:Mirror",
        "joint-privacy": "disttrack.simulator.tasks.prediction.joint_privacy:JointPrivacy",
        "audit": "disttrack.simulator.tasks.audit.task:Audit",
    }
)
"""The built-in tasks and their classes, loaded when they are used, in the order of `disttrack list`; installed packages
add to them."""
