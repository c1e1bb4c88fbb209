"""The output at the end of a run: tables for people, and the same as a document for programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

import click

from disttrack.simulator.errors import MEANT
from disttrack.simulator.experiments.claims.findings import (
    MEANINGS,
    NO_CONTROL_FAILS,
    SKIPPED,
    VACUOUS,
    Finding,
)
from disttrack.simulator.experiments.results.formats import duration, span
from disttrack.simulator.experiments.results.stored import ERRORS
from disttrack.simulator.game.columns import ERROR
from disttrack.simulator.kinds.names import count, titled
from disttrack.simulator.shown.claims import HEADS, cells_of
from disttrack.simulator.shown.terminal.answered import POINT, TABLE, answered
from disttrack.simulator.shown.terminal.drawn import write_page
from disttrack.simulator.shown.terminal.progress import status
from disttrack.simulator.shown.terminal.tables import Column, Table, print_table, print_text, terminal_width

if TYPE_CHECKING:
    from disttrack.simulator.experiments.runs.runner import Report
    from disttrack.simulator.experiments.runs.seeds import Held
    from disttrack.simulator.experiments.scenario.load import Scenario
    from disttrack.simulator.experiments.scenario.skipped import Skipped

MOST_ROWS: Final = 40
"""Points that are shown if not all are asked for; all are in `TABLE`."""
MOST_PAIRS: Final = 12
"""Pairs of a protocol and an adversary that are shown; the page has all."""


def first_rows(table: Table, most: int, where: str) -> Table:
    """Return a table with its first rows, and a note on `where` all are."""
    if len(table.rows) <= most:
        return table
    note = f"{most} of {count(len(table.rows), 'row')}; all: {where}"
    return replace(table, rows=table.rows[:most], notes=[note, *table.notes])


def claims_table(name: str, findings: Sequence[Finding]) -> Table:
    """Return the claims of a scenario, one row each."""
    ranks = {"control": 1, "95 % interval": 2, "games": 2, "false alarm": 4, "power": 3}
    columns = [
        Column(head, right=head not in HEADS[:3], rank=ranks.get(head, 0), says=MEANINGS.get(head, ""))
        for head in HEADS
    ]
    rows = [cells_of(finding) for finding in findings]
    for cells, finding in zip(rows, findings, strict=True):
        cells[1] += f": {finding.measure}"
    return Table(f"Claims of {name}", columns, rows, notes=list(_unjudged(findings)))


def _unjudged(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield why claims with a measured value say nothing, with the remedy."""
    reasons = {finding.note: finding.verdict for finding in findings if finding.value is not None}
    for note in (note for note, verdict in reasons.items() if note and verdict in (SKIPPED, VACUOUS)):
        yield f"{reasons[note]}: {note}"
    if any(finding.verdict == VACUOUS and not finding.note for finding in findings):
        yield f"{NO_CONTROL_FAILS}; tighten the bound, break more"


def seeds_table(name: str, held: Sequence[Held]) -> Table:
    """Return a row per claim: under how many fresh seeds it held, and the range of the measured values."""
    columns = [Column("held", right=True), *(Column(head, right=head not in HEADS[:2]) for head in HEADS[1:4])]
    columns.append(Column("failing seeds"))
    rows = [
        [
            f"{row.held} of {row.seeds}",
            f"{titled(row.name, row.group)}: {row.measure}",
            span([value for value in (row.least, row.most) if value is not None]),
            row.bound,
            " ".join([*map(str, row.failed), *(f"{seed} (undecided)" for seed in row.undecided)]),
        ]
        for row in held
    ]
    return Table(f"Claims of {name} under fresh seeds", columns, rows)


Form = Literal["all", "failed", "json"]
"""What is printed: everything, the claims that failed, or nothing (the document is printed later)."""

CLASSES: Final = 5
"""Classes of errors whose first ones are printed."""
_CLASS: Final = re.compile(r"(?<=: )[A-Z]\w+(?=: |$| \()")
"""The class of an error in its line, where it has one."""


def print_run(
    scenario: Scenario,
    report: Report,
    form: Form,
    *,
    figures: bool,
    full: bool = False,
    replay: str = "",
    limit: float | None = None,
) -> dict[str, object]:
    """Print the outcome of a scenario, draw its figures, and return the outcome for programs.

    `replay` is the command that replays a game of it, without the point; `limit` the seconds that a game may take.
    """
    folder, whole = report.dir, form == "all"
    # there is nothing to put into words or figures
    lost = bool(report.errors) and bool((report.trials.verdict == ERROR).all())
    answers, table, pairs = answered(report, paired=not lost)
    dropped = _print_remarks(scenario, report, limit)
    _print_skipped(scenario.skipped if figures and whole else ())
    if whole:
        shown = table if full else first_rows(table, MOST_ROWS, f"{folder / TABLE}, or --full")
        print_table(shown)
        complete = shown is table and POINT in table.headers(terminal_width())
        if replay and scenario.task.replayed:
            where = f" --point N (N: column {POINT}{'' if complete else f' of {folder / TABLE}'})"
            print_text(f"replay: {replay}{where * (len(scenario.points) > 1)}")
            click.echo()
    if claims := [one for one in report.findings if whole or (form == "failed" and one.fails)]:
        print_table(claims_table(scenario.name, claims))
    if whole:
        if pairs.rows:
            print_table(pairs if full else first_rows(pairs, MOST_PAIRS, f"disttrack report {folder}"))
        _print_played(report)
    page, undrawn = None, ""
    if figures and not lost:
        with status(scenario.name, quiet=not whole) as show:
            page, undrawn = write_page(report, show)
    if whole and page is not None:
        print_text(f"report: {page}")
    return {
        "scenario": scenario.name,
        "title": answers.title,
        "shared": answers.subtitle,
        "ok": report.ok and not undrawn and not (figures and any(MEANT in one.why for one in scenario.skipped)),
        "columns": [{"header": one.header, "says": one.says, "kind": one.kind} for one in answers.columns],
        "rows": answers.records(),
        "claims": [finding.row() for finding in report.findings],
        "errors": report.errors,
        "dropped": dropped,
        "games": {"played": report.played, "alike": report.alike, "kept": report.kept},
        "seconds": report.seconds,
        "results": folder,
        "report": page,
    }


def _print_played(report: Report) -> None:
    """Print how many games were played, and where the results are."""
    alike = f", {report.alike:,} more without coins" if report.alike else ""
    kept = f", {report.kept:,} kept from before" if report.kept else ""
    print_text(f"{count(report.played, 'game')} played{alike}{kept}, {duration(report.seconds)}")
    print_text(f"results: {report.dir}")


def print_seeds(scenario: Scenario, held: Sequence[Held], errors: Sequence[str], form: Form) -> dict[str, object]:
    """Print how often each claim held under fresh seeds, and return it for programs."""
    _print_errors(errors, "errors.txt of each seed")
    if claims := [one for one in held if form == "all" or (form == "failed" and not one.always)]:
        print_table(seeds_table(scenario.name, claims))
    ok = not errors and all(row.always for row in held)
    return {"scenario": scenario.name, "ok": ok, "claims": [vars(row) for row in held], "errors": errors}


def _print_remarks(scenario: Scenario, report: Report, limit: float | None) -> list[str]:
    """Print what readers of the outcome should know: rows that were dropped, errors, output of classes, damage.

    Return the lines on the user's files and classes, and on faults that never came.
    """
    from disttrack.simulator.experiments.runs.journal import JOURNAL
    from disttrack.simulator.experiments.runs.own_folder import PRINTED
    from disttrack.simulator.experiments.scenario.load import unjudged
    from disttrack.simulator.game.tasks.remarks import remarks

    lost = set()
    if report.errors:
        played = set(report.trials.point[report.trials.verdict != ERROR].tolist())
        lost = {point.number for point in scenario.points} - played
    of_points = remarks(scenario.points, lost=lost, limit=limit, elsewhere=True)
    dropped = [*of_points, *unjudged(scenario), *report.unmet]
    for line in dropped:
        print_text(line, err=True)
    _print_errors(report.errors, str(report.dir / ERRORS))
    if (report.dir / PRINTED).is_file():
        print_text(f"printed by classes: {report.dir / PRINTED}", err=True)
    if report.differs:
        changed = ", ".join(report.differs)
        print_text(f"no earlier game kept; changed: {changed}", err=True)
    if report.damaged:
        games = f"games kept: {report.kept:,}, played: {report.played:,}"
        print_text(f"{JOURNAL} was damaged ({games}); it is kept as {JOURNAL}.damaged", err=True)
    return dropped


def _print_skipped(skipped: Sequence[Skipped]) -> None:
    """Print the figures that are skipped; skipped claims stand in the table of claims."""
    for one in skipped:
        if one.what == "plot":
            print_text(one.line, err=True)


def _print_errors(errors: Sequence[str], place: str) -> None:
    """Print how many games ended in an error, the first of each class, and where the tracebacks are."""
    classes: dict[str, list[str]] = {}
    for error in errors:
        match = _CLASS.search(error)
        classes.setdefault(match[0] if match else "", []).append(error)
    lines = [
        f"{count(len(alike), 'game')} ended in an error, the first: {alike[0]}"
        for alike in classes.values()
    ]
    more = [f"errors of {len(lines) - CLASSES:,} more classes"] if len(lines) > CLASSES else []
    for line in [*lines[:CLASSES], *more]:
        print_text(f"{line} (tracebacks: {place})", err=True)
