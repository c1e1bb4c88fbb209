"""``disttrack describe``: one kind in its class's own words, or one scenario."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator.cli.catalogue import first_line
from simulator.results.formats import number

if TYPE_CHECKING:
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
    from simulator.points.registry import parameters

    click.echo(f"{name} ({family}, {origin}, {'class' if inspect.isclass(maker) else 'function'} {reference})")
    doc = inspect.getdoc(maker) or ""
    lineage = reversed(inspect.getmro(maker)) if inspect.isclass(maker) else [maker]
    described = {key: said for each in lineage for key, said in _described(each.__doc__ or "").items()}
    click.echo("  " + "\n  ".join(_before_sections(doc).splitlines()))
    facts = {
        "source": getattr(maker, "source", ""),
        "guarantee": {
            "always": "right at every step, on every input",
            "adaptive": "right with probability 1 - delta, also against who reacts to the outputs",
            "oblivious": "right with probability 1 - delta, on inputs that do not react to the outputs",
            "none": "none",
        }.get(getattr(maker, "guarantee", ""), ""),
        "one-sided": "its output never exceeds the truth" if getattr(maker, "one_sided", False) else "",
        "reveals": getattr(maker, "reveals", ""),
        "reacts": "" if family != "adversary" else "no" if getattr(maker, "oblivious", False) else "to the outputs",
        "sees": getattr(maker, "sees", "") if family == "adversary" else "",
    }
    if family in ("mechanism", "sketch", "curator"):
        facts |= {name: getattr(maker, name, "") for name in ("error", "memory", "privacy")}
    if family == "task":
        facts |= {"plays": " against ".join(dict(maker.families).values()), "columns": ", ".join(maker.columns)}
    for fact, said in facts.items():
        if isinstance(said, str) and said:  # a mechanism of others may call a method so
            click.echo(f"{fact + ':':<12}{said}")
    if family == "task":
        _sizes(maker)
    taken = parameters(maker)
    if taken:
        click.echo("parameters:")
        for parameter, default in taken.items():
            shown = "must be given" if default is MISSING else f"default {default!r}"
            click.echo(f"  {parameter} ({shown}): {described.get(parameter, '')}".rstrip(": "))
    if family == "protocol":
        _cost(maker)
    click.echo()


def _sizes(task: Any) -> None:
    """Print the sizes of a task's games with their keys in scenario files."""
    click.echo("sizes:")
    for size in task.sizes:
        column = f", column {size.column}" if size.column != size.key else ""
        click.echo(f"  {size.key} (at least {size.least}{', must be given' * size.needed}{column}): {size.says}")


def _cost(maker: Any) -> None:
    """Print what the protocol's own bound says at a few sizes."""
    from simulator.points.registry import parameters

    taken = parameters(maker)
    given = {"alpha": 0.05} if "alpha" in taken else {}
    try:
        protocol = maker(**given)
        bounds = [(k, items, protocol.cost_bound(k, items)) for k in (16, 256, 4096) for items in (10**6, 10**9)]
    except (TypeError, ValueError):
        return
    said = first_line(maker.cost_bound)
    click.echo("cost:       " + said)
    if all(bound == float("inf") for *_, bound in bounds):
        click.echo("  no bound is stated")
        return
    at = f" with alpha = {given['alpha']}" if given else ""
    for k, items, bound in bounds:
        click.echo(f"  {k:>5,} sites, {items:>13,} items{at}: at most {number(float(round(bound)))} messages")


def _describe_scenario(name: str) -> None:
    from simulator.claims.judge import bound
    from simulator.scenario.load import load, shipped_scenarios

    path = shipped_scenarios()[name]
    scenario = load(path)
    click.echo(f"{name} (scenario, {path})")
    comments = re.match(r"(?:#.*\n)+", path.read_text(encoding="utf-8"))
    if comments:
        click.echo("  " + "\n  ".join(line.lstrip("# ") for line in comments[0].splitlines()))
    click.echo(f"title:      {scenario.head.title}")
    click.echo(f"games:      {len(scenario.points):,} points, {scenario.head.trials:,} trials each")
    for claim in scenario.head.claims:
        where = f" where {claim.where}" if claim.where else ""
        click.echo(f"claim:      {claim.name}: {claim.measure} {bound(claim)}{where}")
    click.echo()


def _before_sections(doc: str) -> str:
    """Return a docstring up to its first section of numpy style."""
    return re.split(r"\n\w[\w ]*\n-{3,}", doc)[0].strip()


def _described(doc: str) -> dict[str, str]:
    """Return what a docstring's section Parameters says of each."""
    doc = inspect.cleandoc(doc)
    section = re.search(r"\nParameters\n-+\n(.*?)(?=\n\w[\w ]*\n-{3,}|\Z)", doc, re.DOTALL)
    found: dict[str, str] = {}
    names: list[str] = []
    for line in (section[1] if section else "").splitlines():
        if line and not line[0].isspace():
            names = [name.strip() for name in line.split(":")[0].split(",")]
        elif line.strip():
            for name in names:
                found[name] = (found.get(name, "") + " " + line.strip()).strip()
    return found
