"""Kinds of games, each with the columns that answer its question."""

from __future__ import annotations

from typing import Final

from simulator.tasks.base import Demand, Record, Task
from simulator.tasks.sizes import Size

__all__ = ["TASKS", "Demand", "Record", "Size", "Task"]

TASKS: Final = {
    "count": "simulator.tasks.tracking:Count",
    "generalisation": "simulator.tasks.generalisation:Generalisation",
    "audit": "simulator.tasks.audit.task:Audit",
    "audit-tracker": "simulator.tasks.audit.task:AuditTracker",
    "continual-count": "simulator.tasks.continual.count:ContinualCount",
    "threshold-monitor": "simulator.tasks.continual.monitor:ThresholdMonitor",
    "threshold-queries": "simulator.tasks.continual.queries:ThresholdQueries",
    "static-queries": "simulator.tasks.dynamic.task:StaticQueries",
    "dynamic-queries": "simulator.tasks.dynamic.task:DynamicQueries",
    "experts": "simulator.tasks.continual.experts:Experts",
    "statistical-queries": "simulator.tasks.analysis.tasks:StatisticalQueries",
    "sample-size": "simulator.tasks.analysis.sample_size:SampleSize",
    "worst-of-many": "simulator.tasks.analysis.worst_of_many:WorstOfMany",
    "second-moment": "simulator.tasks.sketching.tasks:SecondMomentTask",
    "distinct-count": "simulator.tasks.sketching.tasks:DistinctCount",
    "frequency": "simulator.tasks.sketching.tasks:FrequencyTask",
    "prediction": "simulator.tasks.prediction.task:Prediction",
    "mirror": "simulator.tasks.prediction.mirror:Mirror",
    "joint-privacy": "simulator.tasks.prediction.joint_privacy:JointPrivacy",
}
"""The built-in tasks and their classes, loaded when they are asked for; installed packages may add to them."""
