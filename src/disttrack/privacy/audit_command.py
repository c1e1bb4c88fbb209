"""``disttrack audit``: a lower bound on the privacy loss of a mechanism or of the robust tracker, beside its claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import JSON, SEED, class_of
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.shown.terminal.tables import Column, Table, print_json, print_table

if TYPE_CHECKING:
    from disttrack.simulator.experiments.scenario.load import Scenario


@click.command(
    epilog="A name may have parameters: 'binary literal=true', robust:alpha=0.05. A class of your own is "
    "module:Class or path/to/file.py:Class; it is audited like the shipped class that it extends. "
    "all: every shipped mechanism, and robust."
)
@click.argument(
    "names", nargs=-1, required=True, metavar="NAME…", shell_complete=completion.kinds_of("all", "robust", "mechanism")
)
@click.option(
    "--runs",
    type=click.IntRange(min=100),
    help="Runs on each input, to learn and again to test; rounds of the tracker.",
)
@SEED
@click.option("--budget", is_flag=True, help="Print the privacy budget as a tree, without an audit.")
@JSON
def audit(names: tuple[str, ...], runs: int | None, seed: int, budget: bool, as_json: bool) -> int:
    """Find a lower bound for epsilon from runs on neighbouring inputs, and compare it with the claim.

    Exit status 1 if a claim is refuted.
    """
    from disttrack.privacy.tasks.audit.budget import missing

    each = [*_audited(), "robust"] if names == ("all",) else _with_parameters(names)
    scenarios = [_scenario(name, runs) for name in each]
    if budget:
        return _print_budgets(scenarios)
    if message := missing():
        click.echo(message, err=True)
    rows = [_row(scenario, seed) for scenario in scenarios]
    if as_json:
        print_json({"audits": rows})
    else:
        print_table(_table(scenarios, rows))
    return int(any(row["exceeds"] for row in rows))


def _with_parameters(words: Sequence[str]) -> list[str]:
    """Return names with the parameters that follow each in words of their own: ``robust alpha=0.1``."""
    names: list[str] = []
    for word in words:
        if names and re.match(r"\w+=", word):
            names[-1] += f" {word}"
        else:
            names.append(word)
    return names


def _audited() -> list[str]:
    """Return the names of the mechanisms that have an audit."""
    from disttrack.privacy.tasks.audit.task import Audit

    return list(Audit.kinds("protocol"))


def _scenario(name: str, runs: int | None) -> Scenario:
    """Return the audit of a mechanism, or of a tracker, as a scenario of one point."""
    from disttrack.privacy.tasks.audit.task import Audit, why_not_audited
    from disttrack.simulator.experiments.scenario.load import load

    entry = entry_of(name)
    maker = class_of(entry["kind"], "protocol", "adversary")
    if why := why_not_audited(maker):
        accepted = "mechanisms with noise, which `disttrack audit all` goes through, and robust"
        raise ScenarioError(f"{entry['kind']} {why}: it cannot be audited (accepted: {accepted})")
    tracker = not Audit.meant_for(maker)
    task, size = ("audit-tracker", "transcripts") if tracker else ("audit", "runs")
    data = {"name": "audit", "task": task, "protocol": {"alpha": 0.1, **entry} if tracker else entry}
    return load({**data, "adversary": "round-robin", **({} if runs is None else {size: runs})})


def _row(scenario: Scenario, seed: int) -> dict[str, object]:
    """Return an audit by the columns of its task."""
    (point,) = scenario.points
    record = scenario.task.play(point, seed)
    verdict = "refuted" if record.row["exceeds"] else "stands"
    return {**record.row, "verdict": verdict, "audited": point.protocol.label, "inputs": record.engine_reason}


def _table(scenarios: list[Scenario], rows: list[dict[str, object]]) -> Table:
    """Return the audits with the answers of their tasks, a row each."""
    from disttrack.simulator.experiments.results.formats import cell

    proved = "lower bound on epsilon, from the runs alone"
    columns = [Column("verdict"), Column("audited"), Column("runs prove", right=True, says=proved)]
    cells = []
    for scenario, row in zip(scenarios, rows, strict=True):
        answers = [one for one in scenario.task.answers if one.of in scenario.task.columns and one.of != "epsilon_low"]
        columns += [Column(one.header, True, one.rank, one.says) for one in answers]
        cells.append({**row, "runs prove": row["epsilon_low"], **{one.header: row[str(one.of)] for one in answers}})
    columns = list({column.header: column for column in [*columns, Column("inputs", rank=3)]}.values())
    return Table("Audits", columns, [[cell(mine.get(column.header)) for column in columns] for mine in cells])


def _print_budgets(scenarios: list[Scenario]) -> int:
    """Print the ledger of each; return 1 if one draws more than it claims, or claims nothing."""
    from disttrack.privacy.tasks.audit.budget import budget_lines
    from disttrack.privacy.tasks.audit.task import Audit, mechanism_of

    failed = False
    for scenario in scenarios:
        (point,) = scenario.points
        thing = mechanism_of(point) if isinstance(scenario.task, Audit) else point.protocol.make()
        try:
            text = "\n".join(budget_lines(thing))
        except ScenarioError as error:
            failed, text = True, str(error)
        click.echo(f"{text}\n")
    return int(failed)
