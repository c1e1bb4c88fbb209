"""``disttrack run``: play scenarios."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.plot import STYLE
from disttrack.simulator.cli.run_output import print_run, print_seeds
from disttrack.simulator.cli.tables import FOLDER, SET, Form, form_options, print_json, say

if TYPE_CHECKING:
    from disttrack.simulator.runs.progress import Progress


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete.scenario_files)
@click.option("--out", type=FOLDER, help="Folder for the results; results/NAME if left out.")
@SET
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
    no_controls: bool,
    seeds: int | None,
    no_figures: bool,
    style: str,
    form: Form,
    most: float,
    yes: bool,
    **how: Any,
) -> int:
    """Play scenarios: files, or bare names of shipped ones.

    An interrupted run goes on where it stopped, and a scenario that has grown plays only what is new.
    """
    from disttrack.simulator.cli.progress import bar
    from disttrack.simulator.runs.estimate import cores, estimate
    from disttrack.simulator.runs.runner import execute
    from disttrack.simulator.runs.seeds import run_seeds
    from disttrack.simulator.scenario.load import load

    overrides += tuple(f"{key}={value}" for key, value in (("trials", trials), ("seed", seed)) if value is not None)
    scenarios = [load(file, overrides) for file in files]  # all of them before the first game
    workers = how["workers"] or cores()
    for scenario in scenarios:
        for note in scenario.notes:
            say(f"{scenario.name}: {note}", err=True)
        work = estimate(scenario, workers)
        work.refuse_too_large()
        if not how["scheduler"] and (warning := work.refuse_too_long(inf if yes else most)):
            say(warning, err=True)
    documents = []
    quiet = form == "quiet"
    for scenario in scenarios:
        how["out"] = out if out is None or len(scenarios) == 1 else out / scenario.name
        with _interruptible(), ExitStack() as bars:

            def on_seed(seed: int, name: str = scenario.name) -> Callable[[Progress], None]:
                bars.close()
                return bars.enter_context(bar(f"{name}, seed {seed}", quiet=quiet))

            if seeds is not None:
                held, errors = run_seeds(scenario, seeds, on_seed=on_seed, **how)
            else:
                on_progress = bars.enter_context(bar(scenario.name, quiet=quiet))
                report = execute(scenario, controls=not no_controls, on_progress=on_progress, **how)
        if seeds is not None:
            documents.append(print_seeds(scenario, held, errors, form))
        else:
            documents.append(print_run(scenario, report, form, style="" if no_figures else style))
    if form == "json":
        print_json({"runs": documents})
    return int(not all(document["ok"] for document in documents))


@contextmanager
def _interruptible() -> Iterator[None]:
    """Take a polite kill for an interruption like Ctrl-C: the workers end, the journal is closed."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
