"""The tables at the end of a run: the games by point, the claims, and the claims under fresh seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from disttrack.simulator.claims.judge import UNDECIDED
from disttrack.simulator.cli.layout import Column, Table
from disttrack.simulator.results.formats import chance, games_of, interval, number, span

if TYPE_CHECKING:
    from disttrack.simulator.claims.judge import Finding
    from disttrack.simulator.results.answers import AnswerTable
    from disttrack.simulator.runs.seeds import Held
    from disttrack.simulator.scenario.load import Scenario

MOST_ROWS: Final = 60
"""Points that are shown; more are in the table on the disk."""
ROOMY: Final = 100
"""Letters in a line from which on claims are shown with their power."""
SIDES: Final = ("protocol", "adversary")
"""Columns whose cells are names."""


def games_table(answers: AnswerTable, file: str) -> Table:
    """Return the table that answers the question: one row per point, with the meaning of each column."""
    columns = [
        Column(
            column.header,
            right=column.header not in SIDES,
            rank=column.rank,
            key=column.kind == "setting",
            source=column.source,
            says=column.says if column.kind == "answer" else "",
        )
        for column in answers.columns
    ]
    more = len(answers.texts) - MOST_ROWS
    notes = [f"… and {more:,} more points in {file}"] if more > 0 else []
    return Table(answers.title, columns, answers.texts[:MOST_ROWS], answers.subtitle, notes, file)


def claims_table(findings: Sequence[Finding], width: int | None) -> Table:
    """Return the claims, one row each; the measure is below the claim, in a pipe beside it."""
    beside = width is None
    rows = []
    for finding in findings:
        name = claim_name(finding)
        rows.append(
            [
                finding.verdict,
                name if beside else f"{name}\n{finding.measure}",
                finding.measure * beside,
                (number(finding.value) if finding.verdict != UNDECIDED else "") or finding.note,
                number(finding.control),
                interval(finding.low, finding.high),
                finding.bound,
                number(finding.power) if width is None or width >= ROOMY else "",
                games_of(finding.games, finding.played),
            ]
        )
    columns = [
        Column("verdict", key=True),
        Column("claim", wraps=True, key=True),
        Column("measure"),
        Column("measured", wraps=True),
        Column("control"),
        Column("95 % interval"),
        Column("bound"),
        Column("power"),
        Column("games", right=True),
    ]
    return Table("Claims", columns, rows, notes=list(_notes(findings, power=any(row[-2] for row in rows))))


def claim_name(finding: Finding) -> str:
    """Return the name of a claim, with the group that it is made for."""
    return finding.name + (f" [{finding.group}]" if finding.group else "")


def _notes(findings: Sequence[Finding], *, power: bool) -> Iterator[str]:
    """Yield the meaning of the columns, and which claims a fresh run would miss by chance too often."""
    from disttrack.simulator.claims.false_alarm import ALLOWED, together

    if any(finding.control is not None for finding in findings):
        yield "control: the same where what the claim speaks of is broken; there it must miss its bound"
    if power:
        yield "power: the value beyond the bound that a run of this size would refute with probability 95 %"
    rates: dict[tuple[str, str, str], list[float | None]] = {}
    for finding in findings:
        rates.setdefault((finding.name, finding.where, finding.measure), []).append(finding.false_alarm)
    sums = {name: together(mine) for (name, _, _), mine in rates.items()}
    often = [f"{name} ({chance(rate)})" for name, rate in sums.items() if rate is not None and rate > ALLOWED]
    if often:
        yield f"a fresh seed may miss by chance, in more than {ALLOWED:g} of all runs: {'; '.join(often)}"


def failing_claims(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield a line per claim that does not hold: what was measured, and what the claim wants."""
    for finding in findings:
        value = number(finding.value)
        if finding.verdict == "PASS":
            continue
        if value:
            note = f"; {finding.note}" if finding.note else ""
            missed = f"{finding.measure} is {value}, wanted {finding.bound}{note}"
        else:
            missed = f"{finding.note or 'not measured'}; wanted {finding.measure} {finding.bound}"
        yield f"{finding.verdict} {claim_name(finding)}: {missed}"


def seeds_table(scenario: Scenario, held: Sequence[Held]) -> Table:
    """Return a row per claim: under how many fresh seeds it held, and the range of the measured values."""
    columns = [
        Column("held", key=True),
        Column("claim", wraps=True, key=True),
        Column("measure", wraps=True, rank=1),
        Column("measured"),
        Column("bound"),
        Column("failing seeds", wraps=True),
    ]
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
    always = f"{sum(row.always for row in held):,} of {len(held):,} claims held under every seed"
    return Table(f"{scenario.head.title or scenario.name}: claims under fresh seeds", columns, rows, notes=[always])
