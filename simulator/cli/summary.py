"""What a result says in two tables: the games by point, and the claims."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from simulator.claims.judge import UNDECIDED
from simulator.cli.layout import Column
from simulator.cli.tables import coloured, print_table, table_lines, terminal_width
from simulator.results.formats import chance, games_of, interval, number, span

if TYPE_CHECKING:
    from simulator.claims.judge import Finding
    from simulator.results.answers import AnswerTable
    from simulator.results.folder import Results
    from simulator.runs.seeds import Held
    from simulator.scenario.load import Scenario

MOST_ROWS: Final = 60
"""Points that are shown; more are in the table on the disk."""
ROOMY: Final = 100
"""Letters in a line from which on claims are shown with their power."""
SIDES: Final = ("protocol", "adversary")
"""Columns whose cells are names."""


def print_games(results: Results) -> None:
    """Print the table that answers the question: a row per point."""
    from simulator.results.answers import answer_table

    click.echo("\n".join(games_lines(answer_table(results), terminal_width(), str(results.dir / "trials.csv"))) + "\n")


def games_lines(table: AnswerTable, width: int | None, file: str) -> list[str]:
    """Return the games by point as lines, with what the columns mean, and where the rest is."""
    columns = [
        Column(
            column.header,
            right=column.header not in SIDES,
            rank=column.rank,
            key=column.kind == "setting",
            named=column.header in SIDES,
            source=column.source,
            says=column.says if column.kind == "answer" else "",
        )
        for column in table.columns
    ]
    more = len(table.texts) - MOST_ROWS
    return table_lines(
        table.title,
        columns,
        table.texts[:MOST_ROWS],
        width,
        subtitle=table.subtitle,
        notes=[f"… and {more:,} more points in {file}"] if more > 0 else (),
        whole=file,
    )


def print_claims(findings: Sequence[Finding]) -> None:
    """Print a row per claim: measured, the same in its control, interval, bound, verdict."""
    if findings:
        click.echo("\n".join(claims_lines(findings, terminal_width(), colours=coloured(sys.stdout))) + "\n")


def claims_lines(findings: Sequence[Finding], width: int | None, *, colours: bool = False) -> list[str]:
    """Return the claims as lines. The measure stands below the claim, in a pipe beside it."""
    beside = width is None
    roomy = width is None or width >= ROOMY
    rows = []
    for finding in findings:
        named = claim_name(finding)
        rows.append(
            [
                finding.verdict,
                *([named, finding.measure] if beside else [f"{named}\n{finding.measure}"]),
                (number(finding.value) if finding.verdict != UNDECIDED else "") or finding.note,
                number(finding.control),
                interval(finding.low, finding.high),
                finding.bound,
                number(finding.power) if roomy else "",
                games_of(finding.games, finding.played),
            ]
        )
    columns = [
        Column("verdict", key=True, named=True),
        Column("claim", wraps=True, key=True, named=True, least=36),
        *([Column("measure", wraps=True)] if beside else []),
        Column("measured", wraps=True, least=8),
        Column("control"),
        Column("95 % interval"),
        Column("bound"),
        Column("power"),
        Column("games", right=True),
    ]
    filled = [place for place, column in enumerate(columns) if column.key or any(row[place] for row in rows)]
    notes = []
    if any(finding.control is not None for finding in findings):
        notes.append("control: the same where what the claim speaks of is broken; there it must miss its bound")
    if any(row[-2] for row in rows):
        notes.append("power: the value beyond the bound that a run of this size would refute with probability 95 %")
    return table_lines(
        "Claims",
        [columns[place] for place in filled],
        [[row[place] for place in filled] for row in rows],
        width,
        notes=[*notes, *_false_alarms(findings)],
        colours=colours,
    )


def claim_name(finding: Finding) -> str:
    """Return the name of a claim, with the group that it is made for."""
    return finding.name + (f" [{finding.group}]" if finding.group else "")


def _false_alarms(findings: Sequence[Finding]) -> list[str]:
    """Return in a sentence which claims a fresh run would miss by chance too often."""
    from simulator.claims.false_alarm import ALLOWED, together

    rates: dict[tuple[str, str, str], list[float | None]] = {}
    for finding in findings:
        rates.setdefault((finding.name, finding.where, finding.measure), []).append(finding.false_alarm)
    sums = {name: together(mine) for (name, _, _), mine in rates.items()}
    often = [f"{name} ({chance(rate)})" for name, rate in sums.items() if rate is not None and rate > ALLOWED]
    return [f"a fresh seed may miss by chance, in more than {ALLOWED:g} of all runs: {'; '.join(often)}"] * bool(often)


def failing_claims(findings: Sequence[Finding]) -> list[str]:
    """Return a line per claim that does not hold."""
    return [
        f"{finding.verdict} {claim_name(finding)}: {_missed(finding)}"
        for finding in findings
        if finding.verdict != "PASS"
    ]


def _missed(finding: Finding) -> str:
    """Return what was measured instead of what a claim wants, and what else is to be said of it."""
    value = number(finding.value)
    if not value:
        return f"{finding.note or 'not measured'}; wanted {finding.measure} {finding.bound}"
    note = f"; {finding.note}" if finding.note else ""
    return f"{finding.measure} is {value}, wanted {finding.bound}{note}"


def print_seeds(scenario: Scenario, held: Sequence[Held]) -> None:
    """Print a row per claim: under how many fresh seeds it held, and the range of what was measured."""
    rows = [
        [
            f"{row.held} of {row.seeds}",
            row.name + (f" [{row.group}]" if row.group else ""),
            row.measure,
            span([value for value in (row.least, row.most) if value is not None]),
            row.bound,
            " ".join([*map(str, row.failed), *(f"{seed} (undecided)" for seed in row.undecided)]),
        ]
        for row in held
    ]
    columns = [
        Column("held", key=True, named=True),
        Column("claim", wraps=True, key=True, named=True, least=30),
        Column("measure", wraps=True, rank=1),
        Column("measured"),
        Column("bound"),
        Column("failing seeds", wraps=True, least=8),
    ]
    filled = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    title = f"{scenario.head.title or scenario.name}: claims under fresh seeds"
    print_table(title, [columns[i] for i in filled], [[row[i] for i in filled] for row in rows])
    always = sum(row.always for row in held)
    click.echo(f"{always:,} of {len(held):,} claims held under every seed")


def seeds_document(held: Sequence[Held]) -> list[dict[str, Any]]:
    """Return the same rows for programs."""
    names = ("name", "group", "measure", "bound", "held", "seeds", "least", "most", "failed")
    return [{name: getattr(row, name) for name in names} for row in held]
