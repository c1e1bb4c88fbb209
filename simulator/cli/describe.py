"""``disttrack describe``: one kind in its class's own words, or one scenario."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator.results.formats import number

if TYPE_CHECKING:
    from simulator.points.facts import Cost
    from simulator.points.registry import Family


@click.command()
@click.argument("name")
def describe(name: str) -> None:
    """Describe a kind or a scenario: parameters, source, guarantee, cost, error.

    NAME is a name that disttrack list shows, or a class of your own: module:Class, path/to/file.py:Class.
    """
    from simulator.errors import ScenarioError, nearest
    from simulator.points.registry import FAMILIES, kinds
    from simulator.points.source import is_reference
    from simulator.scenario.load import shipped_scenarios

    if is_reference(name):
        _describe_own(name)
        return
    found = False
    for family in FAMILIES:
        kind = kinds(family).get(name)
        if kind is not None:
            found = True
            _describe(family, kind.name, kind.origin, kind.reference, kind.load())
    scenarios = shipped_scenarios()
    if name in scenarios:
        found = True
        _describe_scenario(name)
    if not found:
        names = [*(kind for family in FAMILIES for kind in kinds(family)), *scenarios]
        raise ScenarioError(f"there is no {name!r}{nearest(name, names)} (disttrack list shows what there is)")


def _describe_own(reference: str) -> None:
    """Describe a class of the user's own, of the family whose base it extends."""
    from simulator.points.registry import FAMILIES, base_of, find
    from simulator.points.source import source_of

    here = Path.cwd()
    maker = find("protocol", reference, source_of(reference, here), here)  # a reference is found alike in all families
    bases = {family: base_of(family) for family in FAMILIES}
    if inspect.isclass(maker):
        extended = [family for family, base in bases.items() if base is not None and issubclass(maker, base)]
    else:
        extended = ["adversary"]  # a function of the view
    _describe(extended[0] if extended else "mechanism", reference, "your own", maker.__qualname__, maker)


def _describe(family: Family, name: str, origin: str, reference: str, maker: Any) -> None:
    from simulator.points.facts import facts

    known = facts(family, name, origin, reference, maker)
    click.echo(f"{name} ({family}, {origin}, {'class' if inspect.isclass(maker) else 'function'} {reference})")
    click.echo("  " + "\n  ".join(known.says.splitlines()))
    for fact, said in known.told.items():
        click.echo(f"{fact + ':':<12}{said}")
    if known.sizes:
        click.echo("sizes:")
    for size in known.sizes:
        column = f", column {size.column}" if size.column != size.key else ""
        click.echo(f"  {size.key} (at least {size.least}{', must be given' * size.needed}{column}): {size.says}")
    if known.parameters:
        click.echo("parameters:")
    for parameter in known.parameters:
        click.echo(f"  {parameter.name} ({parameter.shown}): {parameter.says}".rstrip(": "))
    if known.cost is not None:
        _cost(known.cost)
    click.echo()


def _cost(cost: Cost) -> None:
    """Print what the protocol's own bound says at a few sizes."""
    click.echo("cost:       " + cost.says)
    if not cost.bounds:
        click.echo("  no bound is stated")
    at = "" if cost.alpha is None else f" with alpha = {cost.alpha}"
    for k, items, bound in cost.bounds:
        click.echo(f"  {k:>5,} sites, {items:>13,} items{at}: at most {number(float(round(bound)))} messages")


def _describe_scenario(name: str) -> None:
    from simulator.claims.judge import bound
    from simulator.scenario.document import comment
    from simulator.scenario.load import load, shipped_scenarios

    path = shipped_scenarios()[name]
    scenario = load(path)
    click.echo(f"{name} (scenario, {path})")
    said = comment(path)
    if said:
        click.echo("  " + "\n  ".join(said.splitlines()))
    click.echo(f"title:      {scenario.head.title}")
    click.echo(f"games:      {len(scenario.points):,} points, {scenario.head.trials:,} trials each")
    for claim in scenario.head.claims:
        where = f" where {claim.where}" if claim.where else ""
        click.echo(f"claim:      {claim.name}: {claim.measure} {bound(claim)}{where}")
    click.echo()
