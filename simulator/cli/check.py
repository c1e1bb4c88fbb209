"""``disttrack check`` and ``disttrack schema``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.tables import JSON, SET, print_facts, print_json, say
from disttrack.simulator.errors import ScenarioError, one_line

if TYPE_CHECKING:
    from disttrack.simulator.runs.estimate import Work
    from disttrack.simulator.scenario.load import Scenario


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete.scenario_files)
@SET
@JSON
def check(files: tuple[str, ...], overrides: tuple[str, ...], as_json: bool) -> int:
    """Check scenarios and say how much work they are. Plays none of their games.

    All files are checked; the status is 2 if one of them is wrong.
    """
    from disttrack.simulator.runs.estimate import cores, estimate
    from disttrack.simulator.scenario.load import load

    documents: list[dict[str, Any]] = []
    for file in files:
        try:
            scenario = load(file, overrides)
            work = estimate(scenario, cores())
            work.refuse_too_large()
        except ScenarioError as error:
            documents.append({"file": file, "valid": False, "error": one_line(error)})
            if not as_json:
                click.echo(documents[-1]["error"], err=True)
            continue
        documents.append({"file": file, "valid": True, **_document(scenario, work)})
        if not as_json:
            _print(documents[-1])
    if as_json:
        print_json({"files": documents})
    return 0 if all(document["valid"] for document in documents) else 2


def _document(scenario: Scenario, work: Work) -> dict[str, Any]:
    """Return the work of a scenario."""
    return {
        "games": scenario.games,
        "points": len(scenario.points),
        "trials": scenario.head.trials,
        "control_games": scenario.control_games,
        "user_files": scenario.files,
        **{name: getattr(work, name) for name in ("workers", "messages", "seconds", "memory", "disk")},
    }


def _print(document: dict[str, Any]) -> None:
    """Print the work of a scenario."""
    from disttrack.simulator.results.formats import duration, in_bytes, number

    say(f"{document['file']}: valid")
    games = "{games:,} ({points:,} points, {trials:,} trials each), and {control_games:,} of the claims' controls"
    facts = {
        "games": games.format_map(document),
        "messages": f"{number(round(document['messages']))} at most, by the protocols' cost bounds",
        "time": f"roughly {duration(document['seconds'])} with {document['workers']} workers",
        "memory": f"about {in_bytes(document['memory'])}",
        "results": f"about {in_bytes(document['disk'])} on the disk",
    }
    if document["user_files"]:
        facts["your files"] = f"{', '.join(document['user_files'])}; this check has executed those that are code"
    print_facts(facts)


@click.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check them."""
    from disttrack.simulator.scenario.schema import scenario_schema

    click.echo(json.dumps(scenario_schema(), indent=2, ensure_ascii=False))
