"""Running a scenario: points times trials, on as many cores as there are, with nothing played twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.claims.judge import Finding
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.points.code import check_unchanged
from disttrack.simulator.results.files import refusal, sweep
from disttrack.simulator.results.folder import Results
from disttrack.simulator.results.write import write_tables
from disttrack.simulator.runs.batches import Batches
from disttrack.simulator.runs.estimate import estimate
from disttrack.simulator.runs.jobs import Job
from disttrack.simulator.runs.journal import JOURNAL, Journal
from disttrack.simulator.runs.manifest import own_classes, write_manifest
from disttrack.simulator.runs.output import NAME, Output
from disttrack.simulator.runs.plan import in_order, plan
from disttrack.simulator.runs.processes import WorkerProcesses, check_limit
from disttrack.simulator.runs.progress import Progress, in_notebook, notebook_bar
from disttrack.simulator.runs.workers import ThisProcess, Workers, cores
from disttrack.simulator.scenario.load import Scenario, load
from disttrack.simulator.tasks.base import Record

EVERY: Final = 0.5
"""Seconds of games that are kept in one transaction: so much is played again after a kill, at most."""


@dataclass(frozen=True)
class Report:
    """What a run says of itself beside its tables."""

    results: Results
    findings: list[Finding]
    errors: list[str]
    played: int
    alike: int
    kept: int
    seconds: float
    damaged: int = 0
    """Rows of the journal that could not be read: their games were played again."""
    printed: str = ""
    """Where what the user's classes printed is kept, in a line; empty if they printed nothing."""

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
        A scenario file, the bare name of a shipped one, what such a file says as a mapping, or a scenario that
        `load` has returned.
    out
        The folder for the results; ``results/NAME`` if left out.
    overrides
        ``key=value`` each, set over what the file says.
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
    if workers is not None and workers < 1:
        raise ScenarioError(f"workers must be at least 1; got {workers}")
    check_limit(game_timeout, scheduler)
    check_unchanged()
    begun, clock = time.time(), time.perf_counter()
    hands = workers or cores()
    folder = _folder(scenario, out)
    place = folder.absolute()  # whatever folder a class of the user's goes to
    with Journal(place / JOURNAL, fresh=fresh) as journal:
        for inner in (place, place / "figures", place / "figures" / "paper"):
            sweep(inner)
        before, progress = journal.known(), Progress(0, 0, 0.0)
        output = Output(place / NAME)
        planned = plan(scenario, [(point, scenario.head.trials) for point in scenario.points])
        broken = plan(scenario, scenario.broken if controls else [])
        waiting = _waiting([*planned, *broken], journal, before, progress)
        pool = _pool_of(scheduler, min(hands, len(waiting)), waiting, game_timeout, output)
        _play(waiting, pool, journal, progress, on_progress)
        engines: dict[int, Mapping[str, str]] = {}
        findings, errors = write_tables(
            place, scenario, in_order(journal, planned, engines), in_order(journal, broken, {})
        )
        games = {
            "all": len(planned),
            "controls": len(broken),
            "played": progress.played,
            "alike": progress.alike,
            "kept": progress.kept,
            "errors": len(errors),
        }
        seconds = time.perf_counter() - clock
        write_manifest(
            place,
            scenario,
            seeds=[job.seed for job in planned[: scenario.head.trials]],
            engines=engines,
            games=games,
            workers=f"scheduler {scheduler}" if scheduler else f"{hands} on this machine",
            begun=begun,
            seconds=seconds,
        )
    counts = progress.played, progress.alike, progress.kept, seconds, journal.damaged
    return Report(Results(folder, own_classes(scenario)), findings, errors, *counts, output.says(folder))


def _waiting(planned: Sequence[Job], journal: Journal, before: Set[str], progress: Progress) -> list[Job]:
    """Return the games that are not in the journal yet, and note how much is to be played, and was there `before`."""
    known = journal.known()
    waiting: dict[str, Job] = {}
    for job in planned:
        if job.key not in known:  # points that are equal share their games
            waiting.setdefault(job.key, job)
    keys = {job.key for job in planned}
    progress.games, progress.kept = len(keys), len(keys & before)
    progress.cost += sum(job.cost for job in waiting.values())
    grown = {job.point.number for job in waiting.values()}  # by trials, if some of their games are there
    there = {job.point.number: job.key for job in planned if job.key in known and job.point.number in grown}
    records = {number: record for number, key in there.items() if _alike(record := journal.get(key))}
    alike = [job for job in waiting.values() if job.point.number in records]
    journal.put((job.key, records[job.point.number]) for job in alike)
    progress.alike += len(alike)
    progress.done += sum(waiting.pop(job.key).cost for job in alike)
    return list(waiting.values())


def _folder(scenario: Scenario, out: str | Path | None) -> Path:
    folder = Path(out) if out is not None else Path("results") / scenario.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(folder, error, "cannot be made") from error
    return folder


def _pool_of(scheduler: str | None, hands: int, games: Sequence[Job], limit: float | None, output: Output) -> Workers:
    """Return who plays: a user's code always has a process of its own."""
    if scheduler is not None and hands > 0:
        from disttrack.simulator.runs.dask_workers import DaskWorkers

        return DaskWorkers(scheduler)
    if hands < 1 or (hands == 1 and limit is None and not any(job.point.own for job in games)):
        return ThisProcess()
    return WorkerProcesses(hands, limit=limit, output=output)


def _play(
    games: list[Job],
    pool: Workers,
    journal: Journal,
    progress: Progress,
    on_progress: Callable[[Progress], None] | None,
) -> None:
    """Play games and keep them as they end, those of half a second in one transaction."""
    tell = on_progress or (lambda _: None)
    progress.finished = False

    def notice(said: str) -> None:
        progress.notice = said
        tell(progress)

    pool.notice = notice
    tell(progress)
    batches = Batches(games, pool.slots)
    ended: list[tuple[Job, Record]] = []

    def keep() -> None:
        journal.put((job.key, record) for job, record in ended)
        progress.done += sum(job.cost for job, _ in ended)
        ended.clear()
        progress.left = batches.left()
        tell(progress)

    kept_at = -EVERY
    try:
        for played in pool.play(batches):
            for job, record, seconds in played:
                batches.learn(job, seconds)
                alike = batches.withdraw(job.point.number) if _alike(record) else []
                ended += [(one, record) for one in (job, *alike)]
                progress.played += 1
                progress.alike += len(alike)
            if ended and (not played or time.monotonic() - kept_at >= EVERY):
                keep()
                kept_at = time.monotonic()
    finally:
        try:
            if ended:
                keep()
        finally:
            pool.close()
            progress.finished = True
            tell(progress)


def _alike(record: Record) -> bool:
    """Tell whether every seed gives this game: chance had no part in it."""
    return not record.coins and record.error is None
