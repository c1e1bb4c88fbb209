"""What is handed to workers, games to be played, and what comes back."""

from __future__ import annotations

import os
import platform
import time
import traceback
from collections.abc import Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.streams import watched
from disttrack.simulator.points.code import digest_of
from disttrack.simulator.points.point import Point, canonical
from disttrack.simulator.tasks.base import Record, fault_of, lost


class Job(NamedTuple):
    """One game to be played."""

    key: str
    point: Point
    trial: int
    seed: int
    cost: float
    """Expected seconds, to share work out."""
    made_of: Mapping[str, str] | None = None
    """The code and data that its key stands for; None leaves the worker's own unchecked."""


class Played(NamedTuple):
    """A game that has ended: its job, its record, and the seconds that it took."""

    job: Job
    record: Record
    seconds: float


def attempt(job: Job) -> Played:
    """Play one game. What a class raises ends its own game only; Ctrl-C is the user's own.

    Raises
    ------
    ScenarioError
        The run cannot go on, as `play_job` says.
    """
    begun = time.perf_counter()
    try:
        record = play_job(job)
    except (ScenarioError, KeyboardInterrupt):
        raise
    except BaseException:
        record = lost(traceback.format_exc())
    return Played(job, record, time.perf_counter() - begun)


def play_job(job: Job) -> Record:
    """Play one game, and note whether every seed gives it.

    Raises
    ------
    ScenarioError
        The task returns no record, or one that is no table; or this process has other code or data than the game's key
        stands for.
    """
    _refuse_other_code(job)
    with watched() as watch:
        record: Record = job.point.task.make().play(job.point, job.seed)
    _refuse_other_code(job)  # a file that was replaced meanwhile
    if job.point.task.own and (said := fault_of(record)):
        raise ScenarioError(f"task {job.point.task.label}: {said}")
    if record.coins and record.error is None and job.point.draws_from_streams and not watch.drawn:
        return replace(record, coins=False)  # up to the first number that is drawn, all seeds give the same game
    return record


_CHECKED: Final[dict[Hashable, dict[str, str]]] = {}
"""Files that games are played with, by parts and by what these are made of: to find them takes milliseconds."""


def _same(files: Mapping[str, str] | None) -> bool:
    """Tell whether files are known, and still what they were."""
    try:
        return files is not None and all(digest_of(Path(path)) == digest for path, digest in files.items())
    except OSError:  # it is gone
        return False


def _refuse_other_code(job: Job) -> None:
    """Raise ScenarioError if this process plays with other code or data than the game's key stands for."""
    if job.made_of is None:
        return
    parts = (job.point.task, job.point.protocol, job.point.adversary)
    place = canonical([[part.kind, part.folder, part.arguments] for part in parts]), frozenset(job.made_of.items())
    if _same(_CHECKED.get(place)):
        return
    if (here := job.point.made_of()) == job.made_of:
        _CHECKED[place] = {path: digest for part in parts for path, digest in part.read().items()}
        return
    names = [name for name in {**job.made_of, **here} if here.get(name) != job.made_of.get(name)]
    raise ScenarioError(
        f"{job.point.describe()}: {', '.join(names)}: not the same at {platform.node()} (process {os.getpid()}) "
        "as when the run was planned; finished games are kept: start workers anew, and the run"
    )
