"""Kinds of games, each with the columns that answer its question."""

from __future__ import annotations

from typing import Final

from disttrack.lazy import Kinds
from disttrack.simulator.tasks.base import Demand, Record, Size, Task

__all__ = ["TASKS", "Demand", "Record", "Size", "Task"]

TASKS: Final = Kinds[Task]("Tracking", {
    "count": "disttrack.simulator.tasks.tracking:Count",
    "generalisation": "disttrack.simulator.tasks.generalisation:Generalisation",
}) | Kinds[Task]("Items with content", {
    "item-frequency": "disttrack.simulator.tasks.contents.task:ItemFrequency",
    "frequent-items": "disttrack.simulator.tasks.contents.task:HeavyHitterGame",
    "item-sampling": "disttrack.simulator.tasks.contents.task:SampleGame",
    "item-rank": "disttrack.simulator.tasks.contents.task:RankGame",
}) | Kinds[Task]("Alarms at a threshold", {
    "threshold": "disttrack.simulator.tasks.threshold:ThresholdAlarm",
})  # fmt: skip
"""The built-in tasks and their classes, loaded when they are used, in the order of `disttrack list`; installed packages
add to them."""
