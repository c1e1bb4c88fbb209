"""What a result says in two tables: the games by point, and the claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from simulator.cli.tables import print_table
from simulator.results.formats import cell, chance, interval, number, span

if TYPE_CHECKING:
    from simulator.claims.judge import Finding
    from simulator.results.folder import Results
    from simulator.runs.seeds import Held
    from simulator.scenario.load import Scenario

MOST_ROWS: Final = 60
"""Points that are shown; more are in the table on the disk."""
MOST_LETTERS: Final = 44
"""Letters of a measure that are shown."""


def print_games(results: Results, scenario: Scenario) -> None:
    """Print a row per point: how many games held, the largest error, the cost."""
    rows, headers = games_by_point(results, scenario)
    title = scenario.head.title or scenario.name
    print_table(title, headers, rows[:MOST_ROWS], right=[*headers[2:]])
    if len(rows) > MOST_ROWS:
        click.echo(f"… and {len(rows) - MOST_ROWS:,} more points in {results.dir / 'trials.csv'}")


def games_by_point(results: Results, scenario: Scenario) -> tuple[list[list[str]], list[str]]:
    """Return the rows of that table and its headers. Numbers are medians over the games of a point."""
    trials = results.trials
    sizes = [size.column for size in scenario.task.sizes if size.column not in scenario.extra]
    shown = [name for name in (*sizes, "alpha") if name in trials and trials[name].notna().any()]
    shown += scenario.extra
    headers = [
        "protocol",
        "adversary",
        *(scenario.called.get(name, name) for name in shown),
        "held",
        "error/alpha",
        "largest error",
        "words",
        "seconds",
    ]
    rows = []
    for _, games in trials.groupby("point", sort=True):
        first = games.iloc[0]
        held = f"{int(games['ok'].sum())} of {len(games)}"
        over = (games["max_rel_error"] / games["alpha"]).median()
        middle = [cell(first[name]) for name in shown]
        rows.append(
            [
                str(first["protocol"]),
                str(first["adversary"]),
                *middle,
                held,
                number(float(over)),
                number(float(games["max_rel_error"].median())),
                number(float(games["words"].median())),
                number(float(games["seconds"].median())),
            ]
        )
    return rows, headers


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
