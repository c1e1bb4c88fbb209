"""``disttrack list``: what there is, in the classes' own words."""

from __future__ import annotations

from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

import click

from simulator.cli.tables import print_table

if TYPE_CHECKING:
    from simulator.points.registry import Family

WHAT = (
    "protocols",
    "adversaries",
    "mechanisms",
    "sketches",
    "attackers",
    "curators",
    "analysts",
    "tasks",
    "plots",
    "scenarios",
)


@click.command("list")
@click.argument("what", type=click.Choice(WHAT), required=False)
def list_(what: str | None) -> None:
    """Say what there is."""
    for each in [what] if what else WHAT:
        if each == "scenarios":
            _list_scenarios()
        else:
            _list_kinds(each)


def _list_kinds(what: str) -> None:
    from simulator.points.facts import first_line
    from simulator.points.registry import HOMES, kinds

    family = next(family for family, home in HOMES.items() if home.plural == what)
    known = kinds(family)
    rows = []
    for kind in known.values():
        maker = kind.load()
        row = [kind.name, _signature(family, maker)]
        if family == "protocol":
            row.append(str(getattr(maker, "guarantee", "")))
        row.append(first_line(maker))
        if any(other.origin != "built in" for other in known.values()):
            row.append(kind.origin)
        rows.append(row)
    headers = [
        "kind",
        "sizes" if family == "task" else "parameters",
        *(["guarantee"] if family == "protocol" else []),
        "what it is",
    ]
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
        click.echo("Scenarios: none; they were not installed, and there is no folder scenarios here")


def _signature(family: Family, maker: Any) -> str:
    """Return what a kind takes: its parameters, or the sizes of a task's games."""
    from simulator.points.registry import base_of, parameters

    if family == "task":
        return ", ".join(size.key for size in maker.sizes)
    taken = parameters(maker)
    if family == "plot":  # what all plots take says nothing of this one
        taken = {name: default for name, default in taken.items() if name not in parameters(base_of("plot"))}
    return ", ".join(name if default is MISSING else f"{name}={default}" for name, default in taken.items())
