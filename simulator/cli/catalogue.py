"""``disttrack list`` and ``disttrack describe``: what there is, in the classes' own words."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

import click

from simulator.cli.tables import print_table
from simulator.results.formats import number

if TYPE_CHECKING:
    from simulator.points.registry import Family, Kind

WHAT = ("protocols", "adversaries", "mechanisms", "scenarios")


@click.command("list")
@click.argument("what", type=click.Choice(WHAT), required=False)
def list_(what: str | None) -> None:
    """Say what there is."""
    for each in [what] if what else WHAT:
        if each == "scenarios":
            _list_scenarios()
        else:
            _list_kinds(each)


@click.command()
@click.argument("name")
def describe(name: str) -> None:
    """Describe a protocol, adversary, mechanism or scenario: parameters, source, guarantee, cost, error."""
    from simulator.errors import ScenarioError, nearest
    from simulator.points.registry import FAMILIES, kinds
    from simulator.scenario.load import shipped_scenarios

    found = False
    for family in FAMILIES:
        kind = kinds(family).get(name)
        if kind is not None:
            found = True
            _describe(family, kind)
    scenarios = shipped_scenarios()
    if name in scenarios:
        found = True
        _describe_scenario(name)
    if not found:
        names = [*(kind for family in FAMILIES for kind in kinds(family)), *scenarios]
        raise ScenarioError(f"there is no {name!r}{nearest(name, names)} (disttrack list shows what there is)")


def _list_kinds(what: str) -> None:
    from simulator.points.registry import HOMES, kinds

    family = next(family for family, home in HOMES.items() if home.plural == what)
    known = kinds(family)
    rows = []
    for kind in known.values():
        maker = kind.load()
        row = [kind.name, _signature(maker)]
        if family == "protocol":
            row.append(str(getattr(maker, "guarantee", "")))
        row.append(_first_line(maker))
        if any(other.origin != "built in" for other in known.values()):
            row.append(kind.origin)
        rows.append(row)
    headers = ["kind", "parameters", *(["guarantee"] if family == "protocol" else []), "what it is"]
    if rows and len(rows[0]) > len(headers):
        headers.append("from")
    print_table(what.capitalize(), headers, rows)


def _list_scenarios() -> None:
    from simulator.errors import ScenarioError
    from simulator.scenario.document import read
    from simulator.scenario.load import shipped_scenarios

    rows = []
    for name, path in shipped_scenarios().items():
        try:
            title = str(read(path).data.get("title", ""))
        except ScenarioError as error:
            title = str(error)
        rows.append([name, title, str(path)])
    if rows:
        print_table("Scenarios", ["name", "title", "file"], rows)
    else:
        click.echo("Scenarios: none here; they come with a checkout of the project, in its folder scenarios")


def _describe(family: Family, kind: Kind) -> None:
    from simulator.points.registry import parameters

    maker = kind.load()
    click.echo(f"{kind.name} ({family}, {kind.origin}, class {kind.reference})")
    doc = inspect.getdoc(maker) or ""
    described = _described(doc)
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
    if family == "mechanism":
        facts |= {name: getattr(maker, name, "") for name in ("error", "memory", "privacy")}
    for name, said in facts.items():
        if isinstance(said, str) and said:  # a mechanism of others may call a method so
            click.echo(f"{name + ':':<12}{said}")
    taken = parameters(maker)
    if taken:
        click.echo("parameters:")
        for name, default in taken.items():
            shown = "must be given" if default is MISSING else f"default {default!r}"
            click.echo(f"  {name} ({shown}): {described.get(name, '')}".rstrip(": "))
    if family == "protocol":
        _cost(maker)
    click.echo()


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
    said = _first_line(maker.cost_bound)
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


def _signature(maker: Any) -> str:
    from simulator.points.registry import parameters

    taken = parameters(maker)
    return ", ".join(name if default is MISSING else f"{name}={default}" for name, default in taken.items())


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").strip().split("\n")[0]


def _before_sections(doc: str) -> str:
    """Return a docstring up to its first section of numpy style."""
    return re.split(r"\n\w[\w ]*\n-{3,}", doc)[0].strip()


def _described(doc: str) -> dict[str, str]:
    """Return what a docstring's section Parameters says of each."""
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
