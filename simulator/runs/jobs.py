"""The games of a run as jobs: planned, handed to workers, and played one at a time."""

from __future__ import annotations

import os
import platform
import time
import traceback
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.streams import watched
from disttrack.simulator.points.code import digest_of
from disttrack.simulator.points.point import Point, canonical
from disttrack.simulator.points.source import guarded
from disttrack.simulator.runs.estimate import seconds_of
from disttrack.simulator.runs.journal import game_key, game_seed, pack, unpack
from disttrack.simulator.scenario.load import Scenario
from disttrack.simulator.tasks.base import Record, fault_of, lost


class Job(NamedTuple):
    """One game to be played."""

    key: str
    point: Point
    trial: int
    seed: int
    cost: float
    """Expected seconds: costly games are played first."""
    made_of: Mapping[str, str] | None = None
    """The code and data that its key was made from; None leaves the worker's own unchecked."""


class Played(NamedTuple):
    """A game that has ended: its job, its record, and the seconds that it took."""

    job: Job
    record: Record
    seconds: float


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


def attempt(job: Job) -> Played:
    """Play one game. What a class raises ends its own game only; Ctrl-C in the project's own code is the user's.

    Raises
    ------
    ScenarioError
        The run cannot go on: see `play_job`.
    """
    begun = time.perf_counter()
    try:
        record = play_job(job)
    except ScenarioError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not job.point.own:
            raise
        record = lost(traceback.format_exc())
    return Played(job, record, time.perf_counter() - begun)


def play_job(job: Job) -> Record:
    """Play one game, and note whether every seed gives it.

    Raises
    ------
    ScenarioError
        A class made an impossible move; the task returns no record, or one that no table can hold; or this process has
        other code or data than the game's key was made from.
    """
    _refuse_other_code(job)
    with watched() as watch:
        record: Record = job.point.task.make().play(job.point, job.seed)
    _refuse_other_code(job)  # a file that was replaced meanwhile
    if job.point.task.own and (fault := fault_of(record)):
        raise ScenarioError(f"task {job.point.task.label}: {fault}")
    if job.point.own:
        record = unpack(pack(record))  # plain values: whoever receives it need not know the user's classes
    if record.coins and record.error is None and job.point.draws_from_streams and not watch.drawn:
        return replace(record, coins=False)  # up to the first number that is drawn, all seeds give the same game
    return record


_CHECKED: Final[dict[Hashable, dict[str, str]]] = {}
"""Files that games are played with, by parts and by what these are made of: to find them takes milliseconds."""


def _refuse_other_code(job: Job) -> None:
    """Raise ScenarioError if this process plays with other code or data than the game's key was made from."""
    if job.made_of is None:
        return
    parts = (job.point.task, job.point.protocol, job.point.adversary)
    place = canonical([[part.kind, part.folder, part.arguments] for part in parts]), frozenset(job.made_of.items())
    files = _CHECKED.get(place)
    if files is not None and all(Path(path).exists() and digest_of(Path(path)) == files[path] for path in files):
        return
    if (here := job.point.made_of()) == job.made_of:
        _CHECKED[place] = {path: digest for part in parts for path, digest in part.files().items()}
        return
    names = [name for name in {**job.made_of, **here} if here.get(name) != job.made_of.get(name)]
    raise ScenarioError(
        f"{job.point.describe()}: {', '.join(names)}: not the same at {platform.node()} (process {os.getpid()}) "
        "as when the run was planned; finished games are kept: start workers anew, and the run"
    )
