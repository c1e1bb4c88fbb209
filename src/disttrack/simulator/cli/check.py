"""``disttrack check`` and ``disttrack schema``."""

from __future__ import annotations

from typing import Any

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import JSON, SET
from disttrack.simulator.errors import MEANT, ScenarioError, one_line
from disttrack.simulator.kinds.names import count
from disttrack.simulator.shown.terminal.tables import print_facts, print_json, print_text


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=completion.scenario_files)
@SET
@JSON
def check(files: tuple[str, ...], overrides: tuple[str, ...], as_json: bool) -> int:
    """Check scenarios and estimate their work. Plays none of their games.

    All files are checked; the status is 2 if one of them is wrong, and 1 if a claim or plot seems to misspell a name.
    """
    documents: list[dict[str, Any]] = []
    for file in files:
        try:
            documents.append({"file": file, "valid": True, **_work(file, overrides)})
        except ScenarioError as error:
            errors = [one_line(one) for one in getattr(error, "errors", (error,))]
            documents.append({"file": file, "valid": False, "error": errors[0], "errors": errors})
    if as_json:
        print_json({"files": documents})
    else:
        for document in documents:
            _print(document)
    if not all(document["valid"] for document in documents):
        return 2
    return int(any(MEANT in one["why"] for document in documents for one in document["skipped"]))


def _work(file: str, overrides: tuple[str, ...]) -> dict[str, object]:
    """Return the work of a scenario, which memory has room for."""
    from disttrack.simulator.experiments.runs.estimate import cores, estimate, without_compiler
    from disttrack.simulator.experiments.scenario.attainable import unjudged
    from disttrack.simulator.experiments.scenario.checks import late_faults
    from disttrack.simulator.experiments.scenario.load import load
    from disttrack.simulator.game.network.unmet import in_how_many
    from disttrack.simulator.game.tasks.remarks import remarks

    scenario = load(file, overrides)
    work = estimate(scenario, cores())
    parts = scenario.head.parts
    work.refuse_too_large()
    late = ((one.network, "\n".join(late_faults(one))) for one in scenario.points if one.network)
    never = in_how_many(late, "points")
    return {
        "games": scenario.games,
        "points": len(scenario.points),
        "trials": {name: plan.trials for name, plan in scenario.plans.items()} if parts else scenario.head.trials,
        "size": scenario.size,
        "control_games": scenario.control_games,
        "user_files": scenario.files,
        "dropped": [
            *remarks(scenario.points, elsewhere=True),
            *unjudged(scenario),
            *never,
            *filter(None, [without_compiler(work)]),
        ],
        "skipped": [{**one._asdict(), "line": one.line} for one in scenario.skipped],
        "seconds": work.seconds + work.beside,
        **{name: getattr(work, name) for name in ("workers", "messages", "without_rests", "memory", "disk")},
    }


def _print(document: dict[str, Any]) -> None:
    """Print the work of a scenario, or why it is wrong."""
    from disttrack.simulator.experiments.results.formats import duration, in_bytes, number

    if not document["valid"]:
        click.echo("\n".join(document["errors"]), err=True)
        return
    print_text(f"{document['file']}: valid")
    controls = (
        f", and at most {document['control_games']:,} of the claims' controls" if document["control_games"] else ""
    )
    rests = ", and those at rest" if document["without_rests"] else ""
    facts = {
        "games": f"{document['games']:,} ({document['size']}){controls}",
        "messages": f"{number(round(document['messages']))} at most on average, by cost bounds{rests}",
        "time": f"about {duration(document['seconds'])} with {count(document['workers'], 'worker')}",
        "memory": f"about {in_bytes(document['memory'])}",
        "results": f"about {in_bytes(document['disk'])} on disk",
    }
    if document["user_files"]:
        facts["your files"] = f"{', '.join(document['user_files'])}; executed where code"
    print_facts(facts)
    for line in document["dropped"]:
        print_text(line)
    for one in document["skipped"]:
        print_text(one["line"])


@click.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check them."""
    from disttrack.simulator.experiments.scenario.schema import scenario_schema

    print_json(scenario_schema(), texts=False)
