"""``disttrack check`` and ``disttrack schema``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.tables import Form, form_options, print_json

if TYPE_CHECKING:
    from disttrack.simulator.runs.estimate import Work
    from disttrack.simulator.scenario.load import Scenario


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete.scenario_files)
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Set a key over the file.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Worker processes to reckon with; one per core if left out."
)
@form_options
def check(files: tuple[str, ...], overrides: tuple[str, ...], workers: int | None, form: Form) -> int:
    """Check scenarios and say how much work they are. Plays none of their games.

    All files are checked; the status is 2 if one of them is wrong.
    """
    from disttrack.simulator.errors import ScenarioError, one_line
    from disttrack.simulator.runs.estimate import cores, estimate
    from disttrack.simulator.scenario.load import load

    hands = workers or cores()
    told: list[dict[str, Any]] = []
    for file in files:
        try:
            scenario = load(file, overrides)
            work = estimate(scenario, hands)
            work.refuse_too_large()
        except ScenarioError as error:
            told.append({"file": file, "valid": False, "error": one_line(error)})
            if form != "json":
                click.echo(told[-1]["error"], err=True)
            continue
        if form == "quiet":
            continue
        told.append({"file": file, "valid": True, **_document(scenario, work)})
        if form == "table":
            _tell(file, scenario, work, hands)
    if form == "json":
        print_json({"workers": hands, "files": told})
    return 0 if all(one["valid"] for one in told) else 2


def _document(scenario: Scenario, work: Work) -> dict[str, Any]:
    """Return the work of a scenario for programs."""
    from disttrack.simulator.runs.manifest import files_of

    counted = {"games": scenario.games, "points": len(scenario.points), "trials": scenario.head.trials}
    names = ("messages", "seconds", "memory", "disk")
    return {
        **counted,
        "control_games": scenario.control_games,
        "notes": list(scenario.notes),
        "user_files": [
            {"file": name, "sha256": digest, "executed": _is_code(name)} for name, digest in files_of(scenario).items()
        ],
        **{name: getattr(work, name) for name in names},
    }


def _tell(file: str, scenario: Scenario, work: Work, hands: int) -> None:
    """Print the work of a scenario."""
    from disttrack.simulator.cli.layout import hanging
    from disttrack.simulator.cli.tables import terminal_width
    from disttrack.simulator.results.formats import duration, in_bytes, number
    from disttrack.simulator.runs.manifest import files_of

    games = f"{scenario.games:,} ({len(scenario.points):,} points, {scenario.head.trials:,} trials each)"
    if scenario.control_games:
        games += f", and {scenario.control_games:,} of the claims' controls"
    rows = {
        "games": games,
        "messages": f"{number(float(round(work.messages)))} at most, by the protocols' cost bounds",
        "time": f"roughly {duration(work.seconds)} with {hands} workers, by the messages",
        "memory": f"about {in_bytes(work.memory)}" + (f" of {in_bytes(work.free)}" if work.free else ""),
        "results": f"about {in_bytes(work.disk)} on the disk",
    }
    if not work.messages:
        rows |= {"messages": "none", "time": f"roughly {duration(work.seconds)} with {hands} workers"}
    own = {_from_here(name): _is_code(name) for name in files_of(scenario)}
    if code := [name for name, executed in own.items() if executed]:
        rows["executes"] = f"{', '.join(code)}: code of yours, already run by this check"
    if data := [name for name, executed in own.items() if not executed]:
        rows["reads"] = ", ".join(data)
    click.echo(f"{file}: valid")
    for note in scenario.notes:
        click.echo(f"  {note}")
    for name, said in rows.items():
        click.echo("\n".join(hanging(f"  {name + ':':<11}", said, terminal_width())))


def _is_code(name: str) -> bool:
    """Tell whether a file of the user's is executed, or only read."""
    return name.endswith(".py")


def _from_here(name: str) -> str:
    """Return a file as it is called from the current folder."""
    path = Path(name)
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else name


@click.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check them."""
    from disttrack.simulator.scenario.schema import scenario_schema

    click.echo(json.dumps(scenario_schema(), indent=2, ensure_ascii=False))
