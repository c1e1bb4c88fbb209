"""What a run has to play: the games of every point, or those of the broken points of its controls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from disttrack.simulator.points.point import Point, canonical
from disttrack.simulator.points.source import guarded
from disttrack.simulator.runs.estimate import seconds_of
from disttrack.simulator.runs.jobs import Job
from disttrack.simulator.runs.journal import Journal, game_key, game_seed
from disttrack.simulator.scenario.load import Scenario
from disttrack.simulator.tasks.base import Record


@guarded()
def plan(scenario: Scenario, points: Sequence[tuple[Point, int]]) -> list[Job]:
    """Return the games of some points of a scenario, each with its number of trials, in the order of (point, trial)."""
    seeds = [game_seed(scenario.head.seed, trial) for trial in range(max((trials for _, trials in points), default=0))]

    def games(point: Point, trials: int) -> Iterator[Job]:
        made_of, cost = point.made_of(), seconds_of(scenario.task.demand(point))
        identity = canonical([point.identity(), made_of])
        for trial, seed in enumerate(seeds[:trials]):
            yield Job(game_key(identity, seed), point, trial, seed, cost, made_of)

    return [job for one in points for job in games(*one)]


def in_order(
    journal: Journal, planned: Sequence[Job], engines: dict[int, Mapping[str, str]]
) -> Iterator[tuple[int, int, int, Record]]:
    """Return the games in the order of (point, trial); note which engine played each point."""
    for job in planned:
        record = journal.get(job.key)
        engine: Any = record.row.get("engine", "")
        engines.setdefault(job.point.number, {"engine": engine, "engine_reason": record.engine_reason})
        yield job.point.number, job.trial, job.seed, record
