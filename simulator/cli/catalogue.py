"""``disttrack list``: what there is, in the classes' own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

import click

from simulator.cli.layout import Column
from simulator.cli.tables import Form, form_options, print_json, print_table

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
@form_options
def list_(what: str | None, form: Form) -> int:
    """Say what there is."""
    found = {each: _scenarios() if each == "scenarios" else _kinds(each) for each in ([what] if what else WHAT)}
    if form == "json":
        print_json(found)
    wrong = [row for rows in found.values() for row in rows if row.get("error")]
    for row in wrong if form == "quiet" else ():
        click.echo(f"{row['name']}: {row['error']}")
    for each, rows in found.items() if form == "table" else ():
        _tell(each, rows)
    return 0


def _tell(what: str, rows: Sequence[Mapping[str, str]]) -> None:
    """Print what there is of one sort."""
    if not rows:
        click.echo("Scenarios: none; they were not installed, and there is no folder scenarios here")
        return
    shown = [name for name in rows[0] if name != "error" and (name != "from" or len({row["from"] for row in rows}) > 1)]
    shown = [name for name in shown if any(row[name] for row in rows)]
    columns = [
        Column(
            name,
            key=name in ("kind", "name", "parameters", "sizes"),
            named=True,
            wraps=name not in ("kind", "name", "guarantee", "file"),
            least=40 if name in ("what it is", "title") else 20,
            rank=1 if name == "file" else 0,
        )
        for name in shown
    ]
    cells = [[row[name] or row.get("error", "") * (name == "title") for name in shown] for row in rows]
    print_table(what.capitalize(), columns, cells)


def _kinds(what: str) -> list[dict[str, str]]:
    """Return the registered kinds of a family."""
    from simulator.points.facts import first_line
    from simulator.points.registry import HOMES, kinds

    family = next(family for family, home in HOMES.items() if home.plural == what)
    found = []
    for kind in kinds(family).values():
        maker = kind.load()
        row = {"kind": kind.name, "sizes" if family == "task" else "parameters": _signature(family, maker)}
        if family == "protocol":
            row["guarantee"] = str(getattr(maker, "guarantee", ""))
        found.append({**row, "what it is": first_line(maker), "from": kind.origin})
    return found


def _scenarios() -> list[dict[str, str]]:
    """Return the scenarios; one whose file cannot be read says why."""
    from simulator.errors import ScenarioError
    from simulator.scenario.document import read
    from simulator.scenario.load import shipped_scenarios

    found = []
    for name, path in shipped_scenarios().items():
        row = {"name": name, "title": "", "file": str(path)}
        try:
            row["title"] = str(read(path).data.get("title", ""))
        except ScenarioError as error:
            row["error"] = str(error)
        found.append(row)
    return found


def _signature(family: Family, maker: Any) -> str:
    """Return what a kind takes: its parameters, or the sizes of a task's games."""
    from simulator.points.registry import base_of, parameters

    if family == "task":
        return ", ".join(size.key for size in maker.sizes)
    taken = parameters(maker)
    if family == "plot":  # what all plots take says nothing of this one
        taken = {name: default for name, default in taken.items() if name not in parameters(base_of("plot"))}
    return ", ".join(name if default is MISSING else f"{name}={default}" for name, default in taken.items())
