"""What a run has to play: the games of every point, and those of the broken points of its controls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.points.point import Point, canonical
from simulator.points.source import guarded
from simulator.runs.estimate import seconds_of
from simulator.runs.journal import Journal, game_key, game_seed
from simulator.scenario.load import Scenario
from simulator.tasks.base import Record


@dataclass(frozen=True)
class PointGames:
    """The games of one point.

    Attributes
    ----------
    point
        The point.
    made_of
        The code and data that they are played with, as `Point.made_of` gives them.
    seeds, keys
        Of each trial, its seed and what the journal recognises it by.
    cost
        Expected seconds of a game.
    """

    point: Point
    made_of: Mapping[str, str]
    seeds: Sequence[int]
    keys: Sequence[str]
    cost: float


@dataclass(frozen=True)
class Plan:
    """All games of a run.

    Attributes
    ----------
    games
        By point of the scenario.
    controls
        By broken point.
    """

    games: Sequence[PointGames]
    controls: Sequence[PointGames]

    @property
    def all(self) -> Sequence[PointGames]:
        """Return both, the scenario's first."""
        return [*self.games, *self.controls]


@guarded()
def plan(scenario: Scenario, *, controls: bool = True) -> Plan:
    """Return what a scenario asks for.

    Parameters
    ----------
    controls
        Whether it is to have the controls of its claims.
    """
    trials = scenario.head.trials
    broken = scenario.broken if controls else []
    seeds = [game_seed(scenario.head.seed, trial) for trial in range(max([trials, *(number for _, number in broken)]))]

    def games(point: Point, number: int) -> PointGames:
        made_of = point.made_of()
        identity = canonical([point.identity(), made_of])
        keys = [game_key(identity, seed) for seed in seeds[:number]]
        return PointGames(point, made_of, seeds[:number], keys, seconds_of(scenario.task.demand(point)))

    return Plan([games(point, trials) for point in scenario.points], [games(*one) for one in broken])


def in_order(
    journal: Journal, planned: Sequence[PointGames], engines: dict[int, Mapping[str, str]]
) -> Iterator[tuple[int, int, int, Record]]:
    """Return the games in the order of (point, trial); note which engine played each point."""
    for games in planned:
        number = games.point.number
        for trial, (key, seed) in enumerate(zip(games.keys, games.seeds, strict=True)):
            record = journal.get(key)
            engine: Any = record.row.get("engine", "")
            engines.setdefault(number, {"engine": engine, "engine_reason": record.engine_reason})
            yield number, trial, seed, record
