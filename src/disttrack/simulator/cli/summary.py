"""The tables at the end of a run: the games by point, the claims, and the claims under fresh seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from disttrack.simulator.claims.findings import UNDECIDED
from disttrack.simulator.cli.tables import Column, Table
from disttrack.simulator.results.formats import chance, games_of, interval, number, span

if TYPE_CHECKING:
    from disttrack.simulator.claims.findings import Finding
    from disttrack.simulator.results.answers import AnswerTable
    from disttrack.simulator.runs.seeds import Held

MOST_ROWS: Final = 60
"""Points that are shown; more are in the table on the disk."""
SIDES: Final = ("protocol", "adversary")
"""Columns whose cells are names."""


def games_table(answers: AnswerTable, file: str) -> Table:
    """Return the table that answers the question: one row per point, with the meaning of each measured column."""
    meanings = answers.meanings
    columns = [
        Column(one.header, right=one.header not in SIDES, rank=one.rank, says=meanings.get(one.header, ""))
        for one in answers.columns
    ]
    more = len(answers.texts) - MOST_ROWS
    notes = [f"… and {more:,} more points in {file}"] if more > 0 else []
    return Table(answers.title, columns, answers.texts[:MOST_ROWS], answers.subtitle, notes)


def claims_table(name: str, findings: Sequence[Finding]) -> Table:
    """Return the claims of a scenario, one row each."""
    columns = [
        Column("verdict"),
        Column("claim"),
        Column("measured"),
        Column("bound", right=True),
        Column("control", right=True, rank=1, says="measured with a part broken, where the claim must fail"),
        Column("95 % interval", right=True, rank=2),
        Column("games", right=True, rank=2),
        Column("false alarm", right=True, rank=4, says="probability that the claim fails although it is true"),
        Column("power", right=True, rank=3, says="value beyond the bound that is refuted with probability 95 %"),
    ]
    rows = [
        [
            finding.verdict,
            f"{claim_name(finding)}: {finding.measure}",
            (number(finding.value) if finding.verdict != UNDECIDED else "") or finding.note,
            finding.bound,
            number(finding.control),
            interval(finding.low, finding.high),
            games_of(finding.games, finding.played),
            chance(finding.false_alarm),
            number(finding.power),
        ]
        for finding in findings
    ]
    return Table(f"Claims of {name}", columns, rows)


def claim_name(claim: Finding | Held) -> str:
    """Return the name of a claim, with the group that it is made for."""
    return claim.name + (f" [{claim.group}]" if claim.group else "")


def seeds_table(name: str, held: Sequence[Held]) -> Table:
    """Return a row per claim: under how many fresh seeds it held, and the range of the measured values."""
    headers = ("held", "claim", "measured", "bound", "failing seeds")
    columns = [Column(header, right=header in ("held", "measured", "bound")) for header in headers]
    rows = [
        [
            f"{row.held} of {row.seeds}",
            f"{claim_name(row)}: {row.measure}",
            span([value for value in (row.least, row.most) if value is not None]),
            row.bound,
            " ".join([*map(str, row.failed), *(f"{seed} (undecided)" for seed in row.undecided)]),
        ]
        for row in held
    ]
    return Table(f"Claims of {name} under fresh seeds", columns, rows)
