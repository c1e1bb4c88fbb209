"""``disttrack describe``: one kind in its class's own words, or one scenario."""

from __future__ import annotations

import re
from dataclasses import MISSING, asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.layout import hanging
from disttrack.simulator.cli.point_flags import maker_of
from disttrack.simulator.cli.tables import Form, form_options, print_facts, print_json, terminal_width
from disttrack.simulator.results.formats import number

if TYPE_CHECKING:
    from disttrack.simulator.points.facts import Cost, Facts


@click.command()
@click.argument("name", shell_complete=complete.kinds_of())
@form_options
def describe(name: str, form: Form) -> None:
    """Describe a kind or a scenario: parameters, source, guarantee, cost, error.

    NAME is a name that disttrack list shows, or a class of your own: module:Class, path/to/file.py:Class.
    """
    from disttrack.simulator.errors import ScenarioError, nearest
    from disttrack.simulator.points.facts import facts
    from disttrack.simulator.points.registry import FAMILIES, family_of, kinds
    from disttrack.simulator.points.source import is_reference
    from disttrack.simulator.scenario.load import shipped_scenarios

    scenarios = shipped_scenarios()
    if is_reference(name):
        maker = maker_of("protocol", name)  # a reference leads to the same class in all families
        known = [facts(family_of(maker) or "mechanism", name, "your own", maker.__qualname__, maker)]
    else:
        found = [kind for family in FAMILIES if (kind := kinds(family).get(name)) is not None]
        known = [facts(kind.family, name, kind.origin, kind.reference, kind.load()) for kind in found]
    if not known and name not in scenarios:
        names = [*(kind for family in FAMILIES for kind in kinds(family)), *scenarios]
        raise ScenarioError(f"there is no {name!r}{nearest(name, names)} (disttrack list shows what there is)")
    scenario = _scenario(scenarios[name]) if name in scenarios else None
    if form == "json":
        print_json({"kinds": [_document(one) for one in known], "scenario": scenario})
    elif form == "table":
        for one in known:
            _print_kind(one)
        if scenario is not None:
            _print_scenario(name, scenario)


def _document(known: Facts) -> dict[str, Any]:
    """Return the facts for programs."""
    parameters = {
        parameter.name: {"says": parameter.says}
        | ({"must be given": True} if parameter.default is MISSING else {"default": parameter.default})
        for parameter in known.parameters
    }
    sizes = {
        size.key: {"says": size.says, "least": size.least, "must be given": size.needed, "column": size.column}
        for size in known.sizes
    }
    names = {name: getattr(known, name) for name in ("name", "family", "origin", "reference", "says")}
    cost = known.cost and asdict(known.cost)
    return {**names, **known.told, "parameters": parameters, "sizes": sizes, "cost": cost}


def _print(text: str, *, further: str = "    ") -> None:
    """Print a line, its further lines indented in a terminal that is narrower."""
    width = terminal_width()
    first, *more = hanging("  ", text, None if width is None else width - len(further) + 2)
    click.echo("\n".join([first, *(further + line.lstrip() for line in more)]))


def _print_kind(known: Facts) -> None:
    click.echo(f"{known.name} ({known.family}, {known.origin}, {known.made} {known.reference})")
    for paragraph in re.split(r"\n\s*\n", known.says):
        _print(paragraph if terminal_width() is None else " ".join(paragraph.split()), further="  ")
        click.echo()
    print_facts(dict(known.told))
    if known.sizes:
        click.echo("sizes:")
    for size in known.sizes:
        column = f", column {size.column}" if size.column != size.key else ""
        needed = ", must be given" if size.needed else ""
        _print(f"{size.key} (at least {size.least}{needed}{column}): {size.says}")
    if known.parameters:
        click.echo("parameters:")
    for parameter in known.parameters:
        _print(f"{parameter.name} ({parameter.shown}): {parameter.says}".rstrip(": "))
    if known.cost is not None:
        _print_cost(known.cost)
    click.echo()


def _print_cost(cost: Cost) -> None:
    """Print the protocol's own bound at a few sizes."""
    print_facts({"cost": cost.says})
    if not cost.bounds:
        click.echo("  no bound is stated")
    at = "" if cost.alpha is None else f" with alpha = {cost.alpha}"
    for k, items, bound in cost.bounds:
        click.echo(f"  {k:>5,} sites, {items:>13,} items{at}: at most {number(float(round(bound)))} messages")


def _scenario(path: Path) -> dict[str, Any]:
    """Return the question and the claims of a scenario."""
    from disttrack.simulator.claims.judge import bound
    from disttrack.simulator.scenario.document import comment
    from disttrack.simulator.scenario.load import load

    scenario = load(path)
    claims = [
        {"name": claim.name, "measure": claim.measure, "bound": bound(claim), "where": claim.where}
        for claim in scenario.head.claims
    ]
    texts = {"file": str(path), "says": comment(path), "title": scenario.head.title, "task": scenario.task.kind}
    return {**texts, "points": len(scenario.points), "trials": scenario.head.trials, "claims": claims}


def _print_scenario(name: str, scenario: dict[str, Any]) -> None:
    click.echo(f"{name} (scenario, {scenario['file']})")
    for line in scenario["says"].splitlines():
        _print(line, further="  ")
    games = f"{scenario['points']:,} points, {scenario['trials']:,} trials each"
    print_facts({"title": scenario["title"], "games": games})
    for claim in scenario["claims"]:
        where = f" where {claim['where']}" if claim["where"] else ""
        print_facts({"claim": f"{claim['name']}: {claim['measure']} {claim['bound']}{where}"})
    click.echo()
