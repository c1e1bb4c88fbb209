"""Kinds of games, each with the columns that answer its question."""

from __future__ import annotations

from typing import Final

from disttrack.lazy import Kinds
from disttrack.simulator.game.tasks.base import Demand, Record, Size, Task

__all__ = ["TASKS", "Demand", "Record", "Size", "Task"]

TASKS: Final = Kinds[Task]("Tracking", {
    "count": "disttrack.simulator.game.tasks.tracking:Count",
    "generalisation": "disttrack.simulator.game.tasks.generalisation:Generalisation",
}) | Kinds[Task]("Items with content", {
    "item-frequency": "disttrack.simulator.game.tasks.contents.task:ItemFrequency",
    "frequent-items": "disttrack.simulator.game.tasks.contents.task:HeavyHitterGame",
    "item-sampling": "disttrack.simulator.game.tasks.contents.task:SampleGame",
    "item-rank": "disttrack.simulator.game.tasks.contents.task:RankGame",
}) | Kinds[Task]("Alarms at a threshold", {
    "threshold": "disttrack.simulator.game.tasks.threshold:ThresholdAlarm",
})  # fmt: skip
"""The built-in tasks and their classes, loaded when they are used, in the order of `disttrack list`; installed packages
add to them."""
