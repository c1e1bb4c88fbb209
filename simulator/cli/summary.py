"""What a result says in two tables: the games by point, and the claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from simulator.cli.tables import print_table
from simulator.results.formats import chance, interval, number, span

if TYPE_CHECKING:
    from simulator.claims.judge import Finding
    from simulator.results.folder import Results
    from simulator.runs.seeds import Held
    from simulator.scenario.load import Scenario

MOST_ROWS: Final = 60
"""Points that are shown; more are in the table on the disk."""
MOST_LETTERS: Final = 44
"""Letters of a measure that are shown."""


def print_games(results: Results) -> None:
    """Print the table that answers the question: a row per point."""
    from simulator.results.answers import answer_table

    table = answer_table(results)
    right = [column.header for column in table.columns if column.header not in ("protocol", "adversary")]
    print_table(f"{table.title}\n{table.subtitle}", table.headers, table.texts[:MOST_ROWS], right=right)
    if len(table.texts) > MOST_ROWS:
        click.echo(f"… and {len(table.texts) - MOST_ROWS:,} more points in {results.dir / 'trials.csv'}")


def print_claims(findings: Sequence[Finding]) -> None:
    """Print a row per claim: measured, the same in its control, interval, bound, verdict."""
    if not findings:
        return
    rows = [
        [
            finding.verdict,
            finding.name + (f" [{finding.group}]" if finding.group else ""),
            _beginning(finding.measure),
            number(finding.value) or finding.note,
            number(finding.control),
            interval(finding.low, finding.high),
            finding.bound,
            number(finding.games),
        ]
        for finding in findings
    ]
    headers = ["verdict", "claim", "measure", "measured", "control", "95 % interval", "bound", "games"]
    print_table("Claims", headers, rows, right=["games"])
    if any(finding.control is not None for finding in findings):
        click.echo("control: the same where what the claim speaks of is broken; there it must miss its bound")
    _print_false_alarms(findings)


def _print_false_alarms(findings: Sequence[Finding]) -> None:
    """Print which claims a fresh run would miss by chance too often."""
    from simulator.claims.false_alarm import ALLOWED, together

    rates: dict[tuple[str, str, str], list[float | None]] = {}
    for finding in findings:
        rates.setdefault((finding.name, finding.where, finding.measure), []).append(finding.false_alarm)
    sums = {name: together(mine) for (name, _, _), mine in rates.items()}
    often = [f"{name} ({chance(rate)})" for name, rate in sums.items() if rate is not None and rate > ALLOWED]
    if often:
        click.echo(f"a fresh seed may miss by chance, in more than {ALLOWED:g} of all runs: {'; '.join(often)}")


def print_seeds(scenario: Scenario, held: Sequence[Held]) -> None:
    """Print a row per claim: under how many fresh seeds it held, and the range of what was measured."""
    rows = [
        [
            f"{row.held} of {row.seeds}",
            row.name + (f" [{row.group}]" if row.group else ""),
            _beginning(row.measure),
            span([value for value in (row.least, row.most) if value is not None]),
            row.bound,
            " ".join(map(str, row.failed)),
        ]
        for row in held
    ]
    headers = ["held", "claim", "measure", "measured", "bound", "failing seeds"]
    print_table(f"{scenario.head.title or scenario.name}: claims under fresh seeds", headers, rows)
    always = sum(row.always for row in held)
    click.echo(f"{always:,} of {len(held):,} claims held under every seed")


def _beginning(text: str) -> str:
    """Return the beginning of a long measure; all of it is in claims.csv."""
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
