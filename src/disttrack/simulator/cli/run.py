"""``disttrack run``: play scenarios."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import FOLDER, GAME_TIMEOUT, JSON, SET, WORKERS, refuse_twice, set_by
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.shown.terminal.run_output import Form, print_run, print_seeds
from disttrack.simulator.shown.terminal.tables import print_json, print_text

if TYPE_CHECKING:
    from disttrack.simulator.experiments.scenario.load import Scenario

MOST_HOURS: Final = 24
"""Longer runs are refused unless the user wants them."""


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=completion.scenario_files)
@click.option("--out", type=FOLDER, show_default="results/NAME,KEY=VALUE…", help="Folder for the results.")
@SET
@click.option("--trials", type=int, help="Games at each point.")
@click.option("--seed", type=int, help="The scenario's seed.")
@WORKERS
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler: tcp://host:port, local.")
@GAME_TIMEOUT()
@click.option("--fresh", is_flag=True, help="Use no games of earlier runs.")
@click.option("--no-controls", is_flag=True, help="Play no controls.")
@click.option("--seeds", type=click.IntRange(min=1), help="Check claims under N fresh seeds.")
@click.option("--no-figures", is_flag=True, help="Write tables only.")
@click.option("--full", is_flag=True, help="Print all rows.")
@click.option("--yes", is_flag=True, help=f"Play runs of more than {MOST_HOURS} hours too.")
@click.option("--quiet", "-q", is_flag=True, help="Print only what failed.")
@JSON
def run(
    files: tuple[str, ...], out: Path | None, no_controls: bool, no_figures: bool, full: bool, yes: bool, **how: Any
) -> int:
    """Play scenarios: files, or bare names of shipped ones.

    An interrupted run goes on where it stopped, and a scenario that has grown plays only what is new.
    """
    from disttrack.simulator.experiments.runs.own_folder import alone, claim, place_of
    from disttrack.simulator.experiments.runs.runner import run as play
    from disttrack.simulator.experiments.runs.seeds import run_seeds
    from disttrack.simulator.shown.terminal.progress import bar, watched

    quiet, as_json, seeds = (how.pop(name) for name in ("quiet", "as_json", "seeds"))
    given = {key: how.pop(key) for key in ("trials", "seed")}
    given = {key: value for key, value in given.items() if value is not None}
    refuse_twice(given, set_by(how["overrides"]))
    overrides = [*how.pop("overrides"), *(f"{key}={value}" for key, value in given.items())]
    with watched("run"):
        most = inf if yes else MOST_HOURS
        scenarios = _loaded(files, overrides, how["workers"], most, here=not how["scheduler"])
    outs = [place_of(one, out / one.name if out and len(scenarios) > 1 else out) for one in scenarios]
    for place, folder in enumerate(outs):
        if folder in outs[:place]:
            both = f"{files[outs.index(folder)]} and {files[place]}"
            raise ScenarioError(f"{both} are both called {scenarios[place].name}, for {folder}; change one")
        claim(folder)
    documents = []
    form: Form = "json" if as_json else "failed" if quiet else "all"
    # a polite kill is an interruption like Ctrl-C: the workers end, the journal is closed
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for file, scenario, folder in zip(files, scenarios, outs, strict=True):
        how["out"] = folder
        with alone(folder):
            with bar(scenario.name, quiet=quiet) as on_progress:
                if seeds is None:
                    report = play(scenario, controls=not no_controls, on_progress=on_progress, **how)
                else:
                    held, errors = run_seeds(scenario, seeds, on_progress=on_progress, **how)
            if seeds is None:
                if report.previous:
                    line = f"earlier tables: {report.previous}; disttrack compare {folder}"
                    print_text(line, err=True)
                replay = shlex.join(["disttrack", "replay", file, *(f"--set={one}" for one in overrides)])
                with watched("run"):
                    shown = {"figures": not no_figures, "full": full, "replay": replay, "limit": how["game_timeout"]}
                    documents.append(print_run(scenario, report, form, **shown))
            else:
                documents.append(print_seeds(scenario, held, errors, form))
    if as_json:
        print_json({"runs": documents})
    return int(not all(document["ok"] for document in documents))


def _loaded(
    files: Sequence[str], overrides: Sequence[str], workers: int | None, most: float, *, here: bool
) -> list[Scenario]:
    """Return all scenarios; refuse those that take too much memory, or `most` hours where they are played here."""
    from disttrack.simulator.experiments.runs.estimate import cores, estimate, without_compiler
    from disttrack.simulator.experiments.scenario.load import load

    scenarios = [load(file, overrides) for file in files]
    for scenario in scenarios:
        work = estimate(scenario, workers or cores())
        work.refuse_too_large()
        if here and (warning := work.refuse_too_long(most)):
            print_text(warning, err=True)
        if line := without_compiler(work):
            print_text(f"{scenario.name}: {line}", err=True)
    return scenarios
