"""What a run says at its end, in each form: tables, one JSON document, or only what failed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from simulator.cli.summary import failing_claims, print_claims, print_games
from simulator.cli.tables import Form, is_terminal, say
from simulator.results.formats import duration

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.results.folder import Results
    from simulator.runs.runner import Report
    from simulator.scenario.load import Scenario

TABLES: Final = ("trials.csv", "series.csv", "kinds.csv", "claims.csv", "controls.csv", "manifest.json")
"""Files of a result that readers are told of."""


def tell(scenario: Scenario, report: Report, form: Form, *, style: str) -> dict[str, Any]:
    """Print what came of a scenario: table, lost games, claims, files; return the same for programs.

    Parameters
    ----------
    style
        What figures are drawn for; empty for none.
    """
    if form == "table":
        print_games(report.results)
    if report.errors:
        click.echo(lost_line(report.errors, str(report.results.dir / "errors.txt")), err=True)
    if report.printed:
        click.echo(report.printed, err=True)
    if form == "table":
        print_claims(report.findings)
        say(_counted(report))
    if report.damaged:
        from simulator.runs.journal import JOURNAL

        said = f"{report.damaged:,} rows of the journal could not be read; what they held was played again"
        click.echo(f"{said} (the file is kept as {JOURNAL}.damaged)", err=True)
    if form == "quiet":
        for line in failing_claims(report.findings):
            say(f"{scenario.name}: {line}")
    tables = [path for name in TABLES if (path := report.results.dir / name).is_file()]
    if form == "table":
        say("tables: " + ", ".join(map(str, tables)))
    drawn, page = _draw(report.results, form, style) if style else ([], None)
    files = {"tables": tables, "figures": drawn, "report": page}
    return _document(scenario, report, files) if form == "json" else {}


def _counted(report: Report) -> str:
    """Return how many games there were, and how long they took."""
    games = f"{report.played:,} games played"
    if report.alike:
        games += f", {report.alike:,} more without coins, the same under every seed"
    if report.kept:
        games += f", {report.kept:,} kept from before"
    return f"{games}, {duration(report.seconds)}"


def _draw(results: Results, form: Form, style: str) -> tuple[list[Path], Path | None]:
    """Draw the figures, then write the page that shows them; what cannot be drawn or written costs a line."""
    from simulator.cli.plot import draw_figures
    from simulator.report.report import write_report
    from simulator.runs.journal import JOURNAL, Journal

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


def _document(scenario: Scenario, report: Report, files: dict[str, Any]) -> dict[str, Any]:
    """Return what came of a scenario for programs."""
    from simulator.results.answers import answer_table

    table = answer_table(report.results)
    return {
        "scenario": scenario.name,
        "title": table.title,
        "shared": table.subtitle,
        "ok": report.ok,
        "columns": [{"header": one.header, "says": one.says, "kind": one.kind} for one in table.columns],
        "rows": table.records(),
        "claims": [finding.row() for finding in report.findings],
        "errors": report.errors,
        "games": {"played": report.played, "alike": report.alike, "kept": report.kept},
        "seconds": report.seconds,
        "files": files,
    }


def lost_line(errors: Sequence[str], place: str) -> str:
    """Return in a line how many games errors have ended, the first of them, and where the tracebacks are."""
    first = "" if len(errors) == 1 else ", the first"
    return f"{len(errors):,} game{'s' * (len(errors) > 1)} ended in an error{first}: {errors[0]} (tracebacks: {place})"
