"""The tables at the end of a run: the games by point, the claims, and the claims under fresh seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from disttrack.simulator.claims.judge import UNDECIDED
from disttrack.simulator.cli.tables import Column, Table
from disttrack.simulator.results.formats import chance, games_of, interval, number, span

if TYPE_CHECKING:
    from disttrack.simulator.claims.judge import Finding
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
        Column(
            "power", right=True, rank=3, says="value beyond the bound that such a run refutes with probability 95 %"
        ),
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
            number(finding.power),
        ]
        for finding in findings
    ]
    return Table(f"Claims of {name}", columns, rows, notes=list(_often_missed(findings)))


def claim_name(claim: Finding | Held) -> str:
    """Return the name of a claim, with the group that it is made for."""
    return claim.name + (f" [{claim.group}]" if claim.group else "")


def _often_missed(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield which claims a fresh run would miss by chance too often."""
    from disttrack.simulator.claims.false_alarm import ALLOWED, rate_of_several

    rates: dict[tuple[str, str, str], list[float | None]] = {}
    for finding in findings:
        rates.setdefault((finding.name, finding.where, finding.measure), []).append(finding.false_alarm)
    sums = {name: rate_of_several(mine) for (name, _, _), mine in rates.items()}
    often = [f"{name} ({chance(rate)})" for name, rate in sums.items() if rate is not None and rate > ALLOWED]
    if often:
        yield f"a fresh seed may miss by chance, in more than {ALLOWED:g} of all runs: {'; '.join(often)}"


def seeds_table(name: str, held: Sequence[Held]) -> Table:
    """Return a row per claim: under how many fresh seeds it held, and the range of the measured values."""
    columns = [
        Column("held", right=True),
        Column("claim"),
        Column("measured", right=True),
        Column("bound", right=True),
        Column("failing seeds"),
    ]
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
