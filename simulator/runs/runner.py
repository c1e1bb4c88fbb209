"""Running a scenario: points times trials, on all cores, with nothing played twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.claims.judge import Finding
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.points.code import check_unchanged
from disttrack.simulator.results.files import sweep
from disttrack.simulator.results.folder import Results
from disttrack.simulator.results.write import PlacedRecord, write_tables
from disttrack.simulator.runs.batches import Batches
from disttrack.simulator.runs.estimate import cores, estimate
from disttrack.simulator.runs.jobs import Job, Played, attempt, plan
from disttrack.simulator.runs.journal import JOURNAL, Journal
from disttrack.simulator.runs.manifest import own_classes, write_manifest
from disttrack.simulator.runs.processes import WorkerProcesses
from disttrack.simulator.runs.progress import Progress, in_notebook, notebook_bar
from disttrack.simulator.scenario.load import Scenario, load
from disttrack.simulator.tasks.base import Record

EVERY: Final = 0.5
"""Seconds of games that are kept in one transaction: these are played again after a kill, at most."""
PRINTED: Final = "output.log"
"""The file in a folder of results that keeps what the user's classes print."""


@dataclass(frozen=True)
class Report:
    """The outcome of a run.

    Attributes
    ----------
    results, findings
        The results, and the outcomes of the claims.
    errors
        One line for each game that an error ended.
    played, alike, kept
        How many games were played, taken from another seed's, and kept from earlier runs.
    seconds
        How long it took.
    damaged
        Rows of the journal that could not be read: their games were played again.
    printed
        Where the output of the user's classes is, in a line; empty if they printed nothing.
    """

    results: Results
    findings: list[Finding]
    errors: list[str]
    played: int
    alike: int
    kept: int
    seconds: float
    damaged: int = 0
    printed: str = ""

    @property
    def ok(self) -> bool:
        """Tell whether all claims hold and no game ended in an error."""
        return not self.errors and all(finding.holds for finding in self.findings)


def run(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    *,
    out: str | Path | None = None,
    overrides: Sequence[str] = (),
    workers: int | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
    controls: bool = True,
    game_timeout: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Results:
    """Play a scenario and return its results.

    Games that an earlier, perhaps interrupted, run has left in the folder's journal are not played again.

    Parameters
    ----------
    scenario
        A scenario file, the bare name of a shipped one, a mapping with the keys of such a file, or a scenario that
        `load` has returned.
    out
        The folder for the results; ``results/NAME`` if left out.
    overrides
        ``key=value`` each, set over the file.
    workers
        Number of worker processes; as many as there are cores if left out. 1 plays in this process.
    scheduler
        Address of a Dask scheduler that plays the games in place of worker processes; ``local`` starts one.
    fresh
        Whether to begin anew, without the games of earlier runs.
    controls
        Whether to play the controls of the claims too.
    game_timeout
        Seconds after which a game is ended as an error; None for no limit.
    on_progress
        Called at the start, after each batch, and at the end. Left out, a notebook shows a bar.

    Raises
    ------
    ScenarioError
        The scenario is wrong; nothing has been played.
    RunError
        The run could not be finished; the finished games are kept.
    """
    loaded = load(scenario, overrides)
    estimate(loaded, workers or cores()).refuse_too_large()
    if on_progress is None and in_notebook():
        on_progress = notebook_bar(loaded.name)
    return execute(
        loaded,
        out=out,
        workers=workers,
        scheduler=scheduler,
        fresh=fresh,
        controls=controls,
        game_timeout=game_timeout,
        on_progress=on_progress,
    ).results


def execute(
    scenario: Scenario,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
    controls: bool = True,
    game_timeout: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Play a checked scenario that memory has room for; `run` describes the parameters."""
    _check(workers, scheduler, game_timeout)
    check_unchanged()
    begun, clock = time.time(), time.perf_counter()
    workers = workers or cores()
    folder = Path(out) if out is not None else Path("results") / scenario.name
    with _writable(folder):
        folder.mkdir(parents=True, exist_ok=True)
    place = folder.absolute()  # whatever folder a class of the user's goes to
    with Journal(place / JOURNAL, fresh=fresh) as journal:
        sweep(place)
        with _writable(folder / PRINTED):
            (place / PRINTED).unlink(missing_ok=True)
        planned = plan(scenario, [(point, scenario.head.trials) for point in scenario.points])
        broken = plan(scenario, scenario.broken if controls else [])
        progress = Progress()
        waiting = _waiting([*planned, *broken], journal, progress)
        batches, hands = Batches(waiting), min(workers, len(waiting))
        if scheduler is not None and waiting:
            games = _play_on_dask(scheduler, batches)
        elif hands > 1 or (hands and game_timeout is not None) or any(job.point.own for job in waiting):
            # a user's code always has a process of its own
            games = WorkerProcesses(hands, limit=game_timeout, output=place / PRINTED).play(batches)
        else:
            games = _play_here(batches)
        _play(games, batches, journal, progress, on_progress or (lambda _: None))
        findings, errors = write_tables(place, scenario, _records(journal, planned), _records(journal, broken))
        seconds = time.perf_counter() - clock
        write_manifest(
            place,
            scenario,
            first={job.point.number: journal.get(job.key) for job in planned if job.trial == 0},
            seeds=[job.seed for job in planned[: scenario.head.trials]],
            games={
                "all": len(planned),
                "controls": len(broken),
                "played": progress.played,
                "alike": progress.alike,
                "kept": progress.kept,
                "errors": len(errors),
            },
            workers=f"scheduler {scheduler}" if scheduler else f"{workers} on this machine",
            begun=begun,
            seconds=seconds,
        )
    counts = progress.played, progress.alike, progress.kept, seconds, journal.damaged
    return Report(Results(folder, own_classes(scenario)), findings, errors, *counts, _printed(folder))


def _check(workers: int | None, scheduler: str | None, game_timeout: float | None) -> None:
    if workers is not None and workers < 1:
        raise ScenarioError(f"workers must be at least 1; got {workers}")
    if game_timeout is not None and not 0 < game_timeout < inf:
        raise ScenarioError(f"game_timeout must be a number of seconds above 0; got {game_timeout:g}")
    if game_timeout is not None and scheduler is not None:
        raise ScenarioError("game_timeout: games on a Dask cluster cannot be ended; leave out the one or the other")


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be written: {error.strerror or error}") from error


def _waiting(planned: Sequence[Job], journal: Journal, progress: Progress) -> list[Job]:
    """Return the games that are not in the journal yet; count those that are.

    Missing games of a point that draws no coins are copied from one that an earlier run has played.
    """
    known = journal.known()
    waiting: dict[str, Job] = {}
    for job in planned:
        if job.key not in known:  # points that are equal share their games
            waiting.setdefault(job.key, job)
    keys = {job.key for job in planned}
    progress.games, progress.kept = len(keys), len(keys & known)
    missing = {job.point.number for job in waiting.values()}
    there = {job.point.number: job.key for job in planned if job.key in known and job.point.number in missing}
    records = {number: record for number, key in there.items() if _is_alike(record := journal.get(key))}
    alike = [job for job in waiting.values() if job.point.number in records]
    journal.put((job.key, records[job.point.number]) for job in alike)
    progress.alike = len(alike)
    return [job for job in waiting.values() if job.point.number not in records]


def _play_on_dask(scheduler: str, batches: Batches) -> Iterator[list[Played]]:
    """Play on a cluster; Dask need not be installed for anything else."""
    from disttrack.simulator.runs.dask_workers import play_on_dask

    return play_on_dask(scheduler, batches)


def _play_here(batches: Batches) -> Iterator[list[Played]]:
    """Play in this process: games in which no code of the user's has a part."""
    while batches:
        for job in batches.next():
            yield [attempt(job)]


def _play(
    games: Iterator[list[Played]],
    batches: Batches,
    journal: Journal,
    progress: Progress,
    on_progress: Callable[[Progress], None],
) -> None:
    """Keep games as they end, those of half a second in one transaction."""
    ended: list[tuple[Job, Record]] = []

    def keep() -> None:
        journal.put((job.key, record) for job, record in ended)
        ended.clear()
        progress.left = batches.left()
        on_progress(progress)

    on_progress(progress)
    kept_at = -EVERY
    try:
        with closing(games):  # type: ignore[type-var]
            for played in games:
                for job, record, seconds in played:
                    batches.learn(job, seconds)
                    alike = batches.withdraw(job.point.number) if _is_alike(record) else []
                    ended += [(one, record) for one in (job, *alike)]
                    progress.played += 1
                    progress.alike += len(alike)
                if ended and (not played or time.monotonic() - kept_at >= EVERY):
                    keep()
                    kept_at = time.monotonic()
    finally:
        if ended:
            keep()
        progress.finished = True
        on_progress(progress)


def _is_alike(record: Record) -> bool:
    """Tell whether every seed gives this game: chance had no part in it."""
    return not record.coins and record.error is None


def _records(journal: Journal, planned: Sequence[Job]) -> Iterator[PlacedRecord]:
    for job in planned:
        yield job.point.number, job.trial, job.seed, journal.get(job.key)


def _printed(folder: Path) -> str:
    """Return in a line where the output of the user's classes is; empty without output, of which no file is kept."""
    log = folder / PRINTED
    if log.is_file() and log.stat().st_size:
        return f"printed by classes: {log}"
    log.unlink(missing_ok=True)
    return ""
