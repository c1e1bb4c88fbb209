"""``disttrack audit``: what runs prove about a mechanism's or the robust tracker's privacy, beside its claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.layout import Column, Table
from disttrack.simulator.cli.point_flags import made
from disttrack.simulator.cli.tables import Form, form_options, print_json, print_table
from disttrack.simulator.results.formats import cell

COLUMNS: Final = (
    Column("verdict", key=True),
    Column("audited", key=True),
    Column("claimed", right=True, says="epsilon that is claimed"),
    Column("delta", right=True, rank=2, says="delta that is claimed"),
    Column("runs prove", right=True, says="what epsilon is at least, by the runs"),
    Column("exact", right=True, says="the loss on these inputs, where it can be worked out"),
    Column("proved", right=True, rank=1, says="what is proved of that loss"),
    Column("half the noise", right=True, rank=1, says="loss of a copy with half of the noise"),
    Column("arithmetic", rank=2, says="in which the privacy holds: grid, rounded, coins or real numbers"),
    Column("inputs", wraps=True, rank=3, says="the two neighbouring inputs"),
)


@click.command(
    epilog="A name may have parameters: 'binary literal=true', 'robust alpha=0.05'. A class of your own is "
    "module:Class or path/to/file.py:Class; it is audited like the shipped class that it extends. "
    "all: every shipped mechanism, and robust."
)
@click.argument(
    "names",
    nargs=-1,
    required=True,
    metavar="NAME…",
    shell_complete=complete.kinds_of("mechanism", also=("all", "robust")),
)
@click.option("--runs", type=click.IntRange(min=100), help="Runs on each input, in each half; rounds of the tracker.")
@click.option("--sites", type=click.IntRange(min=1), help="Sites of the audited tracker; 9 if left out.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Root of all randomness.")
@click.option(
    "--false-alarm",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=1e-4,
    show_default=True,
    help="Chance that an audit refutes a claim that holds.",
)
@click.option("--budget", is_flag=True, help="Show where the epsilon goes, as a tree, and audit nothing.")
@form_options
def audit(
    names: tuple[str, ...],
    runs: int | None,
    sites: int | None,
    seed: int,
    false_alarm: float,
    budget: bool,
    form: Form,
) -> int:
    """Find a lower bound for epsilon from runs on neighbouring inputs, and compare it with the claim.

    Exit status 1 if a claim is refuted.
    """
    from disttrack.simulator.points.registry import kinds
    from disttrack.simulator.tasks.audit.accounting import MISSING, available

    audited = [_audited(name) for name in ([*kinds("mechanism"), "robust"] if names == ("all",) else names)]
    if budget:
        return _print_budgets(audited, sites)
    if not available():
        click.echo(MISSING, err=True)
    rows = [_row(one, runs, sites, {"seed": seed, "false_alarm": false_alarm}) for one in audited]
    refuted = [row for row in rows if row["verdict"] == "refuted"]
    if form == "json":
        print_json({"false_alarm": false_alarm, "audits": rows})
    elif form == "table":
        title = f"Audits, each with a false alarm once in {1 / false_alarm:,.0f}"
        print_table(Table(title, COLUMNS, [[cell(row[column.header]) for column in COLUMNS] for row in rows]))
    for row in refuted if form == "quiet" else ():
        least, claimed = cell(row["runs prove"]), cell(row["claimed"])
        click.echo(f"{row['audited']}: refuted: by the runs epsilon is at least {least}; it claims {claimed}")
    return int(bool(refuted))


def _row(audited: Any, runs: int | None, sites: int | None, common: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of an audit: claim, what runs prove of it, and exact loss and proved bound where there are any."""
    from disttrack.protocols import Robust
    from disttrack.simulator.tasks.audit import audit_mechanism, audit_tracker, loss_with_half_the_noise

    facts: dict[str, Any] = {"delta": 0.0, "half the noise": None, "arithmetic": "grid"}
    if isinstance(audited, Robust):
        options: dict[str, Any] = {"transcripts": runs, "sites": sites}
        given = {name: value for name, value in options.items() if value is not None}
        result: Any = audit_tracker(audited, **common, **given)
        facts |= {"exact": result.largest_loss, "proved": result.epsilon, "inputs": result.inputs}
    else:
        result = audit_mechanism(audited, **common, **({} if runs is None else {"runs": runs}))
        exact = result.exact
        facts |= {"delta": result.delta, "exact": exact and exact.loss, "proved": exact and exact.proved}
        facts |= {"half the noise": loss_with_half_the_noise(audited, **common), "arithmetic": result.arithmetic}
        facts |= {"inputs": (exact or result).inputs}
    verdict = "refuted" if result.exceeds else "stands"
    row = {"audited": result.name, "verdict": verdict, "claimed": result.epsilon, "runs prove": result.epsilon_low}
    return {name: float(value) if isinstance(value, int) else value for name, value in {**row, **facts}.items()}


def _print_budgets(audited: list[Any], sites: int | None) -> int:
    """Print the ledger of each; return 1 if one draws more than it claims, or claims nothing."""
    from disttrack.simulator.errors import ScenarioError
    from disttrack.simulator.tasks.audit.budget import SITES, budget_lines

    failed = False
    for one in audited:
        try:
            click.echo("\n".join(budget_lines(one, sites or SITES)) + "\n")
        except ScenarioError as error:
            failed = True
            click.echo(f"{error}\n")
    return int(failed)


def _audited(text: str) -> Any:
    """Return the mechanism or protocol that a name and its parameters describe."""
    from disttrack.protocols import Robust
    from disttrack.protocols.base import Protocol
    from disttrack.simulator.errors import ScenarioError
    from disttrack.simulator.points.registry import parameters
    from disttrack.simulator.tasks.audit.cases import usual

    def defaults(kind: str, maker: Any) -> Mapping[str, Any]:
        if issubclass(maker, Protocol):
            return {"alpha": 0.1}
        return usual(str(getattr(maker, "kind", "") or kind), list(parameters(maker)))

    audited = made("audit", text, ("mechanism", "protocol"), defaults)
    if isinstance(audited, Protocol) and not isinstance(audited, Robust):
        raise ScenarioError(f"disttrack audit: {audited.kind} claims no privacy (accepted: robust, and mechanisms)")
    return audited
