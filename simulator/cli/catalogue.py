"""``disttrack list``: the registered kinds with the first lines of their docstrings, and the scenarios."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any, Final

import click

from disttrack.simulator.cli.tables import Column, Table, print_table
from disttrack.simulator.points.registry import HOMES, Family, base_of, kinds, parameters

SORTS: Final[dict[str, Family | None]] = {home.plural: family for family, home in HOMES.items()} | {"scenarios": None}
"""What can be listed, and the family of its kinds."""
RANKS: Final = {"guarantee": 2, "from": 2, "file": 2, "parameters": 1, "sizes": 1}
"""Columns that a narrow terminal leaves out."""


@click.command("list")
@click.argument("what", type=click.Choice(list(SORTS)), required=False)
def list_(what: str | None) -> None:
    """List available kinds and scenarios."""
    for sort in [what] if what else SORTS:
        rows = _rows(SORTS[sort])
        columns = [Column(name, rank=RANKS.get(name, 0)) for name in rows[0]]
        print_table(Table(sort.capitalize(), columns, [list(row.values()) for row in rows]))


def _rows(family: Family | None) -> list[dict[str, str]]:
    """Return the kinds of a family, or the scenarios."""
    from disttrack.simulator.points.facts import first_line
    from disttrack.simulator.scenario.document import read
    from disttrack.simulator.scenario.load import shipped_scenarios

    rows = []
    for kind in kinds(family).values() if family else ():
        maker = kind.load()
        row = {"kind": kind.name, "sizes" if family == "task" else "parameters": _signature(kind.family, maker)}
        row["guarantee"] = str(getattr(maker, "guarantee", ""))
        rows.append({**row, "what it is": first_line(maker), "from": kind.origin.removeprefix("built in")})
    for name, path in () if family else shipped_scenarios().items():
        rows.append({"name": name, "question": str(read(path).data.get("question", "")), "file": str(path)})
    return rows


def _signature(family: Family, maker: Any) -> str:
    """Return the parameters of a kind that not all of its family have, or the sizes of a task's games."""
    if family == "task":
        return ", ".join(size.key for size in maker.sizes)
    common = parameters(base_of("plot")) if family == "plot" else {}
    own = {name: default for name, default in parameters(maker).items() if name not in common}
    own = {name: f"{default:.4g}" if isinstance(default, float) else default for name, default in own.items()}
    return ", ".join(name if default is MISSING else f"{name}={default}" for name, default in own.items())
