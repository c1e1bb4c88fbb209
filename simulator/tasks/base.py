"""Tasks: what game a scenario plays. `count` is the tracking game; others register here.

A task knows how to make the two sides of a point, how to play one game, and what a game costs in
memory and messages. The scenario, the runner, the journal and the tables know nothing else of it.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from simulator.errors import ScenarioError
from simulator.points.registry import Family, accepted, nearest

if TYPE_CHECKING:
    from simulator.points.point import Point

TASKS: Final[dict[str, str]] = {
    "count": "simulator.tasks.tracking:Count",
    "generalisation": "simulator.tasks.generalisation:Generalisation",
    "audit": "simulator.tasks.audit.task:Audit",
    "audit-tracker": "simulator.tasks.audit.task:AuditTracker",
    "continual-count": "simulator.tasks.continual.count:ContinualCount",
    "threshold-monitor": "simulator.tasks.continual.monitor:ThresholdMonitor",
    "threshold-queries": "simulator.tasks.continual.queries:ThresholdQueries",
    "experts": "simulator.tasks.continual.experts:Experts",
}
"""Where the class of each task lives; loaded when it is asked for."""


@dataclass(frozen=True)
class Record:
    """What one game leaves behind, in plain values: it crosses processes and is kept in the journal.

    Attributes
    ----------
    row
        Columns of ``trials.csv`` that the game knows.
    series
        Columns of ``series.csv`` and their values, a value a checkpoint.
    kinds
        Columns of ``kinds.csv`` and their values, a value a kind of message and direction.
    engine_reason
        Why this engine was taken.
    error
        The traceback of a user's class that raised, None if none did.
    coins
        Whether chance may have had a part; if it had none, every seed gives the same game.
    """

    row: dict[str, Any]
    series: dict[str, list[Any]] = field(default_factory=dict)
    kinds: dict[str, list[Any]] = field(default_factory=dict)
    engine_reason: str = ""
    error: str | None = None
    coins: bool = True


class Task(ABC):
    """One game: how its points are checked, what they cost, and how one is played."""

    name: ClassVar[str] = ""
    """The value of `task:` in scenario files."""
    rules: ClassVar[int] = 1
    """Version of the rules. A change that moves results adds one: finished games are then played again."""
    columns: ClassVar[Sequence[str]] = ()
    """Columns of trials.csv beyond those that all tasks have."""
    families: ClassVar[Mapping[str, Family]] = {"protocol": "protocol", "adversary": "adversary"}
    """Which registered kinds may stand under `protocol:` and `adversary:`."""

    @abstractmethod
    def check(self, point: Point) -> None:
        """Make both sides of a point and whatever else it needs; play nothing.

        Raises
        ------
        PointError
            Something in the point is wrong; it says where.
        """

    @abstractmethod
    def play(self, point: Point, seed: int) -> Record:
        """Play one game."""

    def memory(self, point: Point) -> float:
        """Return about how many bytes a game needs."""
        return 0.0

    def pace(self, point: Point) -> str:
        """Return which of the paces of `simulator.runs.estimate` a game goes at: bulk, leap, step or reacting."""
        return "leap"

    def messages(self, point: Point) -> float:
        """Return about how many messages a game is expected to take."""
        return 1.0


def task(name: str) -> Task:
    """Return a task by its name.

    Raises
    ------
    ScenarioError
        There is no such task; the message suggests the nearest one.
    """
    if name not in TASKS:
        raise ScenarioError(f"unknown task {name!r}{nearest(name, TASKS)} ({accepted(TASKS)})")
    module, _, attribute = TASKS[name].partition(":")
    made: Task = getattr(importlib.import_module(module), attribute)()
    return made
