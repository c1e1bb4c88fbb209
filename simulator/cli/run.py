"""``disttrack run``: play scenarios."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from simulator.cli import complete
from simulator.cli.plot import STYLE
from simulator.cli.run_told import lost_line, tell
from simulator.cli.summary import print_seeds, seeds_document
from simulator.cli.tables import Form, form_options, print_json, say

if TYPE_CHECKING:
    from simulator.runs.progress import Progress
    from simulator.runs.runner import Report
    from simulator.runs.seeds import Held
    from simulator.scenario.load import Scenario


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete.scenario_files)
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
@click.option(
    "--game-timeout", type=float, metavar="SECONDS", help="End a game that takes longer, as an error; the others go on."
)
@click.option("--fresh", is_flag=True, help="Begin anew, without the games of earlier runs.")
@click.option("--no-controls", is_flag=True, help="Do not play the broken systems in which claims must fail.")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    help="Play under so many fresh seeds in place of the scenario's, and tell how often each claim holds.",
)
@click.option("--no-figures", is_flag=True, help="Write tables only, no figures and no report.")
@click.option(
    "--most", type=click.FloatRange(min=0), default=24.0, show_default=True, metavar="HOURS", help="Refuse longer runs."
)
@click.option("--yes", is_flag=True, help="Refuse no run for its length.")
@STYLE
@form_options
def run(
    files: tuple[str, ...],
    out: Path | None,
    overrides: tuple[str, ...],
    trials: int | None,
    seed: int | None,
    workers: int | None,
    scheduler: str | None,
    game_timeout: float | None,
    fresh: bool,
    no_controls: bool,
    seeds: int | None,
    no_figures: bool,
    style: str,
    form: Form,
    most: float,
    yes: bool,
) -> int:
    """Play scenarios: files, or bare names of shipped ones.

    An interrupted run goes on where it stopped, and a scenario that has grown plays only what is new.
    """
    from simulator.runs.estimate import refuse_too_large, refuse_too_long
    from simulator.runs.workers import cores
    from simulator.scenario.load import load

    if trials is not None:
        overrides = (*overrides, f"trials={trials}")
    if seed is not None:
        overrides = (*overrides, f"seed={seed}")
    scenarios = [load(file, overrides) for file in files]  # all of them before the first game
    for scenario in scenarios:
        for note in scenario.notes:
            say(f"{scenario.name}: {note}", err=True)
        refuse_too_large(scenario, workers or cores())
        warned = "" if scheduler else refuse_too_long(scenario, workers or cores(), inf if yes else most)
        if warned:
            say(warned, err=True)
    how: How = {"workers": workers, "scheduler": scheduler, "fresh": fresh, "game_timeout": game_timeout}
    status = 0
    told: list[dict[str, Any]] = []
    for scenario in scenarios:
        folder = out if out is None or len(scenarios) == 1 else out / scenario.name
        if seeds is not None:
            held, errors = _play_seeds(scenario, seeds, folder, form, **how)
            told.append(_tell_seeds(scenario, held, errors, form))
            status = max(status, 0 if told[-1]["ok"] else 1)
            continue
        report = _play(scenario, folder, form, controls=not no_controls, **how)
        told.append(tell(scenario, report, form, style="" if no_figures else style))
        status = max(status, 0 if report.ok else 1)
    if form == "json":
        print_json({"runs": told})
    return status


class How(TypedDict):
    """How a run is played: as the flags of the same names say."""

    workers: int | None
    scheduler: str | None
    fresh: bool
    game_timeout: float | None


def _play(scenario: Scenario, out: Path | None, form: Form, *, controls: bool, **how: Unpack[How]) -> Report:
    from simulator.cli.progress import bar
    from simulator.runs.runner import execute

    with _interruptible(), bar(scenario.name, quiet=form == "quiet") as on_progress:
        return execute(scenario, out=out, controls=controls, on_progress=on_progress, **how)


def _play_seeds(
    scenario: Scenario, seeds: int, out: Path | None, form: Form, **how: Unpack[How]
) -> tuple[list[Held], list[str]]:
    """Play a scenario under fresh seeds; return how often each claim held, and the errors."""
    from simulator.cli.progress import bar
    from simulator.runs.seeds import run_seeds

    with _interruptible(), ExitStack() as bars:

        def on_seed(seed: int) -> Callable[[Progress], None] | None:
            bars.close()
            return bars.enter_context(bar(f"{scenario.name}, seed {seed}", quiet=form == "quiet"))

        return run_seeds(scenario, seeds, out=out, on_seed=on_seed, **how)


def _tell_seeds(scenario: Scenario, held: Sequence[Held], errors: Sequence[str], form: Form) -> dict[str, Any]:
    """Print how often each claim held under fresh seeds; return the same for programs."""
    if errors:
        click.echo(lost_line(errors, "errors.txt in the folder of each seed"), err=True)
    if form == "table":
        print_seeds(scenario, held)
    elif form == "quiet":
        for row in held:
            if not row.always:
                click.echo(f"{scenario.name}: {row.name}: held under {row.held} of {row.seeds} seeds")
    ok = not errors and all(row.always for row in held)
    return {"scenario": scenario.name, "ok": ok, "claims": seeds_document(held), "errors": list(errors)}


@contextmanager
def _interruptible() -> Iterator[None]:
    """Take a polite kill for an interruption like Ctrl-C: the workers end, the journal is closed."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
