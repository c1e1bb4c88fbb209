"""Kinds of games, each with the columns that answer its question."""

# ruff: noqa: I001 (the order is that of `disttrack list`)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.simulator.game.tasks.base import Demand as Demand
    from disttrack.simulator.game.tasks.base import Record as Record
    from disttrack.simulator.game.tasks.base import Size as Size
    from disttrack.simulator.game.tasks.base import Task as Task

    "Tracking"
    from disttrack.simulator.game.tasks.tracking import Count as Count
    from disttrack.simulator.game.tasks.generalisation import Generalisation as Generalisation

    "Items with content"
    from disttrack.simulator.game.tasks.contents.task import ItemFrequency as ItemFrequency
    from disttrack.simulator.game.tasks.contents.task import HeavyHitterGame as HeavyHitterGame
    from disttrack.simulator.game.tasks.contents.task import SampleGame as SampleGame
    from disttrack.simulator.game.tasks.contents.task import RankGame as RankGame

    "Alarms at a threshold"
    from disttrack.simulator.game.tasks.threshold import ThresholdAlarm as ThresholdAlarm
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

TASKS: Final[Kinds[Task]] = Kinds.of(
    __name__,
    HeavyHitterGame="frequent-items",
    SampleGame="item-sampling",
    RankGame="item-rank",
    ThresholdAlarm="threshold",
)
"""The built-in tasks and their classes, loaded when they are used; installed packages add to them."""
