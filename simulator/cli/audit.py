"""``disttrack audit``: what runs prove about a mechanism's or the robust tracker's privacy, beside its claim."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from simulator.cli import complete
from simulator.cli.layout import Column
from simulator.cli.point_flags import entry_of
from simulator.cli.tables import Form, form_options, print_json, print_table
from simulator.results.formats import cell


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
    from protocols import Robust
    from simulator.points.registry import kinds
    from simulator.tasks.audit import TrackerAudit, audit_mechanism, audit_tracker, loss_with_half_the_noise
    from simulator.tasks.audit.accounting import MISSING, available

    wanted = [*kinds("mechanism"), "robust"] if names == ("all",) else list(names)
    things = [_thing(name) for name in wanted]
    if budget:
        return _budgets(things, sites)
    rows: list[dict[str, Any]] = []
    if not available():
        click.echo(MISSING, err=True)
    for thing in things:
        common: dict[str, Any] = {"seed": seed, "false_alarm": false_alarm}
        if isinstance(thing, Robust):
            options: dict[str, Any] = {"transcripts": runs, "sites": sites}
            given = {name: value for name, value in options.items() if value is not None}
            found: Any = audit_tracker(thing, **common, **given)
        else:
            common |= {"runs": runs} if runs is not None else {}
            found = audit_mechanism(thing, **common)
        halved = None if isinstance(found, TrackerAudit) else loss_with_half_the_noise(thing, **common)
        rows.append(_row(found, isinstance(found, TrackerAudit), halved))
    _tell(rows, false_alarm, form)
    return int(any(row["verdict"] == "refuted" for row in rows))


def _tell(rows: list[dict[str, Any]], false_alarm: float, form: Form) -> None:
    """Print the audits."""
    if form == "json":
        print_json({"false_alarm": false_alarm, "audits": rows})
    elif form == "quiet":
        for row in rows:
            if row["verdict"] == "refuted":
                least, claimed = cell(row["runs prove"]), cell(row["claimed"])
                click.echo(f"{row['audited']}: refuted: by the runs epsilon is at least {least}; it claims {claimed}")
    else:
        columns = [
            Column("audited", key=True, named=True),
            Column("verdict", key=True, named=True),
            Column("claimed", right=True, says="epsilon that is claimed"),
            Column("delta", right=True, rank=2, says="delta that is claimed"),
            Column("runs prove", right=True, says="what epsilon is at least, by the runs"),
            Column("exact", right=True, says="the loss on these inputs, where it can be worked out"),
            Column("proved", right=True, rank=1, says="what is proved of that loss"),
            Column("half the noise", right=True, rank=1, says="loss of a copy with half of the noise"),
            Column("arithmetic", rank=2, says="in which the privacy holds: grid, rounded, coins or real numbers"),
            Column("inputs", wraps=True, rank=3, says="the two neighbouring inputs"),
        ]
        cells = [[cell(row[column.header]) for column in columns] for row in rows]
        filled = [place for place in range(len(columns)) if any(row[place] for row in cells)]
        print_table(
            f"Audits, each with a false alarm once in {1 / false_alarm:,.0f}",
            [columns[place] for place in filled],
            [[row[place] for place in filled] for row in cells],
        )


def _budgets(things: list[Any], sites: int | None) -> int:
    """Print the ledger of each thing; 1 if one draws more than it claims, or claims none."""
    from simulator.errors import ScenarioError
    from simulator.tasks.audit.budget import SITES, budget_lines

    failed = False
    for thing in things:
        try:
            click.echo("\n".join(budget_lines(thing, sites or SITES)))
        except ScenarioError as error:
            failed = True
            click.echo(str(error))
        click.echo()
    return int(failed)


def _row(found: Any, tracker: bool, halved: float | None) -> dict[str, Any]:
    """Return the row of an audit: the claim, what runs prove of it, the exact loss and what is proved where it was."""
    delta = 0.0 if tracker else found.delta
    verdict = "refuted" if found.exceeds else "stands"
    if tracker:
        exact, proved, inputs = found.largest_loss, found.epsilon, found.inputs
    elif found.exact is not None:
        exact, proved, inputs = found.exact.loss, found.exact.proved, found.exact.inputs
    else:
        exact, proved, inputs = None, None, found.inputs
    row = {"audited": found.name, "verdict": verdict, "claimed": found.epsilon, "delta": delta}
    row |= {"runs prove": found.epsilon_low, "exact": exact, "proved": proved, "half the noise": halved}
    row = {name: float(one) if isinstance(one, int) else one for name, one in row.items()}
    return {**row, "arithmetic": "grid" if tracker else found.arithmetic, "inputs": inputs}


def _thing(text: str) -> Any:
    """Return the mechanism or protocol that a name and its parameters describe."""
    from protocols import Robust
    from protocols.base import Protocol
    from simulator.errors import ScenarioError, accepted, nearest
    from simulator.points.registry import find, kinds, make, parameters
    from simulator.points.source import is_reference, source_of
    from simulator.tasks.audit.cases import usual

    entry = entry_of("audit", text)
    kind = entry.pop("kind")
    family: Any = "protocol" if kind in kinds("protocol") else "mechanism"
    if not is_reference(kind) and kind not in kinds(family):
        known = [*kinds("mechanism"), "robust"]
        raise ScenarioError(f"disttrack audit: unknown name {kind!r}{nearest(kind, known)} ({accepted(known)})")
    here = Path.cwd()
    maker = find(family, kind, source_of(kind, here), here)
    if isinstance(maker, type) and issubclass(maker, Protocol):
        given = {"alpha": 0.1, **entry} if "alpha" in parameters(maker) else entry
        protocol = _made("protocol", maker, given, text, make)
        if not isinstance(protocol, Robust):
            raise ScenarioError(f"disttrack audit: {kind} claims no privacy (accepted: robust, and mechanisms)")
        return protocol
    name = str(getattr(maker, "kind", "") or kind)
    return _made("mechanism", maker, {**usual(name, list(parameters(maker))), **entry}, text, make)


def _made(family: Any, maker: Any, given: dict[str, Any], text: str, make: Any) -> Any:
    from simulator.errors import ScenarioError

    try:
        return make(family, maker, given)
    except ScenarioError as error:
        raise ScenarioError(f"disttrack audit {text}: {error}") from error
