"""``disttrack describe``: one kind in its class's own words, or one scenario."""

from __future__ import annotations

import re
from dataclasses import MISSING, asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator.cli import complete
from simulator.cli.layout import hanging
from simulator.cli.tables import Form, form_options, print_json, terminal_width
from simulator.results.formats import number

if TYPE_CHECKING:
    from simulator.points.facts import Cost, Facts


@click.command()
@click.argument("name", shell_complete=complete.kinds_of())
@form_options
def describe(name: str, form: Form) -> None:
    """Describe a kind or a scenario: parameters, source, guarantee, cost, error.

    NAME is a name that disttrack list shows, or a class of your own: module:Class, path/to/file.py:Class.
    """
    from simulator.errors import ScenarioError, nearest
    from simulator.points.facts import facts
    from simulator.points.registry import FAMILIES, kinds
    from simulator.points.source import is_reference
    from simulator.scenario.load import shipped_scenarios

    found: list[Facts] = []
    scenarios = shipped_scenarios()
    if is_reference(name):
        found.append(_own(name))
    else:
        for family in FAMILIES:
            kind = kinds(family).get(name)
            if kind is not None:
                found.append(facts(family, kind.name, kind.origin, kind.reference, kind.load()))
        if not found and name not in scenarios:
            names = [*(kind for family in FAMILIES for kind in kinds(family)), *scenarios]
            raise ScenarioError(f"there is no {name!r}{nearest(name, names)} (disttrack list shows what there is)")
    scenario = _scenario(scenarios[name]) if name in scenarios else None
    if form == "json":
        print_json({"kinds": [_document(one) for one in found], "scenario": scenario})
    elif form == "table":
        for one in found:
            _tell(one)
        if scenario is not None:
            _tell_scenario(name, scenario)


def _own(reference: str) -> Facts:
    """Return what is known of a class of the user's own, of the family whose base it extends."""
    from simulator.points.facts import facts
    from simulator.points.registry import family_of, find
    from simulator.points.source import source_of

    here = Path.cwd()
    maker = find("protocol", reference, source_of(reference, here), here)  # a reference is found alike in all families
    return facts(family_of(maker) or "mechanism", reference, "your own", maker.__qualname__, maker)


def _document(known: Facts) -> dict[str, Any]:
    """Return the facts for programs."""
    given = {
        parameter.name: {"says": parameter.says}
        | ({"must be given": True} if parameter.default is MISSING else {"default": parameter.default})
        for parameter in known.parameters
    }
    sizes = {
        size.key: {"says": size.says, "least": size.least, "must be given": size.needed, "column": size.column}
        for size in known.sizes
    }
    told = {"name": known.name, "family": known.family, "origin": known.origin, "reference": known.reference}
    told |= {"says": known.says, **known.told}
    return {**told, "parameters": given, "sizes": sizes, "cost": known.cost and asdict(known.cost)}


def _say(name: str, text: str, *, indent: int = 0) -> None:
    """Print a fact: its name, and what is said of it beside it, further lines by so much further in."""
    width = terminal_width()
    first, *more = hanging(name, text, None if width is None else width - indent)
    click.echo("\n".join([first, *(" " * indent + line for line in more)]))


def _tell(known: Facts) -> None:
    _say("", f"{known.name} ({known.family}, {known.origin}, {known.made} {known.reference})")
    for paragraph in re.split(r"\n\s*\n", known.says):
        _say("  ", paragraph if terminal_width() is None else " ".join(paragraph.split()))
        click.echo()
    for fact, said in known.told.items():
        _say(f"{fact + ':':<12}", said)
    if known.sizes:
        click.echo("sizes:")
    for size in known.sizes:
        column = f", column {size.column}" if size.column != size.key else ""
        _say(
            "  ", f"{size.key} (at least {size.least}{', must be given' * size.needed}{column}): {size.says}", indent=2
        )
    if known.parameters:
        click.echo("parameters:")
    for parameter in known.parameters:
        _say("  ", f"{parameter.name} ({parameter.shown}): {parameter.says}".rstrip(": "), indent=2)
    if known.cost is not None:
        _cost(known.cost)
    click.echo()


def _cost(cost: Cost) -> None:
    """Print what the protocol's own bound says at a few sizes."""
    _say("cost:       ", cost.says)
    if not cost.bounds:
        click.echo("  no bound is stated")
    at = "" if cost.alpha is None else f" with alpha = {cost.alpha}"
    for k, items, bound in cost.bounds:
        click.echo(f"  {k:>5,} sites, {items:>13,} items{at}: at most {number(float(round(bound)))} messages")


def _scenario(path: Path) -> dict[str, Any]:
    """Return what a scenario asks and claims."""
    from simulator.claims.judge import bound
    from simulator.scenario.document import comment
    from simulator.scenario.load import load

    scenario = load(path)
    claims = [
        {"name": claim.name, "measure": claim.measure, "bound": bound(claim), "where": claim.where}
        for claim in scenario.head.claims
    ]
    told = {"file": str(path), "says": comment(path), "title": scenario.head.title, "task": scenario.task.kind}
    return {**told, "points": len(scenario.points), "trials": scenario.head.trials, "claims": claims}


def _tell_scenario(name: str, told: dict[str, Any]) -> None:
    _say("", f"{name} (scenario, {told['file']})")
    for line in told["says"].splitlines():
        _say("  ", line)
    _say("title:      ", told["title"])
    _say("games:      ", f"{told['points']:,} points, {told['trials']:,} trials each")
    for claim in told["claims"]:
        where = f" where {claim['where']}" if claim["where"] else ""
        _say("claim:      ", f"{claim['name']}: {claim['measure']} {claim['bound']}{where}")
    click.echo()
