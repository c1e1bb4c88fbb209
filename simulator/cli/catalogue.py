"""``disttrack list``: the registered kinds in the words of their classes, and the scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from typing import Any, Final

import click

from disttrack.simulator.cli.layout import Column, Table
from disttrack.simulator.cli.tables import Form, form_options, print_json, print_table
from disttrack.simulator.points.registry import HOMES, Family, base_of, kinds, parameters

SORTS: Final[dict[str, Family | None]] = {home.plural: family for family, home in HOMES.items()} | {"scenarios": None}
"""What can be listed, and the family of its kinds."""


@click.command("list")
@click.argument("what", type=click.Choice(list(SORTS)), required=False)
@form_options
def list_(what: str | None, form: Form) -> int:
    """List available kinds and scenarios."""
    lists = {sort: _rows(SORTS[sort]) for sort in ([what] if what else SORTS)}
    if form == "json":
        print_json(lists)
    elif form == "quiet":
        for row in lists.get("scenarios", ()):
            if "error" in row:
                click.echo(f"{row['name']}: {row['error']}")
    else:
        for sort, rows in lists.items():
            _print(sort, rows)
    return 0


def _print(sort: str, rows: Sequence[Mapping[str, str]]) -> None:
    if not rows:
        click.echo("Scenarios: none; they were not installed, and there is no folder scenarios here")
        return
    names = [name for name in rows[0] if name != "from" or len({row["from"] for row in rows}) > 1]
    columns = [
        Column(name, key=True, wraps=name not in ("kind", "name", "guarantee"), rank=int(name == "file"))
        for name in names
    ]
    cells = [[row[name] or row.get("error", "") * (name == "title") for name in names] for row in rows]
    print_table(Table(sort.capitalize(), columns, cells))


def _rows(family: Family | None) -> list[dict[str, str]]:
    """Return the kinds of a family, or the scenarios; a scenario that cannot be read has its error."""
    from disttrack.simulator.errors import ScenarioError
    from disttrack.simulator.points.facts import first_line
    from disttrack.simulator.scenario.document import read
    from disttrack.simulator.scenario.load import shipped_scenarios

    rows = []
    for kind in kinds(family).values() if family else ():
        maker = kind.load()
        row = {"kind": kind.name, "sizes" if family == "task" else "parameters": _signature(kind.family, maker)}
        if family == "protocol":
            row["guarantee"] = str(getattr(maker, "guarantee", ""))
        rows.append({**row, "what it is": first_line(maker), "from": kind.origin})
    for name, path in () if family else shipped_scenarios().items():
        row = {"name": name, "title": "", "file": str(path)}
        try:
            row["title"] = str(read(path).data.get("title", ""))
        except ScenarioError as error:
            row["error"] = str(error)
        rows.append(row)
    return rows


def _signature(family: Family, maker: Any) -> str:
    """Return the parameters of a kind that not all of its family have, or the sizes of a task's games."""
    if family == "task":
        return ", ".join(size.key for size in maker.sizes)
    common = parameters(base_of("plot")) if family == "plot" else {}
    own = {name: default for name, default in parameters(maker).items() if name not in common}
    return ", ".join(name if default is MISSING else f"{name}={default}" for name, default in own.items())
