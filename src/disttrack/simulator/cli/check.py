"""``disttrack check`` and ``disttrack schema``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import JSON, SET
from disttrack.simulator.errors import MEANT, ScenarioError, one_line
from disttrack.simulator.kinds.names import count
from disttrack.simulator.shown.terminal.tables import print_facts, print_json, print_text

if TYPE_CHECKING:
    from disttrack.simulator.experiments.runs.estimate import Work
    from disttrack.simulator.experiments.scenario.load import Scenario


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=completion.scenario_files)
@SET
@JSON
def check(files: tuple[str, ...], overrides: tuple[str, ...], as_json: bool) -> int:
    """Check scenarios and estimate their work. Plays none of their games.

    All files are checked; the status is 2 if one of them is wrong, and 1 if a claim or plot seems to misspell a name.
    """
    from disttrack.simulator.experiments.runs.estimate import cores, estimate
    from disttrack.simulator.experiments.scenario.load import load

    documents: list[dict[str, Any]] = []
    doubtful = False
    for file in files:
        try:
            scenario = load(file, overrides)
            work = estimate(scenario, cores())
            work.refuse_too_large()
        except ScenarioError as error:
            errors = [one_line(one) for one in getattr(error, "errors", (error,))]
            documents.append({"file": file, "valid": False, "error": errors[0], "errors": errors})
            if not as_json:
                click.echo("\n".join(errors), err=True)
            continue
        dropped = _remarks(scenario, work)
        documents.append({"file": file, "valid": True, **_document(scenario, work, dropped)})
        doubtful = doubtful or any(MEANT in one.why for one in scenario.skipped)
        if not as_json:
            _print(file, scenario, work, dropped)
    if as_json:
        print_json({"files": documents})
    return int(doubtful) if all(document["valid"] for document in documents) else 2


def _remarks(scenario: Scenario, work: Work) -> list[str]:
    """Return what is dropped of the user's files, and what no game can show."""
    from disttrack.simulator.experiments.runs.estimate import without_compiler
    from disttrack.simulator.experiments.scenario.checks import late_faults
    from disttrack.simulator.experiments.scenario.load import unjudged
    from disttrack.simulator.game.network.unmet import in_how_many
    from disttrack.simulator.game.tasks.remarks import remarks

    late = ((one.network, "\n".join(late_faults(one))) for one in scenario.points if one.network)
    lines = [*remarks(scenario.points, elsewhere=True), *unjudged(scenario), *in_how_many(late, "points")]
    return [*lines, *filter(None, [without_compiler(work)])]


def _document(scenario: Scenario, work: Work, dropped: Sequence[str]) -> dict[str, object]:
    """Return the work of a scenario for programs."""
    trials = {name: plan.trials for name, plan in scenario.plans.items()}
    return {
        "games": scenario.games,
        "points": len(scenario.points),
        "trials": trials if scenario.head.parts else scenario.head.trials,
        "size": scenario.size,
        "control_games": scenario.control_games,
        "user_files": scenario.files,
        "dropped": dropped,
        "skipped": [{**one._asdict(), "line": one.line} for one in scenario.skipped],
        "seconds": work.seconds + work.beside,
        **{name: getattr(work, name) for name in ("workers", "messages", "without_rests", "memory", "disk")},
    }


def _print(file: str, scenario: Scenario, work: Work, dropped: Sequence[str]) -> None:
    """Print the work of a scenario."""
    from disttrack.simulator.experiments.results.formats import duration, in_bytes, number

    print_text(f"{file}: valid")
    controls = f", and at most {scenario.control_games:,} of the claims' controls" if scenario.control_games else ""
    rests = ", and those at rest" if work.without_rests else ""
    about = "at most" if work.unbounded else "about"
    facts = {
        "games": f"{scenario.games:,} ({scenario.size}){controls}",
        "messages": f"{number(round(work.messages))} at most on average, by cost bounds{rests}{work.no_bound}",
        "time": f"{about} {duration(work.seconds + work.beside)} with {count(work.workers, 'worker')}",
        "memory": f"about {in_bytes(work.memory)}",
        "results": f"about {in_bytes(work.disk)} on disk",
    }
    if scenario.files:
        facts["your files"] = f"{', '.join(scenario.files)}; executed where code"
    print_facts(facts)
    for line in (*dropped, *(one.line for one in scenario.skipped)):
        print_text(line)


@click.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check them."""
    from disttrack.simulator.experiments.scenario.schema import scenario_schema

    print_json(scenario_schema(), texts=False)
