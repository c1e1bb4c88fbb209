"""``disttrack run``: play scenarios."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simulator.cli.summary import print_claims, print_games, print_seeds
from simulator.cli.tables import is_terminal
from simulator.results.formats import duration

if TYPE_CHECKING:
    from simulator.results.folder import Results
    from simulator.runs.progress import Progress
    from simulator.runs.runner import Report
    from simulator.scenario.load import Scenario


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the results; results/NAME if left out.",
)
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a key over the file: sites=64, protocol.0.alpha=0.1.",
)
@click.option("--trials", type=int, help="Games at each point.")
@click.option("--seed", type=int, help="The scenario's seed.")
@click.option("--workers", type=click.IntRange(min=1), help="Worker processes; one per core if left out.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, tcp://host:port, or local.")
@click.option("--fresh", is_flag=True, help="Begin anew, without the games of earlier runs.")
@click.option("--no-controls", is_flag=True, help="Do not play the broken systems in which claims must fail.")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    help="Play under so many fresh seeds in place of the scenario's, and tell how often each claim holds.",
)
@click.option("--no-figures", is_flag=True, help="Write tables only, no figures and no report.")
def run(
    files: tuple[str, ...],
    out: Path | None,
    overrides: tuple[str, ...],
    trials: int | None,
    seed: int | None,
    workers: int | None,
    scheduler: str | None,
    fresh: bool,
    no_controls: bool,
    seeds: int | None,
    no_figures: bool,
) -> int:
    """Play scenarios: files, or bare names of shipped ones.

    An interrupted run goes on where it stopped, and a scenario that has grown plays only what is new.
    """
    from simulator.runs.estimate import refuse_too_large
    from simulator.runs.workers import cores
    from simulator.scenario.load import load

    if trials is not None:
        overrides = (*overrides, f"trials={trials}")
    if seed is not None:
        overrides = (*overrides, f"seed={seed}")
    scenarios = [load(file, overrides) for file in files]  # all of them before the first game
    for scenario in scenarios:
        refuse_too_large(scenario, workers or cores())
    status = 0
    for scenario in scenarios:
        folder = out if out is None or len(scenarios) == 1 else out / scenario.name
        if seeds is not None:
            status = max(status, _play_seeds(scenario, seeds, folder, workers, scheduler, fresh=fresh))
            continue
        report = _play(scenario, folder, workers, scheduler, fresh=fresh, controls=not no_controls)
        _tell(scenario, report, figures=not no_figures)
        status = max(status, 0 if report.ok else 1)
    return status


def _play(
    scenario: Scenario, out: Path | None, workers: int | None, scheduler: str | None, *, fresh: bool, controls: bool
) -> Report:
    from simulator.cli.progress import bar
    from simulator.runs.estimate import warning
    from simulator.runs.runner import execute
    from simulator.runs.workers import cores

    warned = "" if scheduler else warning(scenario, workers or cores())
    if warned:
        click.echo(warned, err=True)

    with _interruptible(), bar(scenario.name) as on_progress:
        return execute(
            scenario,
            out=out,
            workers=workers,
            scheduler=scheduler,
            fresh=fresh,
            controls=controls,
            on_progress=on_progress,
        )


def _play_seeds(
    scenario: Scenario, seeds: int, out: Path | None, workers: int | None, scheduler: str | None, *, fresh: bool
) -> int:
    """Play a scenario under fresh seeds, print how often each claim held, and return the exit status."""
    from simulator.cli.progress import bar
    from simulator.runs.seeds import run_seeds

    with _interruptible(), ExitStack() as bars:

        def on_seed(seed: int) -> Callable[[Progress], None] | None:
            bars.close()
            return bars.enter_context(bar(f"{scenario.name}, seed {seed}"))

        held, errors = run_seeds(
            scenario, seeds, out=out, workers=workers, scheduler=scheduler, fresh=fresh, on_seed=on_seed
        )
    for error in errors:
        click.echo(f"error: {error}", err=True)
    print_seeds(scenario, held)
    return 0 if not errors and all(row.always for row in held) else 1


@contextmanager
def _interruptible() -> Iterator[None]:
    """Take a polite kill for an interruption like Ctrl-C: the workers end, the journal is closed."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _tell(scenario: Scenario, report: Report, *, figures: bool) -> None:
    """Print what came of a scenario: table, lost games, claims, files."""
    print_games(report.results)
    for error in report.errors:
        click.echo(f"error: {error}", err=True)
    if report.errors:
        click.echo(f"tracebacks: {report.results.dir / 'errors.txt'}", err=True)
    print_claims(report.findings)
    games = f"{report.played:,} games played"
    if report.alike:
        games += f", {report.alike:,} that draw no coins taken from another seed"
    if report.kept:
        games += f", {report.kept:,} kept from before"
    click.echo(f"{games}, {duration(report.seconds)}")
    if report.damaged:
        from simulator.runs.runner import JOURNAL

        said = f"{report.damaged:,} lines of the journal could not be read; what they held was played again"
        click.echo(f"{said} (the file is kept as {JOURNAL}.damaged)", err=True)
    names = ["trials.csv", "series.csv", "kinds.csv", "claims.csv", "controls.csv", "manifest.json"]
    there = [report.results.dir / name for name in names]
    click.echo("tables: " + ", ".join(str(path) for path in there if path.is_file()))
    if figures:
        _draw(report.results)


def _draw(results: Results) -> None:
    """Draw the figures, then write the page that shows them; what cannot be drawn or written costs a line."""
    from simulator.cli.plot import draw_figures
    from simulator.report.report import write_report

    if is_terminal(sys.stderr):
        click.echo("drawing figures …\r", nl=False, err=True)
    fault = draw_figures(results)
    drawn = sorted(str(path) for path in (results.dir / "figures").glob("*.png"))
    if drawn:
        click.echo("figures: " + ", ".join(drawn) + " (and .svg)")
    try:
        click.echo(f"report: {write_report(results, fault)}")
    except ValueError as error:
        click.echo(f"report: {error}", err=True)
