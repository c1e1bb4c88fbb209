"""The output at the end of a run, in each form: tables, one JSON document, or only what failed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli.summary import claims_table, failing_claims, games_table, seeds_table
from disttrack.simulator.cli.tables import Form, is_terminal, print_table, say, terminal_width
from disttrack.simulator.results.formats import duration

if TYPE_CHECKING:
    from pathlib import Path

    from disttrack.simulator.results.folder import Results
    from disttrack.simulator.runs.runner import Report
    from disttrack.simulator.runs.seeds import Held
    from disttrack.simulator.scenario.load import Scenario

TABLES: Final = ("trials.csv", "series.csv", "kinds.csv", "claims.csv", "controls.csv", "manifest.json")
"""Files of a result that are listed."""


def print_run(scenario: Scenario, report: Report, form: Form, *, style: str) -> dict[str, Any]:
    """Print the outcome of a scenario: table, failed games, claims, files; return the same for programs.

    Parameters
    ----------
    style
        What figures are drawn for; empty for none.
    """
    from disttrack.simulator.results.answers import answer_table

    answers = answer_table(report.results)
    folder = report.results.dir
    if form == "table":
        print_table(games_table(answers, str(folder / "trials.csv")))
    if report.errors:
        click.echo(_failed_games(report.errors, str(folder / "errors.txt")), err=True)
    if report.printed:
        click.echo(report.printed, err=True)
    if form == "table":
        if report.findings:
            print_table(claims_table(report.findings, terminal_width()))
        alike = f", {report.alike:,} more without coins, the same under every seed" if report.alike else ""
        kept = f", {report.kept:,} kept from before" if report.kept else ""
        say(f"{report.played:,} games played{alike}{kept}, {duration(report.seconds)}")
    if report.damaged:
        from disttrack.simulator.runs.journal import JOURNAL

        lost = f"{report.damaged:,} rows of the journal could not be read; their games were played again"
        click.echo(f"{lost} (the file is kept as {JOURNAL}.damaged)", err=True)
    for line in failing_claims(report.findings) if form == "quiet" else ():
        say(f"{scenario.name}: {line}")
    tables = [path for name in TABLES if (path := folder / name).is_file()]
    if form == "table":
        say("tables: " + ", ".join(map(str, tables)))
    drawn, page = _draw(report.results, form, style) if style else ([], None)
    return {
        "scenario": scenario.name,
        "title": answers.title,
        "shared": answers.subtitle,
        "ok": report.ok,
        "columns": [{"header": one.header, "says": one.says, "kind": one.kind} for one in answers.columns],
        "rows": answers.records(),
        "claims": [finding.row() for finding in report.findings],
        "errors": report.errors,
        "games": {"played": report.played, "alike": report.alike, "kept": report.kept},
        "seconds": report.seconds,
        "files": {"tables": tables, "figures": drawn, "report": page},
    }


def _draw(results: Results, form: Form, style: str) -> tuple[list[Path], Path | None]:
    """Draw the figures, then write the page that shows them; an error in either costs a line."""
    from disttrack.simulator.cli.plot import draw_figures
    from disttrack.simulator.report.report import write_report
    from disttrack.simulator.runs.journal import JOURNAL, Journal

    if is_terminal(sys.stderr) and form == "table":
        click.echo("drawing figures …\r", nl=False, err=True)
    with Journal(results.dir.absolute() / JOURNAL):
        fault = draw_figures(results, style=style)
        drawn = sorted((results.dir / "figures").glob("*.png"))
        if drawn and form == "table":
            say("figures: " + ", ".join(map(str, drawn)) + " (and .svg)")
        try:
            page = write_report(results, fault)
        except ValueError as error:
            click.echo(f"report: {error}", err=True)
            return drawn, None
    if form == "table":
        say(f"report: {page}")
    return drawn, page


def print_seeds(scenario: Scenario, held: Sequence[Held], errors: Sequence[str], form: Form) -> dict[str, Any]:
    """Print how often each claim held under fresh seeds; return the same for programs."""
    if errors:
        click.echo(_failed_games(errors, "errors.txt in the folder of each seed"), err=True)
    if form == "table":
        print_table(seeds_table(scenario, held))
    for row in held if form == "quiet" else ():
        if not row.always:
            click.echo(f"{scenario.name}: {row.name}: held under {row.held} of {row.seeds} seeds")
    names = ("name", "group", "measure", "bound", "held", "seeds", "least", "most", "failed")
    claims = [{name: getattr(row, name) for name in names} for row in held]
    ok = not errors and all(row.always for row in held)
    return {"scenario": scenario.name, "ok": ok, "claims": claims, "errors": list(errors)}


def _failed_games(errors: Sequence[str], place: str) -> str:
    """Return how many games ended in an error, the first of them, and where the tracebacks are."""
    first = "" if len(errors) == 1 else ", the first"
    return f"{len(errors):,} game{'s' * (len(errors) > 1)} ended in an error{first}: {errors[0]} (tracebacks: {place})"
