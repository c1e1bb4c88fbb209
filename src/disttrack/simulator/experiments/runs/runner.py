"""Running a scenario: points times trials, on all cores, with nothing played twice."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf, nan
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

from disttrack.mechanisms.checks import number, whole
from disttrack.simulator.errors import ScenarioError, explained
from disttrack.simulator.experiments.claims.findings import Finding
from disttrack.simulator.experiments.results.files import remove, sweep
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.stored import CONTROLS, ERRORS, MANIFEST, read_manifest
from disttrack.simulator.experiments.results.write import PlacedRecord, read_findings, write_tables
from disttrack.simulator.experiments.runs.estimate import cores, estimate
from disttrack.simulator.experiments.runs.jobs import Batches, InPlay, Job, Played, plan
from disttrack.simulator.experiments.runs.journal import JOURNAL, Journal
from disttrack.simulator.experiments.runs.manifest import (
    are_tables_of,
    differences,
    games_digest,
    origin_of,
    write_manifest,
)
from disttrack.simulator.experiments.runs.own_folder import (
    PREVIOUS,
    PRINTED,
    alone,
    claim,
    journals_beside,
    keep_previous,
    place_of,
)
from disttrack.simulator.experiments.runs.progress import OnProgress, Progress, in_notebook, notebook_bar
from disttrack.simulator.experiments.scenario.load import Scenario, load
from disttrack.simulator.game.network.unmet import FAULTS, UNMET, in_how_many
from disttrack.simulator.game.present import share_in_play
from disttrack.simulator.game.tasks.base import Record
from disttrack.simulator.kinds.code import check_unchanged
from disttrack.simulator.kinds.source import refuse_in_import, refuse_without_processes

EVERY: Final = 0.5
"""Seconds of games per transaction: at most these are played again after a kill."""


class Report(Results):
    """The results of a run that has just ended, and how it went.

    Attributes
    ----------
    findings
        The outcomes of the claims.
    errors
        One line for each game that an error ended.
    played, alike, kept
        Number of games played, of games without coins taken from another seed, and of games of earlier runs.
    seconds
        How long it took.
    damaged
        Rows of the journal that could not be read: their games were played again.
    differs
        Names of the code or libraries that have changed since the games of the folder were played; none of these games
        was kept then.
    unmet
        One line for each listed or timed fault of a network that some games never came to.
    previous
        The folder that keeps the tables which these replace; None if they replace none of other games.
    """

    def __init__(
        self,
        folder: Path,
        own: Mapping[str, object],
        findings: list[Finding],
        errors: list[str],
        progress: Progress,
        unmet: list[str],
        previous: Path | None,
    ) -> None:
        super().__init__(folder, own)
        self.unmet, self.previous = unmet, previous
        self.findings, self.errors = findings, errors
        self.played, self.alike, self.kept = progress.played, progress.alike, progress.kept
        self.seconds, self.damaged, self.differs = progress.seconds, progress.damaged, progress.differs

    @property
    def ok(self) -> bool:
        """Return whether all claims hold and no game ended in an error, without reading a table."""
        return not (self.errors or any(one.fails for one in self.findings))


@explained(others="set keys by overrides=['trials=2']")
def run(
    scenario: str | Path | Mapping[str, object] | Scenario,
    *,
    out: str | Path | None = None,
    overrides: Sequence[str] = (),
    workers: int | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
    controls: bool = True,
    game_timeout: float | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """Play a scenario and return its results.

    Games that an earlier, perhaps interrupted, run has left in the folder's journal, or in those of other `overrides`
    beside it, are not played again. Tables of other games, such as those before an edit, are kept in the folder
    ``previous`` within; an edit of question, claims or plots keeps the games, and leaves that folder as it is. Games
    that end with an error are in the report's `errors`; if all do, and nobody follows the progress, Python warns.

    Parameters
    ----------
    scenario
        A scenario file, the bare name of a shipped one, a mapping with the keys of such a file, or a scenario that
        `load` has returned.
    out
        The folder for the results; ``results/NAME`` if left out, with the overrides: ``results/NAME,trials=2``.
    overrides
        ``key=value`` each, set over the file.
    workers
        Number of worker processes; as many as there are cores if left out. 1 plays in this process.
    scheduler
        Address of a Dask scheduler that plays the games in place of worker processes; ``local`` starts one.
    fresh
        Whether to start again, without the games of earlier runs.
    controls
        Whether to play the controls of the claims too.
    game_timeout
        Seconds after which a game is ended as an error; None for no limit.
    on_progress
        Called at the start, after each batch, and at the end; while this process plays a long game, also once a second
        by another thread. Left out, a notebook shows a bar.

    Raises
    ------
    ScenarioError
        The scenario is wrong; nothing has been played.
    RunError
        The run could not be finished; the finished games are kept.
    """
    refuse_in_import("run")
    here = Path.cwd()
    loaded = load(scenario, overrides)
    players = _Players(cores() if workers is None else workers, scheduler, game_timeout)
    check_unchanged()
    estimate(loaded, players.workers).refuse_too_large()
    watched = on_progress is not None
    on_progress = on_progress or (notebook_bar(loaded.name) if in_notebook() else lambda _: None)
    folder = place_of(loaded, out)
    if Path.cwd() != here:  # code of the user's has left it
        folder = here / folder
    report = _run(loaded, folder, players, fresh, controls, on_progress)
    _warn_if_lost(report, loaded.games, watched)
    return report


def _warn_if_lost(report: Report, games: int, watched: bool) -> None:
    """Warn the caller of `run` if an error ended every game and nobody follows the progress."""
    if not watched and len(report.errors) == games:
        first = f"all games ({games:,}) ended with an error, the first: {report.errors[0]}"
        warnings.warn(f"{first}; all of them: .errors", RuntimeWarning, stacklevel=4)


@dataclass(frozen=True)
class _Players:
    """The processes that play the games of a run: workers of this machine or of a cluster, or this process."""

    workers: int
    scheduler: str | None
    limit: float | None

    def __post_init__(self) -> None:
        try:
            whole("workers", self.workers)
            if self.limit is not None:
                number("game_timeout", self.limit, "of seconds above 0", lambda seconds: 0 < seconds < inf)
        except ValueError as error:
            raise ScenarioError(str(error)) from None
        if self.limit is not None and self.scheduler is not None:
            raise ScenarioError("game_timeout: not with a scheduler")

    def __str__(self) -> str:
        return f"scheduler {self.scheduler}" if self.scheduler else f"{self.workers} on this machine"

    def play(self, batches: Batches, output: Path) -> Iterator[list[Played]]:
        """Return the iterator that plays the games; the output of the user's classes goes to a file."""
        if self.play_here(batches):
            return _play_here(batches)
        if self.scheduler in (None, "local"):
            refuse_without_processes()
        if self.scheduler is not None:
            from disttrack.simulator.experiments.runs.dask_workers import (
                play_on_dask,  # Dask is needed for nothing else
            )

            return play_on_dask(self.scheduler, batches)
        from disttrack.simulator.experiments.runs.processes import WorkerProcesses  # a run without games needs none

        hands = min(self.workers, len(batches))
        return WorkerProcesses(hands, limit=self.limit or inf, output=output).play(batches)

    def play_here(self, batches: Batches) -> bool:
        """Return whether this process plays the games: with one worker, no limit and no code of the user's."""
        if self.scheduler is not None or not batches:
            return not batches
        from disttrack.simulator.game.play import is_hosted

        alone = min(self.workers, len(batches)) == 1 and self.limit is None and not batches.own
        return alone or is_hosted()  # elsewhere nobody would know of the host


def _play_here(batches: Batches) -> Iterator[list[Played]]:
    """Play in this process: games that execute no code of the user's."""
    if not batches:
        return
    from disttrack.simulator.experiments.runs.worker import attempt
    from disttrack.simulator.game.engines.compiled import expect

    in_play: list[tuple[Job, float]] = []
    batches.in_play = lambda: [InPlay(*game, share_in_play()) for game in in_play]
    while batches:
        for job in batches.next():
            in_play[:] = [(job, time.monotonic())]
            expect(len(batches))
            played = attempt(job)
            in_play.clear()
            yield [played]


def _run(
    scenario: Scenario, folder: Path, players: _Players, fresh: bool, controls: bool, on_progress: OnProgress
) -> Report:
    """Play a checked scenario that memory has room for, and write its tables."""
    begun, date = time.perf_counter(), datetime.now(UTC)
    place = folder.absolute()  # whatever folder a class of the user's goes to
    points = [*scenario.played, *(scenario.broken if controls else [])]
    claim(folder)
    with alone(folder), Journal(place / JOURNAL, fresh=fresh) as journal:
        before = claim(folder)
        remove(place, before & {PRINTED})
        printed = (place / PRINTED).is_file()  # by a run that was interrupted, or a file of the user's
        sweep(place)
        claim(folder / PREVIOUS)
        jobs = plan([(point, trials, scenario.plan_of(point).seed) for point, trials in points], scenario.task)
        planned, broken = jobs[: scenario.games], jobs[scenario.games :]
        if not fresh:
            journal.take({job.key for job in jobs}, journals_beside(place, scenario.name))
        known = journal.known
        waiting = {job.key: job for job in jobs if job.key not in known}  # equal points share their games
        keys = {job.key for job in jobs}
        progress = Progress(games=len(keys), kept=len(keys & known), damaged=journal.damaged)
        if known and not progress.kept:
            progress.differs = differences(place, scenario.points)
        batches = Batches(list(waiting.values()))
        with ExitStack() as watched:
            if players.play_here(batches) and batches:
                watched.enter_context(_every_second(lambda: _show(batches, progress, on_progress)))
            _play(players.play(batches, place / PRINTED), batches, journal, progress, on_progress)
        origin, games = origin_of(scenario, jobs), games_digest(planned)
        journal.check_in_place()
        errors: list[str] = []
        previous = keep_previous(place, games) and folder / PREVIOUS
        before_it: dict[str, Any] = {}
        if not (progress.played or progress.alike) and are_tables_of(place, origin):
            findings, before_it = read_findings(place), read_manifest(place / MANIFEST)
        else:
            findings, errors = write_tables(place, scenario, _records(journal, planned), _records(journal, broken))
        progress.seconds = time.perf_counter() - begun
        counts = {"controls": len(broken), "shared": len(jobs) - len(keys), "played": progress.played}
        counts |= {"alike": progress.alike, "kept": progress.kept, "errors": len(errors)}
        how = {
            "begun": date.isoformat(timespec="seconds"),
            "seconds": round(progress.seconds, 3),
            "workers": str(players),
            "games": {"all": len(planned), **counts},
        }
        facts = {
            **how,
            **{key: value for key, value in before_it.items() if key in how},  # of the run that made these tables
            "origin": origin,
            "games_digest": games,
            "seeds": list(dict.fromkeys(job.seed for job in planned)),
        }
        first = {job.point.number: journal.get(job.key) for job in planned if job.trial == 0}
        kept = {ERRORS: bool(errors), CONTROLS: bool(broken), PRINTED: (place / PRINTED).is_file() and not printed}
        written = [name for name, there in kept.items() if there]
        remove(place, before & {ERRORS, CONTROLS} - set(written))
        write_manifest(place, scenario, first, facts, written)
        report = Report(folder, scenario.own_classes, findings, errors, progress, _unmet(journal, planned), previous)
        _ = report.manifest  # read before another run writes one
    return report


def _play(
    games: Iterator[list[Played]], batches: Batches, journal: Journal, progress: Progress, on_progress: OnProgress
) -> None:
    """Keep games as they end, those of half a second in one transaction."""
    ended: dict[str, Record] = {}

    def keep() -> None:
        journal.put(ended)
        ended.clear()
        _show(batches, progress, on_progress)

    keep()
    kept_at = -EVERY
    try:
        with closing(games):  # type: ignore[type-var]
            for played in games:
                for job, record, seconds in played:
                    if not isinstance(record, Record):
                        raise record
                    batches.learn(job, seconds)
                    # no coin was drawn: every seed gives this game
                    alike = [] if record.coins or record.error else batches.withdraw(job.point.number)
                    copy = replace(record, row={**record.row, "seconds": None}) if alike else record
                    ended |= {job.key: record} | {one.key: copy for one in alike}
                    progress.played += 1
                    progress.alike += len(alike)
                if time.monotonic() - kept_at >= EVERY:
                    keep()
                    kept_at = time.monotonic()
    finally:
        keep()
        progress.finished = True
        on_progress(progress)


def _show(batches: Batches, progress: Progress, on_progress: OnProgress) -> None:
    """Show how far the run is."""
    shares = [game.share for game in batches.in_play()]
    progress.left, progress.in_play = batches.left(), shares[0] if len(shares) == 1 else nan
    progress.overdue += batches.overdue()
    on_progress(progress)


@contextmanager
def _every_second(show: Callable[[], None]) -> Iterator[None]:
    """Call a function once a second, in another thread, while the block plays games in this one."""
    ended = Event()

    def watch() -> None:
        while not ended.wait(1.0):
            show()

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _records(journal: Journal, planned: Sequence[Job]) -> Iterator[PlacedRecord]:
    for job in planned:
        yield job.point.number, job.trial, job.seed, journal.get(job.key, arrays=True)


def _unmet(journal: Journal, planned: Sequence[Job]) -> list[str]:
    """Return a line for each fault of a network that some games never came to; an error ends a game too early."""
    networks = ((job.point.network, job.key) for job in planned)
    have = ((network, journal.get(key)) for network, key in networks if network and {*network} & FAULTS)
    whole = ((network, record) for network, record in have if record.error is None)
    return in_how_many(((network, str(record.row.get(UNMET, ""))) for network, record in whole), "games")
